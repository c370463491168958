//! Picking up a run that is with a scheduler, from any terminal: what waiting, cancelling and status share.

use super::stopping_rule::{self, WatchedRule};
use crate::error::SessionError;
use crate::session::Session;
use crate::version::VERSION;
use fairtrial_engine::remote::contract::PlaceError;
use fairtrial_engine::remote::{self, CommandError, Leftovers};
use fairtrial_engine::{EngineError, RunRequest, Start, Stay, Verbosity};
use fairtrial_journal::{RunDir, RunState, RunStatus, resolved_spec};
use fairtrial_plan::Plan;
use fairtrial_text::count::counted;
use std::sync::Arc;

/// The journal of a run, folded; nothing where it has none yet.
pub(crate) fn state(run: &RunDir) -> Result<RunState, SessionError> {
    if run.journal().exists() {
        Ok(RunState::read(&run.journal())?)
    } else {
        Ok(RunState::default())
    }
}

/// Whether a scheduler may have something of a run that has no controller: jobs, or trials that wait for one.
pub(super) fn is_remote(run: &RunDir, state: &RunState) -> bool {
    remote::open_jobs(run, state).is_some()
        || state
            .closed()
            .is_some_and(|(_, status)| status == RunStatus::Detached)
}

impl Session {
    /// Takes away jobs of an ended run that wait in a queue again, and says so.
    pub(super) fn take_back_leftovers(&self, run: &RunDir, state: &RunState) -> Option<String> {
        match self.end_leftovers(run, state, Leftovers::Waiting) {
            // A copy of the run on a machine without the scheduler is only looked at.
            Ok(0)
            | Err(SessionError::Engine(EngineError::Place(PlaceError::Command(
                CommandError::Start { .. },
            )))) => None,
            Ok(jobs) => Some(format!(
                "{} of this run, which has ended, waited in the queue again and {} cancelled",
                counted(jobs, "job"),
                if jobs == 1 { "was" } else { "were" }
            )),
            Err(error) => Some(error.to_string()),
        }
    }

    /// Ends jobs of an ended run; gives how many there were.
    pub(super) fn end_leftovers(
        &self,
        run: &RunDir,
        state: &RunState,
        which: Leftovers,
    ) -> Result<usize, SessionError> {
        if state.batches.is_empty() {
            return Ok(0);
        }
        let (spec, folder) = (resolved_spec(run)?, run.root().rollouts_dir());
        let engine = remote::engine_for(&spec, &folder, &self.caller().program);
        let Some(engine) = engine.map_err(EngineError::from)? else {
            return Ok(0);
        };
        let ended = remote::end_leftovers(engine.as_ref(), run, state, which);
        Ok(ended.map_err(EngineError::from)?)
    }

    /// What is needed to go on with a run as it was recorded, and its stopping rule: whoever hands out trials asks it
    /// first.
    pub(super) fn attend_request(
        &self,
        run: &RunDir,
        state: &RunState,
        stay: Stay,
    ) -> Result<(RunRequest, Option<WatchedRule>), SessionError> {
        let opened = state.opened.as_ref();
        let only = opened.and_then(|opened| opened.only.clone());
        let plan = Plan::new(Arc::new(resolved_spec(run)?), only.as_deref())?;
        let parallel = plan.spec().parallel;
        let rule = WatchedRule::new(plan.spec())?;
        let caller = self.caller();
        let request = RunRequest {
            root: run.root().clone(),
            plan: Arc::new(plan),
            spec_text: Vec::new(),
            spec_extension: String::new(),
            set: opened.map_or_else(Vec::new, |opened| opened.set.clone()),
            only,
            registration: None,
            accepted_code: None,
            slots: parallel.unwrap_or(1),
            parallel,
            expected_s: None,
            stay,
            start: Start::Attend(run.clone()),
            program: caller.program.clone(),
            version: VERSION.to_owned(),
            environment: caller.environment.clone(),
            now: caller.now,
            verbosity: Verbosity::Ends,
            stop: stopping_rule::either(rule.as_ref(), None, Box::new(|_| ())),
        };
        Ok((request, rule))
    }
}
