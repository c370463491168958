//! Tasks as written, with `[defaults]` merged under them, and the [`Task`] made from each.

use super::parts::error;
use super::task_folders;
use crate::diagnostic::Problems;
use crate::document::{Kind, Map, Node};
use crate::shape::task_keys::{WORK_KEYS, is_task_key};
use std::path::Path;

/// A task before it is resolved.
pub(super) struct Draft {
    /// The task's keys over those of `[defaults]`.
    pub(super) node: Node,
    /// The keys that the task itself has.
    pub(super) own_keys: Vec<String>,
}

impl Draft {
    pub(super) fn text(&self, key: &str) -> Option<&str> {
        self.node.get(key)?.text()
    }

    /// Whether the task itself has a key; else it may come from `[defaults]`.
    pub(super) fn has_own(&self, key: &str) -> bool {
        self.own_keys.iter().any(|own| own == key)
    }
}

/// The tasks of a spec: `[[tasks]]`, or the one at the top level.
pub(super) fn drafts(root: &Node, base_dir: &Path, problems: &mut Problems) -> Vec<Draft> {
    let Kind::Map(map) = &root.kind else {
        return Vec::new();
    };
    let defaults = root.get("defaults").and_then(Node::map);
    let Some(tasks) = root.get("tasks") else {
        return single(root, map, defaults, problems).into_iter().collect();
    };
    stray_task_keys(map, problems);
    let of_folders = match tasks.map() {
        Some(folders) => task_folders::tasks(tasks, folders, base_dir, problems),
        None => Vec::new(),
    };
    let tasks = tasks.list().unwrap_or(&of_folders).iter();
    tasks
        .filter(|task| task.map().is_some())
        .map(|task| draft(task.clone(), defaults))
        .collect()
}

fn single(
    root: &Node,
    map: &Map,
    defaults: Option<&Map>,
    problems: &mut Problems,
) -> Option<Draft> {
    let entries = map
        .entries
        .iter()
        .filter(|entry| is_task_key(&entry.key))
        .cloned()
        .collect();
    let task = draft(Node::new(root.span, Kind::Map(Map { entries })), defaults);
    if WORK_KEYS.iter().any(|key| task.node.get(key).is_some()) {
        return Some(task);
    }
    let help = "add [[tasks]] with `command`, `experiment` or `prepared_dir`, or one of these keys at the top level";
    let problem = error(root.span, "the spec has no work").help(help);
    problems.push(problem.lacking(&["tasks", "command", "experiment", "prepared_dir"]));
    None
}

/// Beside `[[tasks]]`, a key of a task at the top level would belong to nobody.
fn stray_task_keys(map: &Map, problems: &mut Problems) {
    for entry in map.entries.iter().filter(|entry| is_task_key(&entry.key)) {
        let message = format!(
            "`{}` belongs to a task, and this spec has `tasks`",
            entry.key
        );
        let help = if WORK_KEYS.contains(&entry.key.as_str()) || entry.key == "id" {
            "move it into a task"
        } else {
            "move it into the task, or under `defaults` for every task"
        };
        problems.push(error(entry.key_span, message).help(help));
    }
}

fn draft(mut node: Node, defaults: Option<&Map>) -> Draft {
    let Kind::Map(map) = &mut node.kind else {
        return Draft {
            node,
            own_keys: Vec::new(),
        };
    };
    let own_keys: Vec<String> = map.entries.iter().map(|entry| entry.key.clone()).collect();
    let is_work = |key: &str| WORK_KEYS.contains(&key);
    if let Some(defaults) = defaults {
        let mut base = defaults.clone();
        // A task that says what it does has no use for the work of the defaults.
        if own_keys.iter().any(|key| is_work(key)) {
            base.entries.retain(|entry| !is_work(&entry.key));
        }
        map.fill_from(&base);
    }
    Draft { node, own_keys }
}
