//! What the analysis compares, and when it may stop a run.

use fairtrial_model::Method;
use serde::{Deserialize, Serialize};

/// What the analysis compares.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Analysis {
    /// The control arm; default: the arm named `control`, else the first.
    pub control: Option<String>,
    /// The primary metric.
    pub metric: Option<String>,
    /// Two-sided error rate, as it was written; [`Analysis::alpha`] is the one that counts.
    pub alpha: Option<f64>,
    /// The stopping rule.
    pub stop: Option<StopRule>,
    /// Fresh seeds on which the best point of a sweep is run again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirm: Option<u32>,
    /// The share of a side's trials that must count for a verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid: Option<f64>,
    /// How intervals are made, where a metric does not say it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<Method>,
}

/// The error rate of whoever does not name one.
pub const DEFAULT_ALPHA: f64 = 0.05;

impl Analysis {
    /// The two-sided error rate.
    pub fn alpha(&self) -> f64 {
        self.alpha.unwrap_or(DEFAULT_ALPHA)
    }
}

/// When a sequential run ends early.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StopRule {
    /// What to wait for; only `decided` so far.
    pub when: String,
    /// Pairs before the first look.
    pub min: u32,
    /// Pairs at most.
    pub max: u32,
    /// Each look is at this many times the pairs of the one before; absent means after every pair.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub growth: Option<f64>,
}
