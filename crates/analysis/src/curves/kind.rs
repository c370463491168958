//! Whether runs are repetitions of each other: of one arm, one task and one point, each given once.

use super::history::History;
use crate::error::AnalysisError;
use fairtrial_spec::filter_word;
use fairtrial_text::shell_word::shell_word;
use std::collections::HashSet;

/// Arms, tasks or points that a refusal names.
const MOST_NAMED: usize = 5;

/// Refuses runs that are no repetitions of each other: arms, tasks or points that differ spread by that alone, and runs
/// of one seed in several of them are not independent.
pub(crate) fn one_kind(runs: &[History]) -> Result<(), AnalysisError> {
    let arms = several(runs, |run| run.arm.as_deref());
    if let [first, _, ..] = arms[..] {
        let how = format!("name the runs of one arm, as NAME:{first}");
        return Err(unlike("arms", &arms, &how));
    }
    // Trials come in the plan's order, which is drawn.
    let mut tasks = several(runs, |run| run.task.as_deref());
    tasks.sort_unstable();
    if let [first, _, ..] = tasks[..] {
        let task = format!("task={}", filter_word(first));
        let how = format!("choose one, as --only {}", shell_word(&task));
        return Err(unlike("tasks", &tasks, &how));
    }
    let mut points = several(runs, |run| run.point.as_deref());
    points.sort_unstable();
    match points[..] {
        [first, _, ..] => {
            let how = format!("choose one, as --only {}", shell_word(first));
            Err(unlike("points", &points, &how))
        }
        _ => Ok(()),
    }
}

/// Every different name, in the order in which they come.
fn several(runs: &[History], of: fn(&History) -> Option<&str>) -> Vec<&str> {
    let mut found: Vec<&str> = Vec::new();
    for name in runs.iter().filter_map(of) {
        if !found.contains(&name) {
            found.push(name);
        }
    }
    found
}

fn unlike(what: &str, names: &[&str], how: &str) -> AnalysisError {
    let mut shown: Vec<&str> = names.iter().take(MOST_NAMED).copied().collect();
    if names.len() > MOST_NAMED {
        shown.push("...");
    }
    // A point may itself be a list.
    let between = if what == "points" { "; " } else { ", " };
    AnalysisError::Question(format!(
        "these runs are of {} {what} ({}), and runs of different {what} are no repetitions of each other; {how}",
        names.len(),
        shown.join(between)
    ))
}

/// Refuses one run twice: it would count as two independent ones.
pub(crate) fn given_once(runs: &[History]) -> Result<(), AnalysisError> {
    let (mut ids, mut places) = (HashSet::new(), HashSet::new());
    for run in runs {
        let place = run.place.as_ref();
        if !ids.insert(&run.id) || place.is_some_and(|place| !places.insert(place)) {
            return Err(AnalysisError::Question(format!(
                "the run `{}` is given twice",
                run.id
            )));
        }
    }
    Ok(())
}
