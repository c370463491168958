//! Dotted parameters. `algo.optim.lr = 1e-4` in an arm is the parameter `algo.optim.lr`, as users of Hydra write it; elsewhere
//! dots go into tables, and a table in braces or under a heading is a table here too.

use crate::document::{Entry, Kind, Node};

/// Joins the dotted keys among the parameters of a document.
pub(super) fn join(root: &mut Node, text: &str) {
    for key in ["params", "sweep"] {
        join_keys(child(root, key), text);
    }
    if let Some(defaults) = child(root, "defaults") {
        join_keys(child(defaults, "params"), text);
    }
    for arm in children(child(root, "arms")) {
        join_keys(Some(arm), text);
    }
    for task in children(child(root, "tasks")) {
        for key in ["params", "sweep"] {
            join_keys(child(task, key), text);
        }
    }
}

fn child<'a>(node: &'a mut Node, key: &str) -> Option<&'a mut Node> {
    let Kind::Map(map) = &mut node.kind else {
        return None;
    };
    let mut entries = map.entries.iter_mut();
    entries
        .find(|entry| entry.key == key)
        .map(|entry| &mut entry.value)
}

fn children(node: Option<&mut Node>) -> Vec<&mut Node> {
    match node.map(|node| &mut node.kind) {
        Some(Kind::Map(map)) => map
            .entries
            .iter_mut()
            .map(|entry| &mut entry.value)
            .collect(),
        Some(Kind::List(items)) => items.iter_mut().collect(),
        _ => Vec::new(),
    }
}

fn join_keys(node: Option<&mut Node>, text: &str) {
    let Some(Kind::Map(map)) = node.map(|node| &mut node.kind) else {
        return;
    };
    let mut joined = Vec::new();
    for entry in std::mem::take(&mut map.entries) {
        flatten(entry, text, &mut joined);
    }
    map.entries = joined;
}

fn flatten(entry: Entry, text: &str, into: &mut Vec<Entry>) {
    let is_dotted = |node: &Node| {
        let written = text.get(node.span.start..).unwrap_or_default();
        matches!(node.kind, Kind::Map(_)) && !written.starts_with(['{', '['])
    };
    if !is_dotted(&entry.value) {
        into.push(entry);
        return;
    }
    let Kind::Map(map) = entry.value.kind else {
        return;
    };
    for inner in map.entries {
        let joined = Entry {
            key: format!("{}.{}", entry.key, inner.key),
            ..inner
        };
        flatten(joined, text, into);
    }
}
