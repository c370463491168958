//! One piece of work, and what bounds each of its trials.

use crate::spec::needs::Needs;
use crate::spec::sweep::Sweep;
use crate::spec::table::Feeds;
use crate::spec::work::Work;
use fairtrial_model::{NoticeSignal, Params, Timed};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One piece of work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Task {
    /// Its id.
    pub id: String,
    /// What it runs.
    pub work: Work,
    /// The one arm it belongs to (where `model` is the arm); absent means every arm.
    pub arm: Option<String>,
    /// The arms it runs in, where not in all of them; empty means none, and one trial without an arm.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arms: Option<Vec<String>>,
    /// Repetitions under each seed.
    pub rollouts: u32,
    /// Seeds of this task, where it has its own.
    pub seeds: Option<Vec<u64>>,
    /// The task's own parameters (`params`, and `model` where arms are declared).
    pub params: Params,
    /// The task's own sweep (lists in `params`, a `sweep` inside the task), combined with the top-level one.
    pub sweep: Sweep,
    /// Conditions that the parameters of every trial satisfy (see [`crate::Constraint`]).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub constraints: Vec<String>,
    /// Environment variables added for the trial; values may hold placeholders and `${NAME}` references, which are
    /// resolved at run time.
    pub env: BTreeMap<String, String>,
    /// Which of the caller's variables the trial inherits.
    pub inherit_env: InheritEnv,
    /// Working directory, relative to the spec's folder, may hold placeholders; absent means the spec's folder.
    pub workdir: Option<String>,
    /// Limits.
    pub limits: Limits,
    /// What a trial takes of a machine.
    #[serde(default, skip_serializing_if = "Needs::is_default")]
    pub resources: Needs,
    /// How many threads its libraries may start; by its CPUs or by the slots where nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threads: Option<Threads>,
    /// Ids of tasks that must have succeeded before this one starts.
    pub needs: Vec<String>,
    /// Further attempts, by outcome.
    pub retries: Retries,
    /// Whether its trials save their state and go on from it, and how they hear of their end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checkpoint: Option<CheckpointRule>,
    /// Bytes kept of each of standard output and standard error.
    pub log_limit: u64,
    /// The results table that it feeds, and how.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feeds: Option<Feeds>,
    /// Which episodes it runs, where that was said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub episodes: Option<String>,
    /// Paths that it makes for others, relative to the spec's folder.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outputs: Vec<String>,
    /// Paths whose change makes the outputs stale.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<String>,
    /// Times that its program runs, unrecorded, before the first trial of each arm and point.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub warmup: u32,
    /// Whether the system throws away what its programs write to standard output.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub discards_output: bool,
    /// How its programs are timed as a whole, where they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timed: Option<Timed>,
    /// Its number in the spec, from 0, which no other task has.
    pub place: usize,
}

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde hands over a reference"
)]
const fn is_zero(count: &u32) -> bool {
    *count == 0
}

impl Task {
    /// Seconds between the polite and the forced end of its trials.
    pub fn ending_s(&self) -> f64 {
        self.checkpoint
            .map_or(self.limits.grace_s, |rule| rule.notice_s)
    }

    /// Whether it runs in this arm.
    pub fn runs_in(&self, arm: &str) -> bool {
        let listed = |arms: &Vec<String>| arms.iter().any(|own| own == arm);
        match &self.arm {
            Some(own) => own == arm,
            None => self.arms.as_ref().is_none_or(listed),
        }
    }
}

/// How many threads the libraries of a trial may start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Threads {
    /// What the libraries do by themselves, and what the caller's environment says.
    Inherit,
    /// So many.
    Count(u32),
}

/// Which of the caller's environment variables a trial inherits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InheritEnv {
    /// Patterns (`*` at the end allowed) of names to pass; the default is every name.
    pub allow: Vec<String>,
    /// Patterns of names not to pass; wins over `allow`.
    pub deny: Vec<String>,
}

/// Limits on one trial.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Limits {
    /// Wall seconds (`timeout`).
    pub wall_s: Option<f64>,
    /// CPU seconds of the whole trial.
    pub cpu_s: Option<f64>,
    /// Bytes of memory.
    pub memory_bytes: Option<u64>,
    /// Processes and threads at once.
    pub processes: Option<u64>,
    /// Seconds between the polite and the forced end (`kill_grace`, default 5).
    pub grace_s: f64,
}

/// How a trial that saves its state is ended.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CheckpointRule {
    /// Seconds between the signal and the forced end (default 60); in place of `kill_grace`.
    pub notice_s: f64,
    /// The signal (default `TERM`).
    pub signal: NoticeSignal,
}

/// How often an ending is tried again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Retries {
    /// After `infra` (default 2).
    pub infra: u32,
    /// After `failed` (default 0).
    pub failed: u32,
    /// After `timeout` (default 0).
    pub timeout: u32,
    /// After `oom` (default 0).
    pub oom: u32,
}
