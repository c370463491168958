//! One run's curve.

use super::behind::RunBehind;
use fairtrial_model::{MetricDeclaration, Outcome};
use fairtrial_series::CurveSeries;
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
    /// Its points in the order of the log, in the unit that the metric's numbers are kept in.
    pub series: CurveSeries,
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
    /// A curve of which nothing else is known.
    pub fn of(id: impl Into<String>, series: CurveSeries) -> Self {
        Self {
            id: id.into(),
            task: None,
            point: None,
            arm: None,
            seed: None,
            rollout: None,
            rollouts: Vec::new(),
            place: None,
            outcome: Outcome::Ok,
            notes: series.notes().to_vec(),
            series,
            declaration: None,
            recorded: None,
            run: None,
        }
    }

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
