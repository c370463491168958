//! A run while it lives: the engine does it, and what happens is told.

use crate::agent_tasks::clear_workspaces;
use crate::error::SessionError;
use crate::events::Event;
use crate::session::Session;
use fairtrial_analysis::{RunSummary, summarize_state};
use fairtrial_engine::{Controls, EngineError, RunEvent, RunReport, RunRequest};
use fairtrial_journal::{DataRoot, Index, JournalError, RunDir, RunState, RunStatus};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::thread;

/// How a run ended, and what it came to where that is known already.
pub(super) struct Executed {
    pub(super) report: RunReport,
    pub(super) summary: Option<RunSummary>,
}

impl Session {
    /// Has the engine do a run.
    pub(super) fn execute(
        &self,
        request: &RunRequest,
        controls: &Controls,
    ) -> Result<Executed, SessionError> {
        self.hear(Event::Starting(request));
        let (events, happens) = channel();
        thread::scope(|scope| {
            let listening = thread::Builder::new()
                .spawn_scoped(scope, || self.listen(request, happens))
                .map_err(EngineError::NoThread)?;
            let report = fairtrial_engine::run(request, controls, events);
            let summary = listening.join().ok().flatten();
            Ok(Executed {
                report: report?,
                summary,
            })
        })
    }

    /// Passes events on until the engine has left the run. The summary of a run that was closed is worked out
    /// meanwhile: views and summary read every record, and neither needs the other.
    fn listen(&self, request: &RunRequest, happens: Receiver<RunEvent>) -> Option<RunSummary> {
        let (mut indexed, mut summary) = (Ok(()), None);
        for event in happens {
            let RunEvent::Closed(run, state) = event else {
                self.hear(Event::Run(event));
                continue;
            };
            let plan = Arc::clone(&request.plan);
            indexed = index(&request.root, &run, &state);
            self.tell_remarks(&run, &state, plan.spec());
            let read = move || summarize_state(&run, &state, plan.spec()).ok();
            // Where no thread can be had, whoever shows the summary works it out.
            summary = thread::Builder::new().spawn(read).ok();
        }
        self.hear(Event::Left);
        if let Err(error) = indexed {
            self.warn(error.to_string());
        }
        summary.and_then(|summary| summary.join().ok().flatten())
    }

    /// Removes what trials left on this machine and nobody needs any more.
    pub(super) fn clean_up_after(&self, request: &RunRequest, report: &RunReport) {
        self.remove_dead_containers(request.plan.spec());
        if report.status == RunStatus::Cancelled {
            clear_workspaces(&report.run);
        }
    }
}

/// The next list of runs finds this one in the index already. A failure here costs nothing but that.
fn index(root: &DataRoot, run: &RunDir, state: &RunState) -> Result<(), JournalError> {
    if root.is_passing() {
        return Ok(());
    }
    Index::open(root)?.take(run, state)
}
