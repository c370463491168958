//! Caps for a whole run.

use serde::{Deserialize, Serialize};

/// Caps for the whole run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Budget {
    /// Wall seconds of the run.
    pub wall_s: Option<f64>,
    /// Trials started.
    pub trials: Option<u64>,
    /// Money, summed over the metric named here.
    pub cost: Option<MetricBudget>,
    /// Tokens of models, summed over the metric named here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<MetricBudget>,
}

impl Budget {
    /// The metric of money where a spec names none.
    pub const COST_METRIC: &'static str = "cost_usd";
    /// The metric of tokens where a spec names none.
    pub const TOKENS_METRIC: &'static str = "tokens_total";
}

/// A cap on the sum of a metric over all attempts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MetricBudget {
    /// The cap.
    pub max: f64,
    /// The metric that carries what a trial spent.
    pub metric: String,
}
