//! What a stratified bootstrap needs to know beside the scores.

use serde::Serialize;

use super::metric::Metric;
use crate::bootstrap::check_resamples;
use crate::{Level, Outcome};

/// Whether a task's deviations are stretched to make up for its few runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Correction {
    /// By sqrt(N / (N - 1)): the interval covers what it says at 3 to 10 runs.
    Stretched,
    /// None, as rliable does: covers about 87 % at 3 runs and 91 % at 5 where it says 95 %.
    None,
}

/// What a stratified bootstrap needs to know beside the scores.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SuitePlan {
    /// The metric.
    pub metric: Metric,
    /// The small-sample correction.
    pub correction: Correction,
    /// The level; percentile ends.
    pub level: Level,
    /// How many resamples.
    pub resamples: usize,
    /// Their seed.
    pub seed: u64,
}

impl SuitePlan {
    /// Stretched, 95 %, 50,000 resamples.
    pub const fn new(metric: Metric, seed: u64) -> Self {
        Self {
            metric,
            correction: Correction::Stretched,
            level: Level::TWO_SIDED_95,
            resamples: 50_000,
            seed,
        }
    }

    pub(super) fn checked(&self) -> Outcome<()> {
        self.level.checked()?;
        check_resamples(self.resamples)
    }
}
