//! What a summary holds.

use crate::rollouts::RolloutSummary;
use crate::trial_set::TrialSet;
use fairtrial_journal::OutcomeCounts;
use fairtrial_model::{Direction, Outcome, Params, Stamp, without_case};
use fairtrial_stats::{Interval, descriptive};
use fairtrial_text::count::counted;
use serde::Serialize;
use std::collections::BTreeSet;

/// Version of the summary's JSON form.
pub const SUMMARY_SCHEMA: u32 = 1;

/// How values that are not there are treated, in words; shown under every summary.
pub const MISSING_RULE: &str = "Mean, sd, min, median and max are over the trials that ended ok with a finite value. \
Trials that failed, timed out or ran out of memory, and values that are absent, NaN or infinite, are counted beside \
them and not averaged; the worst-case mean counts each of these as the worst value. infra, cancelled and skipped \
trials say nothing about the arm and are in neither.";

/// A whole run, summarised.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunSummary {
    /// [`SUMMARY_SCHEMA`].
    pub schema: u32,
    /// Which run; absent where the records did not come from one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<RunName>,
    /// Trials that the plan has, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub planned: Option<u64>,
    /// Whether its records are another tool's: then there is nothing to run again, and no spec to declare metrics in.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub imported: bool,
    /// How the trials ended, over all cells.
    pub outcomes: OutcomeCounts,
    /// One minus the confidence of the intervals.
    pub alpha: f64,
    /// [`MISSING_RULE`].
    pub missing_rule: &'static str,
    /// The metrics, declared ones first and in the user's order.
    pub metrics: Vec<MetricInfo>,
    /// Task × arm × point.
    pub cells: Vec<Cell>,
    /// Cells that were left out here, see [`RunSummary::cut_to`].
    #[serde(skip_serializing_if = "is_zero")]
    pub left_out: usize,
    /// The rollouts of agent tasks, where there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rollouts: Option<RolloutSummary>,
    /// What is wrong with the run's files, where something is.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
}

impl RunSummary {
    /// Leaves out all but so many cells, for who shows a row of each: first those in which nothing failed. What is said over
    /// all cells stays as it is.
    pub fn cut_to(&mut self, cells: usize) {
        if self.cells.len() <= cells {
            return;
        }
        let (failed, well): (Vec<usize>, Vec<usize>) = (0..self.cells.len()).partition(|place| {
            let outcomes = &self.cells[*place].outcomes;
            outcomes.get(Outcome::Ok) < outcomes.total()
        });
        let kept: BTreeSet<usize> = failed.into_iter().chain(well).take(cells).collect();
        self.left_out += self.cells.len() - kept.len();
        let mut places = 0..;
        self.cells
            .retain(|_| places.next().is_some_and(|place| kept.contains(&place)));
    }
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde calls it with a reference"
)]
const fn is_zero(left_out: &usize) -> bool {
    *left_out == 0
}

/// The name of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RunName {
    /// The benchmark.
    pub name: String,
    /// The second that names the run.
    pub stamp: Stamp,
}

/// A metric, as far as tables need to know it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MetricInfo {
    /// Its name.
    pub name: String,
    /// Whether the spec declares it.
    pub declared: bool,
    /// Which way is better.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub direction: Option<Direction>,
    /// Unit for display.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// Decimals for display.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub precision: Option<u8>,
    /// Whether every value in the run is 0 or 1, so that means are shares.
    pub binary: bool,
    /// Whether it is a duration, which is never below zero.
    #[serde(skip)]
    pub timing: bool,
}

impl MetricInfo {
    /// The name without its case, and the case: many settings inside one iteration share their metrics.
    pub fn without_case(&self) -> (&str, Option<&str>) {
        without_case(&self.name)
    }

    /// Whether it is another metric under one of its cases.
    pub fn is_case_of(&self, other: &Self) -> bool {
        matches!(self.without_case(), (name, Some(_)) if name == other.name)
    }
}

