//! Tasks that the numbers say nothing about, though they are about the metric.

use crate::compare::data::unit::UnitKind;
use crate::compare::method::choose::Case;
use crate::compare::objections::objection::{Objection, ObjectionKind};
use fairtrial_model::Outcome;

/// The tasks, unless there are no others: then another objection says what is missing.
pub(crate) fn find(case: &Case) -> Option<Objection> {
    let tasks = tasks(case);
    let objects = !tasks.is_empty() && case.units.has_sample();
    objects.then(|| Objection::noted(ObjectionKind::TasksLeftOut { tasks }))
}

/// Those of which neither complete pairs nor values of both sides are there.
///
/// A task whose trials ended ok without the metric is about another one. Where tasks are pairs, those with one side are
/// named among the pairs already.
fn tasks(case: &Case) -> Vec<String> {
    let used = case.units.used_tasks();
    let mut reporting = vec![false; used.len()];
    let mut about_another = vec![false; used.len()];
    for trial in case.trials.all() {
        reporting[trial.task as usize] |= trial.value.is_some();
        about_another[trial.task as usize] |= trial.value.is_none() && trial.outcome == Outcome::Ok;
    }
    let named_as_pairs = case.units.paired && case.units.kind == UnitKind::Task;
    let is_left_out = |task: &usize| {
        !used[*task]
            && if reporting[*task] {
                !named_as_pairs
            } else {
                !about_another[*task]
            }
    };
    let left_out = (0..used.len()).filter(is_left_out);
    left_out
        .map(|task| case.units.task_names[task].clone())
        .collect()
}
