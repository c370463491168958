//! Stays with a run until it is done, from any terminal, whoever controls it now.

use super::attend::{is_remote, state};
use super::execute::Executed;
use super::finish::Ran;
use super::result::RunResult;
use crate::error::SessionError;
use crate::events::Event;
use crate::notice::Notice;
use crate::session::Session;
use fairtrial_engine::{Controls, RunReport, Stay};
use fairtrial_journal::{Liveness, RunDir, is_live};
use fairtrial_spec::EngineKind;
use std::time::{Duration, Instant};

/// How often a run that another process controls is looked at.
const LOOK: Duration = Duration::from_millis(500);

impl Session {
    /// Waits for a run and gives its result; takes over jobs that were left with a scheduler.
    pub fn wait(&self, run: &RunDir, controls: &Controls) -> Result<RunResult, SessionError> {
        let began = Instant::now();
        self.follow(run)?;
        let state = state(run)?;
        let (request, rule) = self.attend_request(run, &state, Stay::UntilDone)?;
        // A controller that died between two batches left no job behind, and the run is to go on all the same.
        let was_cut_off =
            state.closed().is_none() && request.plan.spec().engine.kind != EngineKind::Local;
        if was_cut_off || is_remote(run, &state) {
            let ran = Ran {
                executed: self.execute(&request, controls)?,
                request: &request,
                rule: rule.as_ref(),
                took: began.elapsed(),
            };
            return self.finish(ran, controls);
        }
        let Some((_, status)) = state.closed() else {
            return Err(SessionError::CutOff {
                run: run.into(),
                spec: request.plan.spec().source.clone().into(),
                set: request.set,
            });
        };
        let report = RunReport {
            run: run.clone(),
            counts: state.counts,
            trials: request.plan.len(),
            ran: 0,
            kept: state.counts.total(),
            status,
            stopped: None,
        };
        if let Some(text) = self.take_back_leftovers(run, &state) {
            self.warn(text);
        }
        if let Some(rule) = &rule {
            rule.recall(run, &state)?;
        }
        let executed = Executed {
            report,
            summary: None,
        };
        let result = self.result(executed, &request, rule.as_ref())?;
        self.hear(Event::Result(&result));
        Ok(result)
    }

    /// Waits while another process controls the run, and tells where it is.
    fn follow(&self, run: &RunDir) -> Result<(), SessionError> {
        let mut told = None;
        while let Liveness::Live(holder) = is_live(run)? {
            let state = state(run)?;
            if told != Some(state.counts) {
                self.tell(Notice::Elsewhere {
                    holder: holder.filter(|_| told.is_none()),
                    counts: state.counts,
                    trials: state.opened.as_ref().map_or(0, |opened| opened.trials),
                });
                told = Some(state.counts);
            }
            std::thread::sleep(LOOK);
        }
        Ok(())
    }
}
