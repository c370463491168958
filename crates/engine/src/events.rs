//! What happens in a run, for whoever shows it.

use fairtrial_journal::{OutcomeCounts, RunDir, RunState};
use fairtrial_model::{Cause, Outcome, TrialKey};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

/// Something a person may want to see.
#[derive(Debug, Clone)]
pub enum RunEvent {
    /// The run is ready to start trials.
    Opened {
        /// The run's directory.
        dir: PathBuf,
        /// Trials in the plan.
        trials: u64,
        /// Trials that have their answer from before.
        done: u64,
        /// Trials that are still to be started.
        due: u64,
        /// Slots on this machine; absent where a scheduler places.
        slots: Option<usize>,
    },
    /// A trial was started.
    Started {
        /// The slot.
        slot: usize,
        /// The trial.
        key: TrialKey,
        /// Which attempt.
        attempt: u32,
        /// The attempt's name.
        name: String,
    },
    /// A trial wrote something.
    Output {
        /// The attempt's name.
        name: String,
        /// Whether to standard error.
        stderr: bool,
        /// What.
        bytes: Vec<u8>,
    },
    /// A scheduler took trials.
    Submitted {
        /// The scheduler and its version.
        engine: String,
        /// What it calls them.
        handle: String,
        /// Jobs.
        jobs: u64,
        /// Trials in them.
        trials: u64,
    },
    /// What a scheduler says of the open jobs: how many are in which state.
    Jobs(Vec<JobGroup>),
    /// Records of trials became durable, these together.
    Ended(Vec<Ending>),
    /// The run will start no more trials.
    Stopping(StopReason),
    /// The journal of this run is complete; the views are made from it now.
    Closed(RunDir, Arc<RunState>),
    /// Something to know, in good order.
    Note(String),
    /// Something to know.
    Warning(String),
}

/// Open jobs of which a scheduler says the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobGroup {
    /// Their state, in a word.
    pub state: String,
    /// Why they do not run, where the scheduler says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What it calls them.
    pub jobs: Vec<String>,
}

/// The end of one attempt.
#[derive(Debug, Clone)]
pub struct Ending {
    /// The trial.
    pub index: u64,
    /// The attempt's name.
    pub name: String,
    /// How it ended.
    pub outcome: Outcome,
    /// Why.
    pub cause: Option<Cause>,
    /// Wall seconds.
    pub wall: Option<f64>,
    /// The metric that decides, where the trial reported it.
    pub value: Option<f64>,
    /// Whether another attempt follows.
    pub retried: bool,
    /// Effective outcomes so far.
    pub counts: OutcomeCounts,
}

/// A cap of the whole run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cap {
    /// Wall time.
    Time,
    /// Attempts begun.
    Trials,
    /// Money.
    Cost,
    /// Tokens of models.
    Tokens,
}

impl Cap {
    /// Its key in `[budget]`, by which the user is told of it.
    pub fn key(self) -> &'static str {
        match self {
            Self::Time => "time",
            Self::Trials => "trials",
            Self::Cost => "cost",
            Self::Tokens => "tokens",
        }
    }
}

/// Why a run starts no more trials.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StopReason {
    /// The user asked once: what runs may finish.
    Drain,
    /// The controller leaves; the scheduler goes on.
    Detach,
    /// The user asked before anything was with the scheduler.
    Unsubmitted,
    /// The user asked again, or from another terminal: what runs is ended.
    Cancel,
    /// A budget is spent.
    Budget(Cap),
    /// The stopping rule has its answer.
    Decided(String),
    /// Records cannot be written.
    Broken(String),
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Drain | Self::Unsubmitted => f.write_str("interrupted"),
            Self::Detach => f.write_str("detached"),
            Self::Cancel => f.write_str("cancelled"),
            Self::Budget(cap) => write!(f, "{} budget spent", cap.key()),
            Self::Decided(why) => write!(f, "stopped by its rule: {why}"),
            Self::Broken(error) => f.write_str(error),
        }
    }
}
