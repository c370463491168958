//! JSON into the document tree: `serde_json` decides whether it is JSON, the YAML reader gives the places.
//!
//! JSON is a subset of YAML, so one event reader serves both; but YAML accepts much that JSON does not (comments,
//! bare words), which a `.json` file must not contain, since other tools will read it too.

use super::syntax::syntax;
use super::yaml;
use crate::diagnostic::Problems;
use crate::document::Node;
use crate::source::Span;
use serde::de::IgnoredAny;

/// Reads a document.
pub(super) fn read(source: usize, text: &str, problems: &mut Problems) -> Option<Node> {
    if let Err(error) = serde_json::from_str::<IgnoredAny>(text) {
        let at = offset(text, error.line(), error.column());
        let message = error.to_string();
        let message = message
            .split(" at line ")
            .next()
            .unwrap_or(&message)
            .to_owned();
        let span = Span {
            source,
            start: at,
            end: at + 1,
        };
        problems.push(syntax(span, format!("not valid JSON: {message}")));
        return None;
    }
    yaml::read(source, text, problems)
}

fn offset(text: &str, line: usize, column: usize) -> usize {
    let before: usize = text
        .split_inclusive('\n')
        .take(line.saturating_sub(1))
        .map(str::len)
        .sum();
    (before + column.saturating_sub(1)).min(text.len())
}
