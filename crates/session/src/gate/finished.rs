//! Whether a run may be judged at all.

use crate::error::SessionError;
use fairtrial_analysis::Unfinished;
use fairtrial_journal::{RunDir, RunState};

/// Refuses a run that must not be judged.
pub(super) fn finished(run: &RunDir) -> Result<(), SessionError> {
    let state = RunState::read(&run.journal())?;
    match Unfinished::of_state(&state) {
        None => Ok(()),
        Some(why) => Err(SessionError::Unfinished {
            run: run.into(),
            why,
            half_scored: state.is_half_scored(),
        }),
    }
}
