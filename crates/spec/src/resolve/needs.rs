//! `needs`: every id exists, and no task waits for itself.

use super::draft::Draft;
use super::error;
use crate::diagnostic::Problems;
use crate::document::Node;
use crate::shape::suggest::did_you_mean;
use crate::spec::Task;
use std::collections::{BTreeMap, BTreeSet};

/// Reports unknown ids and cycles.
pub(super) fn check(tasks: &[Task], drafts: &[Draft], problems: &mut Problems) {
    let mut graph: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for task in tasks {
        graph.entry(&task.id).or_default();
    }
    for (task, draft) in tasks.iter().zip(drafts) {
        for node in need_nodes(draft) {
            let Some(need) = node.text() else { continue };
            if graph.contains_key(need) {
                graph.entry(&task.id).or_default().insert(need);
            } else {
                let help = did_you_mean(need, graph.keys().copied());
                let known = || {
                    format!(
                        "the tasks are {}",
                        graph.keys().copied().collect::<Vec<_>>().join(", ")
                    )
                };
                let problem = error(node.span, format!("there is no task `{need}`"));
                problems.push(problem.help(help.unwrap_or_else(known)));
            }
        }
    }
    if let Some(cycle) = find_cycle(graph) {
        report_cycle(&cycle, tasks, drafts, problems);
    }
}

fn need_nodes(draft: &Draft) -> &[Node] {
    draft
        .node
        .get("needs")
        .and_then(Node::list)
        .unwrap_or_default()
}

/// The ids of a cycle in order, if there is one. What can be done is taken away until only cycles are left.
fn find_cycle(mut graph: BTreeMap<&str, BTreeSet<&str>>) -> Option<Vec<String>> {
    loop {
        let ready: BTreeSet<&str> = graph
            .iter()
            .filter(|(_, needs)| needs.is_empty())
            .map(|(id, _)| *id)
            .collect();
        if ready.is_empty() {
            break;
        }
        graph.retain(|id, _| !ready.contains(id));
        for needs in graph.values_mut() {
            needs.retain(|need| !ready.contains(need));
        }
    }
    let mut path: Vec<&str> = vec![*graph.keys().next()?];
    loop {
        let last = path.last().copied()?;
        let next = *graph.get(last)?.first()?;
        if let Some(start) = path.iter().position(|id| *id == next) {
            return Some(path[start..].iter().map(|id| (*id).to_owned()).collect());
        }
        path.push(next);
    }
}

fn report_cycle(cycle: &[String], tasks: &[Task], drafts: &[Draft], problems: &mut Problems) {
    let Some(first) = cycle.first() else { return };
    let next = cycle.get(1).unwrap_or(first);
    let place = tasks
        .iter()
        .zip(drafts)
        .filter(|(task, _)| task.id == *first);
    let node = place
        .flat_map(|(_, draft)| need_nodes(draft))
        .find(|node| node.text() == Some(next));
    let Some(node) = node else { return };
    let chain: Vec<String> = cycle
        .iter()
        .chain([first])
        .map(|id| format!("`{id}`"))
        .collect();
    let problem = error(
        node.span,
        format!("tasks wait for one another: {}", chain.join(" needs ")),
    );
    problems.push(problem.help("remove one of these needs"));
}
