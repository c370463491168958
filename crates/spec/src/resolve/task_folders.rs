//! `tasks` as a table: folders of agent tasks, each of whose folders with a task is one.

use super::find_path::find_path;
use super::parts::error;
use crate::diagnostic::Problems;
use crate::document::{Entry, Kind, Map, Node};
use std::path::Path;

/// The file by which a folder is known as a task, by the key that names it.
const MARKS: [(&str, &str); 3] = [
    ("harbor", "task.toml"),
    ("terminal_bench", "task.yaml"),
    ("prepared", "tb_meta.json"),
];

/// A task for each folder, as if it were written with `prepared_dir`.
pub(super) fn tasks(
    node: &Node,
    folders: &Map,
    base_dir: &Path,
    problems: &mut Problems,
) -> Vec<Node> {
    let mut tasks = Vec::new();
    let names_any = |(key, _): &(&str, &str)| {
        let entry = folders.entry(key);
        entry.is_some_and(|entry| entry.value.list().is_none_or(|items| !items.is_empty()))
    };
    if !MARKS.iter().any(names_any) {
        let problem = error(node.span, "`tasks` names no folder of tasks");
        problems.push(problem.help("tasks = { harbor = \"datasets/x\" }"));
    }
    for (key, mark) in MARKS {
        let Some(entry) = folders.entry(key) else {
            continue;
        };
        let items = entry
            .value
            .list()
            .unwrap_or(std::slice::from_ref(&entry.value));
        for item in items {
            let Some(text) = item.text() else { continue };
            let found = below(&find_path(base_dir, text), text, mark);
            if found.is_empty() {
                let message = format!("`{text}` holds no folder with a `{mark}`");
                problems
                    .push(error(item.span, message).help("name the folder that holds the tasks"));
            }
            tasks.extend(found.into_iter().map(|dir| task(dir, entry, item)));
        }
    }
    tasks
}

/// The folder itself, or those in it, in the order of their names.
fn below(folder: &Path, named: &str, mark: &str) -> Vec<String> {
    if folder.join(mark).is_file() {
        return vec![named.to_owned()];
    }
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .filter(|entry| entry.path().join(mark).is_file())
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    names.sort_unstable();
    let named = named.trim_end_matches('/');
    names
        .into_iter()
        .map(|name| format!("{named}/{name}"))
        .collect()
}

fn task(dir: String, entry: &Entry, item: &Node) -> Node {
    let dir = Entry {
        key: "prepared_dir".to_owned(),
        value: Node::new(item.span, Kind::Text(dir)),
        ..entry.clone()
    };
    Node::new(item.span, Kind::Map(Map { entries: vec![dir] }))
}
