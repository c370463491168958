//! What the engine hands to the driver: one file per task, and one short text per trial.

use fairtrial_experiment::{Origin, Sources};
use fairtrial_model::{Params, TrialId, TrialKey};
use fairtrial_spec::Instrument;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Version of the task's form.
pub const TASK_SCHEMA: u32 = 1;

/// What all trials of a task share.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DriveTask {
    /// [`TASK_SCHEMA`].
    pub schema: u32,
    /// The experiment's slug.
    pub experiment: String,
    /// Where it comes from.
    pub origin: Origin,
    /// The spec's sources, for the interpreter.
    pub sources: Sources,
    /// Iterations that are not measured; absent: until the times are stable.
    pub warmup: Option<u32>,
    /// Measured iterations; absent: as many as take `min_time_s`.
    pub measured: Option<u32>,
    /// About how many seconds to measure for, where `measured` is absent.
    #[serde(default)]
    pub min_time_s: Option<f64>,
    /// What observes it.
    pub instruments: Vec<Instrument>,
    /// The spec's folder.
    pub base_dir: PathBuf,
    /// Where result files go, absolute.
    pub output_dir: PathBuf,
    /// The run's stamp.
    pub run: String,
    /// The run's `environment.json`.
    pub environment: PathBuf,
    /// The data root.
    pub data_root: PathBuf,
    /// The spec's file as the user gave it.
    pub spec: String,
    /// Free tags.
    pub tags: Vec<String>,
    /// Free text.
    pub notes: String,
}

/// What one trial has of its own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DriveTrial {
    /// Its place in the design.
    pub key: TrialKey,
    /// Its identity.
    pub id: TrialId,
    /// Which attempt.
    pub attempt: u32,
    /// The attempt's name.
    pub name: String,
    /// The attempt's directory.
    pub dir: PathBuf,
    /// All parameters.
    pub params: Params,
}
