//! The primary metric by task and arm, and where arms flip: which task the one solves and the other does not.

use super::evidence::Evidence;
use crate::order;
use crate::rollouts::{Flips, RolloutSummary};
use crate::validity::SCORE;
use fairtrial_model::{Direction, Outcome, Record};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// Tasks and arms that a picture has room for.
const MOST_TASKS: usize = 40;
const MOST_ARMS: usize = 12;

/// Means by task and arm.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TaskGrid {
    /// The metric.
    pub metric: String,
    /// Its unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// Which way is better, where that was said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub direction: Option<Direction>,
    /// Whether a failed trial counts as 0; it is left out of its mean where it does not.
    pub failed_as_zero: bool,
    /// The arms, in the order of the spec.
    pub arms: Vec<String>,
    /// The tasks, in the order of the spec; of many, those in which arms differ most.
    pub tasks: Vec<TaskRow>,
    /// Arms that there are beyond these.
    pub more_arms: usize,
    /// Tasks that there are beyond these.
    pub more_tasks: usize,
}

/// One task.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TaskRow {
    /// Its name.
    pub task: String,
    /// One per arm.
    pub cells: Vec<TaskCell>,
}

/// One arm on one task.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct TaskCell {
    /// The mean of its values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean: Option<f64>,
    /// Trials in it.
    pub n: usize,
    /// Trials that failed.
    pub failed: usize,
    /// Whether the arm solves more or fewer rollouts of it than the control.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flip: Option<Flip>,
}

/// How an arm stands to the control on a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Flip {
    /// It solves more rollouts.
    Gained,
    /// It solves fewer.
    Lost,
}

/// The means by task and arm, of a run with several of both and no sweep.
pub(super) fn grid(evidence: &Evidence<'_>, rollouts: Option<&RolloutSummary>) -> Option<TaskGrid> {
    let spec = evidence.spec;
    let metric = spec.primary_metric()?;
    let named = |record: &Record| Some((record.trial.task.clone(), record.trial.arm.clone()?));
    let with_arm: Vec<((String, String), &Record)> = evidence
        .records
        .iter()
        .filter_map(|record| Some((named(record)?, record)))
        .collect();
    let mut tasks: Vec<String> = set(with_arm.iter().map(|((task, _), _)| task));
    let mut arms: Vec<String> = set(with_arm.iter().map(|((_, arm), _)| arm));
    if tasks.len() < 2 || arms.len() < 2 || spec.is_swept() {
        return None;
    }
    let listed = order::Listed::of(spec.tasks.iter().map(|task| &task.id));
    tasks.sort_by(|a, b| listed.cmp(a, b));
    let listed = order::Listed::of(&evidence.data.arm_order);
    arms.sort_by(|a, b| listed.cmp(a, b));
    let more_arms = arms.len().saturating_sub(MOST_ARMS);
    arms.truncate(MOST_ARMS);
    let failed_as_zero = rollouts.is_some() && metric == SCORE;
    let mut sums: BTreeMap<&(String, String), Sum> = BTreeMap::new();
    for (place, record) in &with_arm {
        sums.entry(place).or_default().add(record, metric);
    }
    let flips = rollouts.map_or(&[][..], |found| &found.flips);
    let cell = |task: &String, arm: &String| {
        let sum = sums.get(&(task.clone(), arm.clone()));
        sum.map_or_else(TaskCell::default, |sum| TaskCell {
            flip: flip(flips, task, arm),
            ..sum.cell(failed_as_zero)
        })
    };
    let mut rows: Vec<TaskRow> = tasks
        .iter()
        .map(|task| TaskRow {
            task: task.clone(),
            cells: arms.iter().map(|arm| cell(task, arm)).collect(),
        })
        .collect();
    let all = rows.len();
    keep_widest(&mut rows);
    let declared = evidence.data.declaration(metric);
    let any = rows.iter().flat_map(|row| &row.cells);
    any.clone()
        .any(|cell| cell.mean.is_some())
        .then(|| TaskGrid {
            metric: metric.to_owned(),
            unit: declared.as_ref().and_then(|found| found.unit.clone()),
            direction: declared.and_then(|found| found.direction),
            failed_as_zero,
            arms,
            more_arms,
            more_tasks: all - rows.len(),
            tasks: rows.clone(),
        })
}

/// What is known of one arm on one task.
#[derive(Default)]
struct Sum {
    total: f64,
    values: usize,
    trials: usize,
    failed: usize,
}

impl Sum {
    fn add(&mut self, record: &Record, metric: &str) {
        self.trials += 1;
        let value = record.metrics.get(metric).map(|value| value.0);
        match value.filter(|value| value.is_finite()) {
            Some(value) if record.outcome == Outcome::Ok => {
                self.total += value;
                self.values += 1;
            }
            _ => self.failed += usize::from(record.outcome.is_arm_failure()),
        }
    }

    fn cell(&self, failed_as_zero: bool) -> TaskCell {
        let counted = self.values + if failed_as_zero { self.failed } else { 0 };
        TaskCell {
            mean: (counted > 0).then(|| self.total / counted as f64),
            n: self.trials,
            failed: self.failed,
            flip: None,
        }
    }
}

fn flip(flips: &[Flips], task: &String, arm: &str) -> Option<Flip> {
    let of = flips.iter().find(|of| of.candidate == arm)?;
    if of.gained.contains(task) {
        Some(Flip::Gained)
    } else {
        of.lost.contains(task).then_some(Flip::Lost)
    }
}

/// Keeps the tasks in which arms differ most, in their order.
fn keep_widest(rows: &mut Vec<TaskRow>) {
    if rows.len() <= MOST_TASKS {
        return;
    }
    let spread = |row: &TaskRow| {
        let means = || row.cells.iter().filter_map(|cell| cell.mean);
        let (low, high) = (
            means().fold(f64::INFINITY, f64::min),
            means().fold(f64::NEG_INFINITY, f64::max),
        );
        if low <= high { high - low } else { -1.0 }
    };
    let mut spreads: Vec<f64> = rows.iter().map(spread).collect();
    spreads.sort_by(|a, b| b.total_cmp(a));
    let least = spreads[MOST_TASKS - 1];
    // Of those that are as wide as the last one, the first.
    let mut room = MOST_TASKS - spreads.iter().filter(|of| **of > least).count();
    rows.retain(|row| {
        let own = spread(row);
        let fits = own > least || (own == least && room > 0);
        room -= usize::from(own == least && room > 0);
        fits
    });
}

/// Each once.
fn set<'a>(of: impl Iterator<Item = &'a String>) -> Vec<String> {
    let all: BTreeSet<&String> = of.collect();
    all.into_iter().cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::{MOST_TASKS, TaskCell, TaskRow, keep_widest};

    #[test]
    fn of_many_tasks_those_stay_in_which_arms_differ() {
        let row = |place: usize, gap: f64| TaskRow {
            task: place.to_string(),
            cells: [0.0, gap]
                .map(|mean| TaskCell {
                    mean: Some(mean),
                    ..TaskCell::default()
                })
                .into(),
        };
        let mut rows: Vec<TaskRow> = (0..60)
            .map(|place| row(place, if place >= 55 { 0.5 } else { 0.0 }))
            .collect();
        keep_widest(&mut rows);
        let names: Vec<&str> = rows.iter().map(|row| row.task.as_str()).collect();
        assert_eq!(names.len(), MOST_TASKS);
        assert_eq!(names[..2], ["0", "1"]);
        assert_eq!(names[MOST_TASKS - 5..], ["55", "56", "57", "58", "59"]);
    }
}
