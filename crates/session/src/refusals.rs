//! What a run refuses before it starts, whatever the machine: `check` and `run` ask here, so that they agree.

use crate::error::SessionError;
use crate::registration::read_registration;
use crate::run::stopping_rule::WatchedRule;
use crate::session::Session;
use fairtrial_engine::{Missing, preflight};
use fairtrial_plan::Plan;
use std::path::Path;

impl Session {
    /// Everything about a spec and its plan that keeps it from running anywhere.
    pub(crate) fn refusals(&self, spec: &Path, plan: &Plan) -> Vec<SessionError> {
        let lacks = plan.spec().engine.lacks(&plan.spec().tasks);
        let lacks = (!lacks.is_empty()).then_some(SessionError::EngineLacks(lacks));
        let (unreadable, _) = self.missing(plan);
        let unreadable = (!unreadable.is_empty()).then_some(SessionError::Missing(unreadable));
        let rule = WatchedRule::new(plan.spec()).err();
        let registration = read_registration(spec).err();
        let all = lacks.into_iter().chain(unreadable);
        all.chain(rule).chain(registration).collect()
    }

    /// What a run would miss: what no machine has, and what this one has not.
    pub(crate) fn missing(&self, plan: &Plan) -> (Vec<Missing>, Vec<Missing>) {
        let missing = preflight(plan.spec(), &self.caller().environment);
        let nowhere = |missing: &Missing| matches!(missing, Missing::LaterSource { .. });
        missing.into_iter().partition(nowhere)
    }
}
