//! Tasks that the numbers say nothing about, though they are about the metric.

use super::case::Case;
use super::units::UnitKind;
use fairtrial_model::Outcome;

/// Those of which neither complete pairs nor values of both sides are there.
///
/// A task whose trials ended ok without the metric is about another one. Where tasks are pairs, those with one side are
/// named among the pairs already.
pub(super) fn tasks(case: &Case) -> Vec<String> {
    let used = case.units.used_tasks();
    let mut reporting = vec![false; used.len()];
    let mut about_another = vec![false; used.len()];
    for row in case.rows.control.iter().chain(&case.rows.candidate) {
        reporting[row.task as usize] |= row.value.is_some();
        about_another[row.task as usize] |= row.value.is_none() && row.outcome == Outcome::Ok;
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
