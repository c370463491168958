//! What scoring needs.

use crate::baseline::Baseline;
use crate::sandbox::contract::{Env, Room};
use crate::sandbox::run::Confinement;
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
    pub(crate) sandbox: &'a Confinement,
    /// Variables of tests in a room: those of the rollout without secrets.
    pub env: &'a dyn Fn(&Room) -> Env,
    /// The variables among which judges have their keys.
    pub keys: &'a Env,
    /// Takes secrets out of what is written.
    pub redactor: &'a Redactor,
    /// A workspace that is the baseline's, file by file; absent means that a copy is made.
    pub fresh: Option<&'a Path>,
    /// What the agent left and its diff does not have, in words.
    pub left_out: &'a [String],
}
