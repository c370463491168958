//! Problems found in a spec, as data: what, where, and what to do about it.

use crate::source::{Sources, Span};
use serde::Serialize;
use std::ops::Range;

/// How bad a problem is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The spec cannot be used.
    Error,
    /// The spec can be used, but probably does not do what is meant.
    Warning,
}

/// One problem. Its JSON form is `file`, `line`, `column`, `severity`, `message`, `help`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Diagnostic {
    /// The file's name as the user gave it; `--set` for a value from the command line.
    pub file: String,
    line: usize,
    column: usize,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// The bytes in the file that it is about.
    #[serde(skip)]
    pub span: Range<usize>,
    /// What to write under these bytes.
    #[serde(skip)]
    pub label: Option<String>,
    /// Other places that belong to the problem.
    #[serde(skip)]
    pub related: Vec<Related>,
    #[serde(skip)]
    pub(crate) source: usize,
    /// The key that is probably meant, where this is about one that is not known.
    #[serde(skip)]
    meant: Option<String>,
    /// Keys of which one, under its right name, would be all that is missing.
    #[serde(skip)]
    lacking: &'static [&'static str],
}

/// A further place that belongs to a problem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Related {
    /// The bytes.
    pub span: Range<usize>,
    /// What to write under them.
    pub label: String,
    pub(crate) source: usize,
}

impl Diagnostic {
    /// The line, from 1.
    pub fn line(&self) -> usize {
        self.line
    }

    /// The column in characters, from 1.
    pub fn column(&self) -> usize {
        self.column
    }

    /// Whether the spec cannot be used.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// A problem at a place.
    pub(crate) fn new(severity: Severity, span: Span, message: impl Into<String>) -> Self {
        Self {
            file: String::new(),
            line: 0,
            column: 0,
            severity,
            message: message.into(),
            help: None,
            span: span.start..span.end,
            label: None,
            related: Vec::new(),
            source: span.source,
            meant: None,
            lacking: &[],
        }
    }

    /// About a key that is not known and probably another one.
    pub(crate) fn meant(mut self, key: Option<&str>) -> Self {
        self.meant = key.map(str::to_owned);
        self
    }

    /// Only follows where one of these keys is misspelt: told then by that alone.
    pub(crate) fn lacking(mut self, keys: &'static [&'static str]) -> Self {
        self.lacking = keys;
        self
    }

    pub(crate) fn label(mut self, label: impl Into<String>) -> Self {
        self.label = Some(label.into());
        self
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    pub(crate) fn maybe_help(mut self, help: Option<String>) -> Self {
        self.help = help.or(self.help);
        self
    }

    pub(crate) fn related(mut self, span: Span, label: impl Into<String>) -> Self {
        let label = label.into();
        self.related.push(Related {
            span: span.start..span.end,
            label,
            source: span.source,
        });
        self
    }

    fn locate(&mut self, sources: &Sources) {
        let Some(source) = sources.get(self.source) else {
            return;
        };
        source.name.clone_into(&mut self.file);
        (self.line, self.column) = source.line_column(self.span.start);
    }
}

/// The problems found so far; readers add to it and go on.
#[derive(Debug, Default)]
pub(crate) struct Problems {
    found: Vec<Diagnostic>,
}

/// More than this many problems help nobody, and hostile input could make millions.
const MAX_PROBLEMS: usize = 100;

impl Problems {
    pub(crate) fn push(&mut self, diagnostic: Diagnostic) {
        if !self.is_full() && !self.found.contains(&diagnostic) {
            self.found.push(diagnostic);
        }
    }

    /// Whether further problems are dropped: a reader can spare itself the search for their help.
    pub(crate) fn is_full(&self) -> bool {
        self.found.len() >= MAX_PROBLEMS
    }

    pub(crate) fn any_error(&self) -> bool {
        self.found.iter().any(Diagnostic::is_error)
    }

    /// Leaves out what only follows from a misspelt key.
    fn drop_consequences(&mut self) {
        let meant = self
            .found
            .iter()
            .filter_map(|problem| problem.meant.clone());
        let meant: Vec<String> = meant.collect();
        let follows = |problem: &Diagnostic| {
            meant
                .iter()
                .any(|key| problem.lacking.contains(&key.as_str()))
        };
        self.found.retain(|problem| !follows(problem));
    }

    /// The problems in the order of the files and the places in them.
    pub(crate) fn finish(mut self, sources: &Sources) -> Vec<Diagnostic> {
        self.drop_consequences();
        for diagnostic in &mut self.found {
            diagnostic.locate(sources);
        }
        self.found
            .sort_by_key(|diagnostic| (diagnostic.source, diagnostic.span.start));
        if let (true, Some(last)) = (self.found.len() >= MAX_PROBLEMS, self.found.last()) {
            let more = Diagnostic {
                severity: Severity::Warning,
                message: format!("only the first {MAX_PROBLEMS} problems are shown"),
                help: Some("fix these first".to_owned()),
                label: None,
                related: Vec::new(),
                ..last.clone()
            };
            self.found.push(more);
        }
        self.found
    }
}
