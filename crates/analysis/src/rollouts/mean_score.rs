//! A mean over tasks, as every part of a summary says it.

use fairtrial_stats::Interval;
use serde::Serialize;

/// A mean and its interval over tasks.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MeanScore {
    /// The mean.
    pub mean: f64,
    /// Its interval, rollouts clustered by task.
    pub interval: Option<Interval>,
    /// Why there is none.
    pub no_interval: Option<String>,
}
