//! The effective records of a run, read lightly: only what the analysis needs, borrowed from the journal's text.

use crate::error::AnalysisError;
use fairtrial_journal::observation::Observation;
use fairtrial_journal::{RecordFile, RunDir, RunState};

/// Hands every effective record of a run to `each`, in the order of the plan; `state` is the fold of its journal.
pub(crate) fn observations_from(
    run: &RunDir,
    state: &RunState,
    mut each: impl FnMut(&Observation<'_>),
) -> Result<(), AnalysisError> {
    let mut file = RecordFile::open(&run.journal())?;
    for (_, trial) in state.trials() {
        if let Some(observation) = file.observation(trial)? {
            each(&observation);
        }
    }
    Ok(())
}
