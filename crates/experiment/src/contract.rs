//! The contract between an experiment and the worker that runs it.

use serde_json::{Map, Value};
use std::path::PathBuf;

/// What one iteration measured: numbers, and whatever else should stand in the result file. Numbers inside tables
/// count too, under their path (`raw.write_heavy`).
pub type Metrics = Map<String, Value>;

/// Why an experiment could not go on.
pub type Failure = Box<dyn std::error::Error + Send + Sync>;

/// A registered experiment.
pub trait Experiment {
    /// Makes ready, once.
    fn setup(&mut self, context: &mut Context) -> Result<(), Failure> {
        let _ = context;
        Ok(())
    }

    /// Does the work once. The clock runs around this call and around nothing else.
    fn execute_once(&mut self, context: &mut Context) -> Result<Metrics, Failure>;

    /// Cleans up; called once, also after a failure of the other two.
    fn teardown(&mut self, context: &mut Context) -> Result<(), Failure> {
        let _ = context;
        Ok(())
    }

    /// Versions of what the numbers depend on, by name; asked after `setup`.
    fn versions(&self) -> Vec<(String, String)> {
        Vec::new()
    }
}

/// What an iteration is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Executed and not measured.
    Warmup,
    /// Measured.
    Measured,
    /// Executed under a profiler, after the measured ones and not counted among them.
    Profiled,
}

/// The trial that an experiment runs in.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Place {
    /// The run's stamp.
    pub run: String,
    /// The trial's name.
    pub trial: String,
    /// The trial's own directory.
    pub dir: PathBuf,
    /// The seed.
    pub seed: u64,
}

/// A file that an experiment leaves.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Artifact {
    /// Its name.
    pub name: String,
    /// What it is: `json`, `jsonl`, `profile`, `svg`, `text`, ...
    #[serde(rename = "type")]
    pub kind: String,
    /// Where it lies; relative to the trial's directory where possible.
    pub path: String,
}

/// What an experiment is told, and how it tells things besides its metrics.
#[derive(Debug, Default)]
pub struct Context {
    /// The trial.
    pub place: Place,
    /// Number of the measured iteration, from 0; absent in setup, warm-ups and teardown.
    pub iteration: Option<u64>,
    /// Names of the instruments that observe the trial.
    pub instruments: Vec<String>,
    pub(crate) logs: Vec<String>,
    pub(crate) artifacts: Vec<Artifact>,
}

impl Context {
    /// The seed.
    pub fn seed(&self) -> u64 {
        self.place.seed
    }

    /// Says something for the trial's log. It is sent after the clock has been read.
    pub fn log(&mut self, text: impl Into<String>) {
        self.logs.push(text.into());
    }

    /// Names a file that the experiment has written.
    pub fn artifact(&mut self, artifact: Artifact) {
        self.artifacts.push(artifact);
    }
}
