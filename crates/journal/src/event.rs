//! The events of a run, one per line of its journal.

use fairtrial_model::{Outcome, Record, Stamp, UtcTime};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// Version of the journal's form, raised when a reader of the old form would misread the new one.
pub const JOURNAL_SCHEMA: u32 = 1;

/// Something that happened in a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// The run was made; always the first line.
    Opened(Opened),
    /// A controller took the run.
    Session {
        /// Its process.
        pid: u32,
        /// Its machine.
        host: String,
        /// When.
        at: UtcTime,
        /// Whether another controller had the run before.
        resumed: bool,
        /// Whether it goes on for one that left the run with a scheduler: retries are counted on, and what ended
        /// without an answer stays so.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        attends: bool,
        /// Whether it scores what rollouts left again, and starts nothing.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        scores: bool,
    },
    /// An attempt at a trial was started.
    Started {
        /// The trial.
        index: u64,
        /// Which attempt, from 1.
        attempt: u32,
        /// When.
        at: UtcTime,
        /// Its directory, relative to the data root.
        dir: String,
    },
    /// An attempt ended; this is its record.
    Finished(Box<Record>),
    /// Something a reader of the run should know.
    Note {
        /// When.
        at: UtcTime,
        /// What.
        text: String,
    },
    /// Files of the run's folder that its answers rest on, as they were written: who verifies a run compares them. A
    /// later line counts for the files that it names.
    Files {
        /// When.
        at: UtcTime,
        /// SHA-256 by the file's name.
        sha256: BTreeMap<String, String>,
    },
    /// Metrics are read again from what trials left. The records that follow take the place of those before, which stay
    /// where they are; until `measured`, old and new ones stand side by side.
    Measuring {
        /// When.
        at: UtcTime,
        /// Who asked for it, as `user@host`.
        by: String,
        /// Hash of the plan with the metrics as they are read from now on.
        plan_hash: String,
        /// The metrics that are made differently.
        metrics: Vec<String>,
    },
    /// Every trial has its new measurement.
    Measured {
        /// When.
        at: UtcTime,
        /// How many trials were measured again.
        trials: u64,
    },
    /// The user accepted that records of other code stand beside those that follow.
    CodeAccepted {
        /// When.
        at: UtcTime,
        /// How many trials ran other code.
        trials: u64,
        /// What changed.
        names: Vec<String>,
    },
    /// The code changed while the run was running: trials that start from here on run another version.
    CodeChanged {
        /// When.
        at: UtcTime,
        /// What changed.
        names: Vec<String>,
    },
    /// Trials are about to be handed to a scheduler. The chunks are on disk; whether it took them, `submitted` says.
    Submitting {
        /// Number of the submission in this run, from 0.
        batch: u64,
        /// The engine.
        engine: String,
        /// The name by which the scheduler's jobs are found again.
        key: String,
        /// Number of its first chunk.
        first: u64,
        /// How many chunks.
        chunks: u64,
        /// When.
        at: UtcTime,
    },
    /// The scheduler took a submission.
    Submitted {
        /// Which one.
        batch: u64,
        /// What the scheduler calls it; absent where its answer was not understood.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        handle: Option<String>,
        /// When.
        at: UtcTime,
    },
    /// An `eval` came to its end: every score is of one scoring. The run may still lack trials.
    Scored {
        /// When.
        at: UtcTime,
    },
    /// A controller ended its work in good order.
    Closed {
        /// When.
        at: UtcTime,
        /// How.
        status: RunStatus,
        /// Effective outcomes at that time.
        counts: OutcomeCounts,
    },
    /// An event of a later version, which readers of this one pass over.
    #[serde(other)]
    Unknown,
}

