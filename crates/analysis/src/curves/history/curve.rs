//! One run's curve, and the points it is made of.

use super::behind::RunBehind;
use fairtrial_model::{MetricDeclaration, Outcome};
use std::path::PathBuf;
use std::sync::Arc;

/// What a trial's record made of a series.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedNumber {
    /// The number.
    pub value: f64,
    /// How it was made (`last`, `auc 25%`).
    pub summary: String,
}

/// One run's curve.
#[derive(Debug, Clone, PartialEq)]
pub struct History {
    /// The run, as reports name it.
    pub id: String,
    /// Its task, where that is recorded.
    pub task: Option<String>,
    /// Its point of a sweep, where that is recorded; empty where nothing is swept.
    pub point: Option<String>,
    /// Its arm, where that is recorded.
    pub arm: Option<String>,
    /// Its seed, where that is recorded.
    pub seed: Option<u64>,
    /// Which repetition under its seed it is, where that is recorded.
    pub rollout: Option<u32>,
    /// Further rollouts of the same seed: together they are one run, whose number is the mean of theirs.
    pub rollouts: Vec<History>,
    /// The file or folder that it was read from, and the run in a table of several: the same for every way to write it.
    pub place: Option<(PathBuf, Option<String>)>,
    /// How it ended; a plain file says nothing else than `ok`.
    pub outcome: Outcome,
    /// Steps in the order of the log.
    pub steps: Vec<f64>,
    /// Values in the order of the log; NaN where one was logged.
    pub values: Vec<f64>,
    /// How its spec declares the metric.
    pub declaration: Option<MetricDeclaration>,
    /// The number that its record made of the series, and how; absent for histories of other tools.
    pub recorded: Option<RecordedNumber>,
    /// The run of ours that it is a trial of.
    pub run: Option<Arc<RunBehind>>,
    /// What a reader should know about the reading.
    pub notes: Vec<String>,
}

impl History {
    /// The curve of every rollout.
    pub(crate) fn curves(&self) -> impl Iterator<Item = &Self> {
        std::iter::once(self).chain(&self.rollouts)
    }

    /// Whether both are rollouts of one seed.
    pub(crate) fn shares_seed(&self, other: &Self) -> bool {
        let recorded = self.rollout.is_some() && other.rollout.is_some() && self.seed.is_some();
        recorded && self.seed == other.seed && self.arm == other.arm
    }
}

/// Points of one metric, before it is known whose they are.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Points {
    pub(super) steps: Vec<f64>,
    pub(super) values: Vec<f64>,
    pub(super) notes: Vec<String>,
}

impl Points {
    /// One number, which is no curve.
    pub(super) fn single(value: f64) -> Self {
        Self {
            steps: vec![0.0],
            values: vec![value],
            notes: vec!["one number and no curve; `fairtrial compare` works on those".to_owned()],
        }
    }

    /// From rows of (step, value): their steps where any has one, else the rows' numbers.
    pub(super) fn from_rows(rows: Vec<(Option<f64>, f64)>) -> Self {
        let stepped = rows.iter().any(|(step, _)| step.is_some());
        let mut points = Self::default();
        for (number, (step, value)) in rows.into_iter().enumerate() {
            // A value without a step among values with one is a final value, not a point.
            let Some(step) = (if stepped { step } else { Some(number as f64) }) else {
                continue;
            };
            points.steps.push(step);
            points.values.push(value);
        }
        if let (false, [value]) = (stepped, points.values.as_slice()) {
            return Self::single(*value);
        }
        if !stepped && !points.values.is_empty() {
            let note = "no step column: the rows are numbered in their order";
            points.notes.push(note.to_owned());
        }
        points
    }
}

#[cfg(test)]
mod tests {
    use super::Points;

    #[test]
    fn rows_without_any_step_are_numbered_and_final_values_are_no_points() {
        let numbered = Points::from_rows(vec![(None, 5.0), (None, 6.0)]);
        assert_eq!(numbered.steps, [0.0, 1.0]);
        assert_eq!(numbered.notes.len(), 1);
        let stepped = Points::from_rows(vec![(Some(3.0), 5.0), (None, 9.0)]);
        assert_eq!(stepped.values, [5.0]);
        assert!(stepped.notes.is_empty());
    }
}
