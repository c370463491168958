//! The readers of the three formats: text in, document tree out, syntax problems reported with their place.

mod dotted;
mod json;
mod syntax;
pub(crate) mod toml;
mod yaml;

use crate::diagnostic::{Diagnostic, Problems, Severity};
use crate::document::{Kind, Node};
use crate::source::{Sources, Span};
use std::path::Path;

/// The text formats of a spec.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// `.toml`
    Toml,
    /// `.yaml`, `.yml`
    Yaml,
    /// `.json`
    Json,
}

impl Format {
    /// The format that a file's extension names.
    pub fn of_path(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        match extension.as_str() {
            "toml" => Some(Self::Toml),
            "yaml" | "yml" => Some(Self::Yaml),
            "json" => Some(Self::Json),
            _ => None,
        }
    }
}

/// Larger texts are refused before a parser sees them.
pub(crate) const MAX_BYTES: usize = 16 << 20;

/// What is said of them.
pub(crate) const TOO_LARGE: &str = "larger than 16 MiB";

/// Reads one source into a tree whose root is a map; absent where the syntax is broken.
pub(crate) fn read(
    source: usize,
    format: Format,
    sources: &Sources,
    problems: &mut Problems,
) -> Option<Node> {
    let text = sources.get(source)?.text.as_str();
    let whole = Span {
        source,
        start: 0,
        end: 0,
    };
    if text.len() > MAX_BYTES {
        problems.push(Diagnostic::new(
            Severity::Error,
            whole,
            format!("the spec is {TOO_LARGE}"),
        ));
        return None;
    }
    let root = match format {
        Format::Toml => toml::read(source, text, problems),
        Format::Yaml => yaml::read(source, text, problems),
        Format::Json => json::read(source, text, problems),
    }?;
    if let Kind::Map(_) = root.kind {
        return Some(root);
    }
    let message = format!("a spec is a table of keys, found {}", root.found());
    problems.push(Diagnostic::new(Severity::Error, root.span, message));
    None
}
