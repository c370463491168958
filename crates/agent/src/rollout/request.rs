//! What the driver of a rollout is given: one part for all rollouts of a task, one for this rollout alone.

use crate::sandbox::caps::GivenCaps;
use fairtrial_model::{Params, TrialKey};
use fairtrial_spec::RolloutOptions;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Version of the form of [`RolloutTask`].
pub const TASK_SCHEMA: u32 = 1;

/// What all rollouts of a task share; a file that the driver reads.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RolloutTask {
    /// [`TASK_SCHEMA`].
    pub schema: u32,
    /// The baseline's folder in the cache.
    pub baseline: PathBuf,
    /// The folder for logs and locks of image builds.
    pub images: PathBuf,
    /// The prepared directory as the spec names it.
    pub prepared_dir: String,
    /// The model, where no parameter says another.
    pub model: String,
    /// Agent, sandbox, scoring.
    pub options: RolloutOptions,
    /// Names of the variables that the spec sets, which win over the task's.
    pub spec_env: Vec<String>,
    /// Seconds for the agent, where the spec says.
    pub timeout_s: Option<f64>,
    /// What its programs may use.
    #[serde(default)]
    pub caps: GivenCaps,
    /// Bytes kept of each log.
    pub log_limit: u64,
    /// The run's stamp.
    pub run: String,
    /// Where the run's gates to providers are.
    pub gates: PathBuf,
}

/// What is one rollout's own.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RolloutTrial {
    /// The attempt's name.
    pub name: String,
    /// Its directory.
    pub dir: PathBuf,
    /// Its place in the design.
    pub key: TrialKey,
    /// Which attempt, from 1.
    pub attempt: u32,
    /// All its parameters.
    pub params: Params,
    /// A file with a later form of the task, by which it is scored again; absent for the task as it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scoring: Option<PathBuf>,
}
