//! What scoring needs.

use crate::baseline::Baseline;
use crate::sandbox::contract::{Env, Sandbox};
use crate::task::AgentTask;
use fairtrial_journal::redact::Redactor;
use fairtrial_spec::RolloutOptions;
use std::path::Path;

/// What scoring needs.
pub struct Scorer<'a> {
    /// The task.
    pub task: &'a AgentTask,
    /// What the agent started from.
    pub baseline: &'a Baseline,
    /// How it is scored.
    pub options: &'a RolloutOptions,
    /// Where tests run.
    pub sandbox: &'a dyn Sandbox,
    /// Variables of tests: those of the rollout without secrets.
    pub env: &'a Env,
    /// The judge's key.
    pub judge_key: Option<&'a str>,
    /// Takes secrets out of what is written.
    pub redactor: &'a Redactor,
    /// Bytes kept of the log.
    pub log_limit: u64,
    /// A workspace that is the baseline's, file by file; absent means that a copy is made.
    pub fresh: Option<&'a Path>,
    /// What the agent left and its diff does not have, in words.
    pub left_out: &'a [String],
}
