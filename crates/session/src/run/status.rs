//! What a run is doing.

use super::attend::{is_remote, state};
use super::stopping_rule::WatchedRule;
use crate::error::SessionError;
use crate::session::Session;
use fairtrial_analysis::sequential::Trajectory;
use fairtrial_engine::remote::JobsFile;
use fairtrial_engine::{Controls, JobGroup, RunEvent, Stay};
use fairtrial_journal::{Liveness, RunDir, RunState, is_live, resolved_spec};
use fairtrial_model::{TrialKey, UtcTime};
use fairtrial_plan::Plan;
use std::sync::Arc;
use std::sync::mpsc::channel;

/// What a run is doing.
#[derive(Debug)]
pub struct RunStanding {
    /// Whether a controller is at work, and which.
    pub live: Liveness,
    /// Its journal, folded.
    pub state: RunState,
    /// What a scheduler knows of it.
    pub glance: Glance,
    /// The looks so far, of a run with a stopping rule.
    pub looks: Option<Trajectory>,
}

/// What one look at a run with a scheduler shows.
#[derive(Debug, Default)]
pub struct Glance {
    /// What it says of the open jobs.
    pub jobs: Vec<JobGroup>,
    /// When its controller, where one is at work, last heard that.
    pub heard_at: Option<UtcTime>,
    /// What the user should know.
    pub warnings: Vec<String>,
}

impl RunStanding {
    /// `running`, how it was closed, or `cut off`.
    pub fn word(&self) -> &'static str {
        match (&self.live, self.state.closed()) {
            (live, _) if live.is_live() => "running",
            (_, Some((_, status))) => status.word(),
            _ => "cut off",
        }
    }

    /// Trials of its plan.
    pub fn trials(&self) -> u64 {
        let opened = self.state.opened.as_ref();
        opened.map_or(0, |opened| opened.trials)
    }

    /// The trials that a live controller has in flight, by their place in the plan.
    pub fn in_flight(&self) -> Vec<u64> {
        if !self.live.is_live() {
            return Vec::new();
        }
        let trials = self.state.trials();
        trials
            .filter(|(_, trial)| trial.is_in_flight())
            .map(|(index, _)| index)
            .collect()
    }
}

impl Session {
    /// What a run is doing. One that is with a scheduler is looked after on the way: what came is taken, and what is due
    /// is handed out.
    pub fn status(&self, run: &RunDir) -> Result<RunStanding, SessionError> {
        let live = is_live(run)?;
        let mut seen = state(run)?;
        let mut glance = Glance::default();
        if live.is_live() {
            let told = JobsFile::read(run).filter(|_| !seen.batches.is_empty());
            if let Some(JobsFile { at, jobs }) = told {
                (glance.heard_at, glance.jobs) = (Some(at), jobs);
            }
        } else if is_remote(run, &seen) {
            match self.glance(run, &seen) {
                Ok(found) => glance = found,
                Err(error) => glance.warnings.push(error.to_string()),
            }
            seen = state(run)?;
        } else if let Some(text) = self.take_back_leftovers(run, &seen) {
            glance.warnings.push(text);
        }
        let looks = looks(run, &seen).unwrap_or_else(|error| {
            glance.warnings.push(error.to_string());
            None
        });
        Ok(RunStanding {
            live,
            state: seen,
            glance,
            looks,
        })
    }

    /// The trials at these places of a run's plan. Without its spec they have no names: why is told.
    pub fn trials_at(&self, run: &RunDir, state: &RunState, places: &[u64]) -> Vec<TrialKey> {
        let spec = resolved_spec(run).map_err(|error| self.warn(error.to_string()));
        let only = state.opened.as_ref().and_then(|opened| opened.only.clone());
        let plan = spec
            .ok()
            .and_then(|spec| Plan::new(Arc::new(spec), only.as_deref()).ok());
        let trial = |index: &u64| Some(plan.as_ref()?.trial(*index)?.key);
        places.iter().filter_map(trial).collect()
    }

    /// Takes what came and hands out what is due, once, and says what the scheduler knows of the jobs.
    fn glance(&self, run: &RunDir, state: &RunState) -> Result<Glance, SessionError> {
        let (request, _) = self.attend_request(run, state, Stay::Leave)?;
        let (events, seen) = channel();
        fairtrial_engine::run(&request, &Controls::default(), events)?;
        let mut glance = Glance::default();
        for event in seen {
            match event {
                RunEvent::Jobs(jobs) => glance.jobs = jobs,
                RunEvent::Warning(text) => glance.warnings.push(text),
                _ => {}
            }
        }
        Ok(glance)
    }
}

/// The looks of a run so far, made again from its records; none of one that has no stopping rule or has not begun.
fn looks(run: &RunDir, state: &RunState) -> Result<Option<Trajectory>, SessionError> {
    if state.opened.is_none() {
        return Ok(None);
    }
    let Some(rule) = WatchedRule::new(&resolved_spec(run)?)? else {
        return Ok(None);
    };
    rule.recall(run, state)?;
    Ok(Some(rule.so_far()))
}
