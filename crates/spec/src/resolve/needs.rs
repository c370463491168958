//! `needs`: every id exists, and no task waits for itself.

use super::draft::Draft;
use super::parts::error;
use crate::diagnostic::Problems;
use crate::document::Node;
use crate::spec::task::Task;
use fairtrial_text::nearest::did_you_mean;
use std::collections::{BTreeMap, BTreeSet};

/// Reports unknown ids and cycles.
pub(super) fn check(tasks: &[Task], drafts: &[Draft], problems: &mut Problems) {
    let mut graph = Graph::new();
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
    for cycle in cycles(graph) {
        report_cycle(&cycle, tasks, drafts, problems);
    }
}

type Graph<'a> = BTreeMap<&'a str, BTreeSet<&'a str>>;

fn need_nodes(draft: &Draft) -> &[Node] {
    draft
        .node
        .get("needs")
        .and_then(Node::list)
        .unwrap_or_default()
}

/// The cycles among the tasks that can never start, each as its ids in order. Tasks that merely wait for a cycle are
/// not part of one.
fn cycles(graph: Graph<'_>) -> Vec<Vec<String>> {
    let mut stuck = without_ready(graph);
    let mut found = Vec::new();
    while let Some(cycle) = some_cycle(&stuck) {
        for id in &cycle {
            stuck.remove(id.as_str());
        }
        for needs in stuck.values_mut() {
            needs.retain(|need| !cycle.iter().any(|id| id == need));
        }
        stuck = without_ready(stuck);
        found.push(cycle);
    }
    found
}

/// Takes away every task that can start, and then those that can start after it, until only cycles hold the rest.
fn without_ready(mut graph: Graph<'_>) -> Graph<'_> {
    let mut dependents: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (id, needs) in &graph {
        for need in needs {
            dependents.entry(need).or_default().push(id);
        }
    }
    let mut ready: Vec<&str> = graph
        .iter()
        .filter(|(_, needs)| needs.is_empty())
        .map(|(id, _)| *id)
        .collect();
    while let Some(done) = ready.pop() {
        graph.remove(done);
        for dependent in dependents.remove(done).unwrap_or_default() {
            if let Some(needs) = graph.get_mut(dependent) {
                needs.remove(done);
                if needs.is_empty() {
                    ready.push(dependent);
                }
            }
        }
    }
    graph
}

/// Every task left needs another one that is left: following the first need must come back to a task seen before.
fn some_cycle(graph: &Graph<'_>) -> Option<Vec<String>> {
    let mut path: Vec<&str> = vec![*graph.keys().next()?];
    let mut places: BTreeMap<&str, usize> = path.iter().map(|id| (*id, 0)).collect();
    loop {
        let last = path.last().copied()?;
        let next = *graph.get(last)?.first()?;
        if let Some(start) = places.get(next) {
            return Some(path[*start..].iter().map(|id| (*id).to_owned()).collect());
        }
        places.insert(next, path.len());
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
