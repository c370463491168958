//! What a run refuses before it starts, whatever the machine: `check` and `run` ask here, so that they agree.

use crate::error::SessionError;
use crate::feature::STORE;
use crate::registration::read_registration;
use crate::run::stopping_rule::WatchedRule;
use crate::session::Session;
use fairtrial_engine::{Missing, preflight, remote};
use fairtrial_plan::Plan;
use fairtrial_store::StoreError;
use std::path::Path;

/// Everything about a spec and its plan that keeps it from running anywhere.
pub(crate) fn refusals(spec: &Path, plan: &Plan) -> Vec<SessionError> {
    let lacks = plan.spec().engine.lacks(&plan.spec().tasks);
    let lacks = (!lacks.is_empty()).then_some(SessionError::EngineLacks(lacks));
    let store = remote::unusable_store(&plan.spec().engine).map(|error| match error {
        StoreError::NotBuiltIn { .. } => SessionError::LeftOut(STORE),
        error => SessionError::Store(error),
    });
    let rule = WatchedRule::new(plan.spec()).err();
    let registration = read_registration(spec).err();
    lacks
        .into_iter()
        .chain(store)
        .chain(rule)
        .chain(registration)
        .collect()
}

impl Session {
    /// What a run would miss on this machine.
    pub(crate) fn missing(&self, plan: &Plan) -> Vec<Missing> {
        preflight(plan, &self.caller().environment)
    }
}
