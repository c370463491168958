//! Stops a run from any terminal.

use super::attend::{is_remote, state};
use crate::error::SessionError;
use crate::session::Session;
use fairtrial_engine::remote::Leftovers;
use fairtrial_engine::{Controls, Stay};
use fairtrial_journal::{RunDir, is_live, request_cancel};
use std::time::{Duration, Instant};

/// How often the run is looked at while it stops.
const LOOK: Duration = Duration::from_millis(50);

/// Whether to wait until a cancelled run has stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CancelWait {
    /// Until it has stopped.
    UntilStopped,
    /// Not at all.
    No,
}

/// What came of cancelling.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cancelled {
    /// The run has stopped, after this long.
    Stopped(Duration),
    /// Its controller was asked to stop it.
    Asked,
}

impl Session {
    /// Stops a run: what is in flight is ended and marked cancelled. `controls` reach this call where it must become the
    /// controller of jobs to end them.
    pub fn cancel(
        &self,
        run: &RunDir,
        wait: CancelWait,
        controls: &Controls,
    ) -> Result<Cancelled, SessionError> {
        let began = Instant::now();
        let was_live = is_live(run)?.is_live();
        let waits = wait == CancelWait::UntilStopped;
        if was_live {
            request_cancel(run, (self.caller().now)())?;
            while waits && is_live(run)?.is_live() {
                std::thread::sleep(LOOK);
            }
        }
        if !was_live || waits {
            // Jobs of a scheduler live without a controller, or are left by one that could not end them: this call
            // becomes their controller for as long as it takes.
            let state = state(run)?;
            if is_remote(run, &state) {
                let (request, _) = self.attend_request(run, &state, Stay::UntilDone)?;
                controls.cancel();
                self.execute(&request, controls)?;
            } else if self.end_leftovers(run, &state, Leftovers::All)? == 0 && !was_live {
                return Err(SessionError::Input(format!(
                    "{} {} is not running",
                    run.name(),
                    run.stamp()
                )));
            }
        }
        Ok(if waits {
            Cancelled::Stopped(began.elapsed())
        } else {
            Cancelled::Asked
        })
    }
}
