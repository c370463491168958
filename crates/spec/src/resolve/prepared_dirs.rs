//! `prepared_dir` may name many folders, by a list or by patterns: each is a task of its own.

use super::draft::Draft;
use super::find_path::find_path;
use super::parts::error;
use crate::diagnostic::Problems;
use crate::document::{Kind, Node};
use fairtrial_text::glob::Glob;
use std::path::{Path, PathBuf};

const KEY: &str = "prepared_dir";

/// The drafts, with one for each folder.
pub(super) fn expand(drafts: Vec<Draft>, base_dir: &Path, problems: &mut Problems) -> Vec<Draft> {
    let mut all = Vec::with_capacity(drafts.len());
    for draft in drafts {
        let Some(given) = draft.node.get(KEY).filter(|node| is_many(node)) else {
            all.push(draft);
            continue;
        };
        let items = given.list().map_or(std::slice::from_ref(given), |it| it);
        let dirs: Vec<Node> = items
            .iter()
            .flat_map(|item| folders(item, base_dir, problems))
            .collect();
        if let (Some(id), 2..) = (draft.node.get("id"), dirs.len()) {
            let message = format!("`id` names one task, and `{KEY}` gives {}", dirs.len());
            problems
                .push(error(id.span, message).help("remove it: each is named after its folder"));
        }
        all.extend(dirs.iter().map(|dir| with_dir(&draft, dir)));
    }
    all
}

fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?'])
}

fn is_many(node: &Node) -> bool {
    node.list().is_some() || node.text().is_some_and(is_pattern)
}

fn with_dir(draft: &Draft, dir: &Node) -> Draft {
    let mut node = draft.node.clone();
    if let Kind::Map(map) = &mut node.kind {
        for entry in map.entries.iter_mut().filter(|entry| entry.key == KEY) {
            entry.value = dir.clone();
        }
    }
    Draft {
        node,
        own_keys: draft.own_keys.clone(),
    }
}

/// The folders that one text names, as it names them, in the order of their names.
fn folders(item: &Node, base_dir: &Path, problems: &mut Problems) -> Vec<Node> {
    let Some(text) = item.text().filter(|text| is_pattern(text)) else {
        return vec![item.clone()];
    };
    if text.split('/').any(|part| part == "**") {
        let problem = error(item.span, "`**` is not read here");
        problems.push(problem.help("write a `*` for each level of folders"));
        return Vec::new();
    }
    let parts: Vec<&str> = text.split('/').filter(|part| *part != ".").collect();
    let plain = parts.iter().take_while(|part| !is_pattern(part)).count();
    let start = parts[..plain].join("/");
    let root = find_path(base_dir, if start.is_empty() { "." } else { &start });
    let mut found = vec![(root, start)];
    for part in parts[plain..].iter().filter(|part| !part.is_empty()) {
        let glob = Glob::name(part);
        found = found
            .iter()
            .flat_map(|(path, named)| below(path, named, &glob))
            .collect();
    }
    // What is not there is told of with all other folders.
    if found.is_empty() {
        return vec![item.clone()];
    }
    let named = found.into_iter().map(|(_, named)| named);
    named
        .map(|named| Node::new(item.span, Kind::Text(named)))
        .collect()
}

/// The folders in a folder whose names fit, but for hidden ones.
fn below(folder: &Path, named: &str, glob: &Glob) -> Vec<(PathBuf, String)> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .filter(|entry| entry.path().is_dir())
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| !name.starts_with('.') && glob.matches(name))
        .collect();
    names.sort_unstable();
    let whole = |name: String| {
        let text = match named {
            "" => name.clone(),
            named => format!("{named}/{name}"),
        };
        (folder.join(name), text)
    };
    names.into_iter().map(whole).collect()
}