/// What a run is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opened {
    /// [`JOURNAL_SCHEMA`] of the writer.
    pub schema: u32,
    /// The benchmark's name.
    pub name: String,
    /// The run's stamp.
    pub stamp: Stamp,
    /// The spec's path as the user gave it.
    pub config: String,
    /// Hash of the spec's text.
    pub spec_sha256: String,
    /// Hash of the plan.
    pub plan_hash: String,
    /// How many trials the plan has.
    pub trials: u64,
    /// `--set` arguments.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub set: Vec<String>,
    /// The `--only` filter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only: Option<String>,
    /// Hash of the registered plan that the run was started with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub registration_sha256: Option<String>,
    /// What it takes over from earlier runs before anything starts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub takes_over: Option<TakeOver>,
    /// Whether its records were made by another tool (`import.json` says which): it has no plan, and may grow.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub imported: bool,
    /// Slots.
    pub parallel: usize,
    /// Version of Fairtrial.
    pub version: String,
    /// When.
    pub created_at: UtcTime,
    /// On which machine.
    pub host: String,
}

/// Records that a run takes over from earlier ones. Written down before the first of them, so that a run which is cut off
/// between two of them is gone on with as it was meant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TakeOver {
    /// The run of the same name whose unchanged trials are not run again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<Stamp>,
    /// Whether trials are not run again whose outputs an earlier run made.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub outputs: bool,
}

/// How a controller ended its work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunStatus {
    /// Every trial has its answer.
    Finished,
    /// The user stopped it.
    Cancelled,
    /// A budget was spent.
    Budget,
    /// The controller could not go on.
    Error,
    /// The controller left, and the scheduler goes on with the trials.
    Detached,
}

impl RunStatus {
    /// The word used in files and tables.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Finished => "finished",
            Self::Cancelled => "cancelled",
            Self::Budget => "budget",
            Self::Error => "error",
            Self::Detached => "detached",
        }
    }

    /// The status that a word names.
    pub fn from_word(word: &str) -> Option<Self> {
        let all = [
            Self::Finished,
            Self::Cancelled,
            Self::Budget,
            Self::Error,
            Self::Detached,
        ];
        all.into_iter().find(|status| status.word() == word)
    }
}

impl fmt::Display for RunStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

/// How many trials have each effective outcome.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct OutcomeCounts {
    /// `ok`.
    pub ok: u64,
    /// `failed`.
    pub failed: u64,
    /// `timeout`.
    pub timeout: u64,
    /// `oom`.
    pub oom: u64,
    /// `infra`.
    pub infra: u64,
    /// `cancelled`.
    pub cancelled: u64,
    /// `skipped`.
    pub skipped: u64,
}

impl OutcomeCounts {
    /// The count of one outcome.
    pub fn get(&self, outcome: Outcome) -> u64 {
        match outcome {
            Outcome::Ok => self.ok,
            Outcome::Failed => self.failed,
            Outcome::Timeout => self.timeout,
            Outcome::Oom => self.oom,
            Outcome::Infra => self.infra,
            Outcome::Cancelled => self.cancelled,
            Outcome::Skipped => self.skipped,
        }
    }

    /// Sets the count of one outcome.
    pub(crate) fn set(&mut self, outcome: Outcome, count: u64) {
        *self.slot(outcome) = count;
    }

    /// One more.
    pub fn add(&mut self, outcome: Outcome) {
        *self.slot(outcome) += 1;
    }

    /// One less.
    pub fn remove(&mut self, outcome: Outcome) {
        let slot = self.slot(outcome);
        *slot = slot.saturating_sub(1);
    }

    /// Adds another's counts.
    pub fn merge(&mut self, other: &Self) {
        for outcome in Outcome::ALL {
            *self.slot(outcome) += other.get(outcome);
        }
    }

    /// All together.
    pub fn total(&self) -> u64 {
        Outcome::ALL
            .into_iter()
            .map(|outcome| self.get(outcome))
            .sum()
    }

    fn slot(&mut self, outcome: Outcome) -> &mut u64 {
        match outcome {
            Outcome::Ok => &mut self.ok,
            Outcome::Failed => &mut self.failed,
            Outcome::Timeout => &mut self.timeout,
            Outcome::Oom => &mut self.oom,
            Outcome::Infra => &mut self.infra,
            Outcome::Cancelled => &mut self.cancelled,
            Outcome::Skipped => &mut self.skipped,
        }
    }
}