/// One task × arm × point.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Cell {
    /// The task.
    pub task: String,
    /// The arm; absent where the spec compares nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arm: Option<String>,
    /// The sweep point.
    #[serde(skip_serializing_if = "Params::is_empty")]
    pub point: Params,
    /// Its trials, by index in the run.
    pub trials: TrialSet,
    /// Different seeds among them.
    pub seeds: usize,
    /// How they ended.
    pub outcomes: OutcomeCounts,
    /// Wall seconds of the trials that ended ok.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wall: Option<Numbers>,
    /// The metrics that this task reports.
    pub metrics: Vec<MetricCell>,
}

/// Location and spread of some values.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Numbers {
    /// Arithmetic mean.
    pub mean: f64,
    /// Sample standard deviation; from two values on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sd: Option<f64>,
    /// Smallest value.
    pub min: f64,
    /// Median.
    pub median: f64,
    /// Largest value.
    pub max: f64,
}

impl Numbers {
    /// Mean, spread, extremes; nothing where there are no values.
    pub(crate) fn of(values: &[f64]) -> Option<Self> {
        let summary = descriptive::describe(values).ok()?;
        Some(Self {
            mean: summary.mean,
            sd: summary.sd,
            min: summary.min,
            median: summary.median,
            max: summary.max,
        })
    }
}

/// One metric in one cell.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MetricCell {
    /// The metric.
    pub metric: String,
    /// Values behind the numbers.
    pub n: usize,
    /// Trials of this arm that have no usable value.
    pub missing: Missing,
    /// The numbers, failures left out; absent where there is no value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub numbers: Option<Numbers>,
    /// The interval of the mean.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<MeanRange>,
    /// Why there is no interval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_interval: Option<String>,
    /// The iterations inside the trials, where they are kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iterations: Option<IterationNumbers>,
    /// The mean with every missing value counted as the worst one; absent where none is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worst_case: Option<WorstCase>,
}

/// The iterations inside the trials of a cell, all together.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct IterationNumbers {
    /// How many have a finite value.
    pub n: usize,
    /// Median.
    pub median: f64,
    /// The value that 95 % of them do not exceed.
    pub p95: f64,
    /// Smallest value.
    pub min: f64,
    /// Largest value.
    pub max: f64,
    /// Of one trial alone, the interval of its mean over iterations: how processes differ is not in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<MeanRange>,
}

/// How many trials gave no usable value, by reason. All of them are charged to the arm.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Missing {
    /// Ended failed, timeout or oom.
    pub failed: usize,
    /// Ended ok without reporting it.
    pub absent: usize,
    /// Reported NaN.
    pub nan: usize,
    /// Reported an infinity.
    pub infinite: usize,
}

impl Missing {
    /// All together.
    pub fn total(&self) -> usize {
        self.failed + self.absent + self.nan + self.infinite
    }
}

/// An interval of a mean and what it rests on.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MeanRange {
    /// The interval.
    pub interval: Interval,
    /// How it was made.
    pub method: String,
    /// What was counted as one independent observation.
    pub unit: Unit,
    /// How many of them there are.
    pub units: usize,
}

/// What counts as one independent observation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// Each trial has its own seed.
    Seed,
    /// All trials are repetitions under one seed.
    Rollout,
    /// An iteration inside one trial.
    Iteration,
}

impl Unit {
    /// The word for this many of them.
    pub fn counted(self, n: usize) -> String {
        let word = match self {
            Self::Seed => "seed",
            Self::Rollout => "rollout",
            Self::Iteration => "iteration",
        };
        counted(n, word)
    }
}

/// The mean if every missing value had been the worst one.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum WorstCase {
    /// It can be given.
    Mean {
        /// The mean.
        mean: f64,
        /// The value that stood in.
        value: f64,
        /// For how many trials.
        counted: usize,
    },
    /// It cannot be given.
    Unknown {
        /// Why.
        why: &'static str,
    },
}
