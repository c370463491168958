//! The seeds of a spec, and the processes of its experiments: each is a trial of its own, under a documented seed.
//!
//! Iterations of one process share its memory layout and its caches, so that an experiment without seeds runs in several.

use super::draft::Draft;
use super::parts::{self, error};
use crate::diagnostic::Problems;
use crate::document::Node;
use crate::spec::task::Task;
use crate::spec::work::Work;
use fairtrial_model::documented_seeds;

/// Processes of an experiment that names neither them nor seeds.
const PROCESSES: usize = 5;

/// The seeds of the spec. Experiments for which there are none get those of their processes.
pub(super) fn seeds(
    root: &Node,
    tasks: &mut [Task],
    drafts: &[Draft],
    problems: &mut Problems,
) -> Vec<u64> {
    let given = root
        .get("seeds")
        .and_then(|node| parts::seeds(node, problems));
    let given = given.filter(|seeds| !seeds.is_empty());
    let mut in_processes = 0;
    for (task, draft) in tasks.iter_mut().zip(drafts) {
        if !matches!(task.work, Work::Experiment { .. }) {
            continue;
        }
        let asked = draft.node.get("processes");
        if task.seeds.is_some() || given.is_some() {
            if let Some(asked) = asked.filter(|_| draft.has_own("processes")) {
                let message =
                    "`processes` and `seeds` do not go together: each seed is a process of its own";
                problems.push(error(asked.span, message).help("remove one of them"));
            }
            continue;
        }
        let count = asked
            .and_then(Node::whole)
            .map_or(PROCESSES, |n| n as usize);
        task.seeds = Some(documented(count));
        in_processes += 1;
    }
    given.unwrap_or_else(|| shared(tasks, in_processes))
}

fn documented(count: usize) -> Vec<u64> {
    (0..count).map(documented_seeds).collect()
}

/// Seeds of processes that all tasks share are the spec's, so that whatever goes by those (stopping rules) has them.
fn shared(tasks: &mut [Task], in_processes: usize) -> Vec<u64> {
    let first = tasks.first().and_then(|task| task.seeds.clone());
    match first {
        Some(seeds)
            if in_processes == tasks.len()
                && tasks.iter().all(|task| task.seeds.as_ref() == Some(&seeds)) =>
        {
            for task in tasks {
                task.seeds = None;
            }
            seeds
        }
        _ => documented(1),
    }
}
