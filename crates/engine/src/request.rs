//! What the caller asks for and what it gets back.

use crate::code::since::{CodeChange, OtherCode};
use crate::events::StopReason;
use fairtrial_journal::{DataRoot, OutcomeCounts, RunDir, RunStatus};
use fairtrial_model::{Record, UtcTime};
use fairtrial_plan::Plan;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

/// Decides when a run has its answer before all its trials are done.
pub trait StopRule: Send {
    /// Hears of the run whose records it will see, and whether code that changed in it is accepted.
    fn begins(&mut self, _run: &RunDir, _other: OtherCode) {}

    /// Sees a durable record (of an earlier session too, in index order, before anything starts). A reason ends the
    /// run: what is in flight finishes, nothing more is started.
    fn settled(&mut self, record: &Record) -> Option<String>;
}

/// One run to do.
pub struct RunRequest {
    /// Where runs are kept.
    pub root: DataRoot,
    /// What to run.
    pub plan: Arc<Plan>,
    /// The spec's text, byte for byte, and its file's extension.
    pub spec_text: Vec<u8>,
    /// The extension.
    pub spec_extension: String,
    /// `--set` arguments, for the record.
    pub set: Vec<String>,
    /// The `--only` filter, for the record.
    pub only: Option<String>,
    /// The registered plan beside the spec, byte for byte.
    pub registration: Option<Vec<u8>>,
    /// Slots.
    pub slots: usize,
    /// Trials or jobs at the same time, where the user said how many.
    pub parallel: Option<usize>,
    /// Mean seconds of a trial in an earlier run, for packing.
    pub expected_s: Option<f64>,
    /// Whether to wait for a scheduler.
    pub stay: Stay,
    /// Begin or go on.
    pub start: Start,
    /// This very binary, from which launchers are started.
    pub program: PathBuf,
    /// Version for the record.
    pub version: String,
    /// The caller's environment, from which trials inherit.
    pub environment: Vec<(String, String)>,
    /// The clock for records.
    pub now: fn() -> UtcTime,
    /// What the user accepted of records that ran other code than today's; without it they are not taken over.
    pub accepted_code: Option<CodeChange>,
    /// What to tell of each trial.
    pub verbosity: Verbosity,
    /// When to stop before all is done.
    pub stop: Option<Mutex<Box<dyn StopRule>>>,
}

/// Whether a run begins or goes on.
#[derive(Debug, Clone)]
pub enum Start {
    /// A new run.
    New {
        /// An earlier run whose records are taken over where a trial is the same.
        reuse: Option<RunDir>,
        /// What becomes of trials whose outputs are there.
        outputs: Outputs,
    },
    /// Go on with this one: every trial without an answer is tried again.
    Resume(RunDir),
    /// Go on with this one, which was left with a scheduler, as if its controller had not left.
    Attend(RunDir),
}

/// Whether a controller waits for trials that are with a scheduler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stay {
    /// Until every trial has its answer.
    UntilDone,
    /// Takes what is there, hands out what is ready, and leaves.
    Leave,
}

/// What becomes of a trial whose outputs an earlier run made and nobody changed since.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Outputs {
    /// The earlier record answers it.
    #[default]
    Keep,
    /// It is run again.
    MakeAgain,
}

/// What is told of each trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verbosity {
    /// Its end.
    Ends,
    /// Its start too.
    Starts,
    /// And its output as it comes.
    Output,
}

/// How a run ended.
#[derive(Debug, Clone)]
pub struct RunReport {
    /// Its directory.
    pub run: RunDir,
    /// Effective outcomes.
    pub counts: OutcomeCounts,
    /// Trials in the plan.
    pub trials: u64,
    /// Trials that this session ran or skipped.
    pub ran: u64,
    /// Trials that had their answer before.
    pub kept: u64,
    /// How the session ended.
    pub status: RunStatus,
    /// Why it stopped early, where it did.
    pub stopped: Option<StopReason>,
}
