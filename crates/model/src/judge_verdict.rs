//! What one judge said about a rollout, as the fact of a record that holds all of them as JSON.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The fact with what each judge said: a JSON list of [`JudgeVerdict`].
pub const JUDGES_FACT: &str = "judges";

/// What one judge said.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct JudgeVerdict {
    /// Its name: the model, with a number where it is asked more than once.
    pub judge: String,
    /// The weighted mean of its scores; absent where all weights are 0.
    pub score: Option<f64>,
    /// Tokens that it took.
    #[serde(default)]
    pub tokens: u64,
    /// Dollars, where they are known.
    #[serde(default)]
    pub cost_usd: Option<f64>,
    /// Its score of each rubric.
    pub scores: BTreeMap<String, f64>,
}
