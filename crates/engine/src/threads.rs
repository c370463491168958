//! How many threads the libraries of a trial may start.

use crate::rollout::is_rollout;
use fairtrial_spec::{Task, Threads};
use std::sync::Arc;

/// The variables by which numeric libraries decide how many threads they start.
const THREAD_VARIABLES: [&str; 6] = [
    "OMP_NUM_THREADS",
    "MKL_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "RAYON_NUM_THREADS",
    "TORCH_NUM_THREADS",
];

/// How many threads the libraries of a task's trials may start; absent where they are left alone. What agents start is
/// theirs to decide, and nobody knows here what a scheduler gives a trial that asks for nothing.
pub(crate) fn thread_count(task: &Task, share: Option<usize>) -> Option<usize> {
    match (task.threads, task.resources.cpus) {
        _ if is_rollout(task) => None,
        (Some(Threads::Inherit), _) => None,
        (Some(Threads::Count(count)), _) | (None, Some(count)) => Some(count as usize),
        (None, None) => share,
    }
}

/// Those of the variables that neither the task nor its caller sets.
pub(crate) fn thread_variables(inherited: &[String], task: &Task, threads: usize) -> Arc<[String]> {
    let is_set = |name: &str| {
        let inherited = inherited.iter().filter_map(|entry| entry.split_once('='));
        task.env.contains_key(name) || inherited.into_iter().any(|(known, _)| known == name)
    };
    let unset = THREAD_VARIABLES.iter().filter(|name| !is_set(name));
    unset.map(|name| format!("{name}={threads}")).collect()
}
