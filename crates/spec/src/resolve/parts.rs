//! What several parts of a spec are read with.

use crate::diagnostic::{Diagnostic, Problems, Severity};
use crate::document::Node;
use crate::source::Span;
use fairtrial_model::{Params, documented_seeds};

pub(super) fn error(span: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic::new(Severity::Error, span, message)
}

pub(super) fn params_of(node: &Node) -> Params {
    let entries = node.map().map_or(&[][..], |map| &map.entries);
    entries
        .iter()
        .map(|entry| (entry.key.clone(), entry.value.to_param()))
        .collect()
}

pub(super) fn texts(node: Option<&Node>) -> Vec<String> {
    let items = node.and_then(Node::list).unwrap_or_default();
    items
        .iter()
        .filter_map(Node::text)
        .map(str::to_owned)
        .collect()
}

/// A count of documented seeds, or the seeds themselves.
pub(super) fn seeds(node: &Node, problems: &mut Problems) -> Option<Vec<u64>> {
    if let Some(items) = node.list() {
        crate::shape::check::repeated_values(items, problems);
        return Some(items.iter().filter_map(Node::whole).collect());
    }
    let count = node.whole().filter(|count| *count <= 1_000_000)?;
    Some((0..count as usize).map(documented_seeds).collect())
}
