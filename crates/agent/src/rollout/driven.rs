//! A rollout that is being driven.

use super::request::{RolloutTask, RolloutTrial};
use crate::baseline::Baseline;
use crate::sandbox::contract::Env;
use crate::sandbox::lasting::Lasting;
use crate::sandbox::run::Confinement;
use crate::task::AgentTask;
use fairtrial_journal::redact::Redactor;
use fairtrial_spec::RolloutOptions;
use std::cell::Cell;
use std::path::PathBuf;
use std::rc::Rc;

/// A rollout that is being driven.
pub(super) struct Drive<'a> {
    pub(super) shared: &'a RolloutTask,
    pub(super) trial: &'a RolloutTrial,
    pub(super) task: AgentTask,
    pub(super) baseline: Baseline,
    pub(super) options: RolloutOptions,
    pub(super) model: String,
    pub(super) sandbox: Confinement,
    /// The container of a task that lives in one.
    pub(super) container: Option<Rc<Lasting>>,
    /// Whether that has no network but ours.
    pub(super) is_closed: bool,
    /// The step at work.
    pub(super) step: Cell<usize>,
    pub(super) env: Env,
    pub(super) redactor: Redactor,
    pub(super) work: PathBuf,
}

/// Seconds of the phases around the agent's own.
#[derive(Default)]
pub(super) struct Phases {
    pub(super) workspace: f64,
    pub(super) setup: Option<f64>,
    pub(super) collect: f64,
    /// With the tests, whose own seconds are `verify_s`.
    pub(super) score: Option<f64>,
}
