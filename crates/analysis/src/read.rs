//! The effective records of a run, read lightly: only what the analysis needs, borrowed from the journal's text.

use crate::error::AnalysisError;
use fairtrial_journal::observation::Observation;
use fairtrial_journal::{RecordFile, RunDir, RunState};
use rayon::prelude::*;

/// Records that are read beside each other: what takes most of the time of a large run.
const TOGETHER: usize = 4096;
/// Fewer are read one by one: threads cost more than they save, and a machine may give none.
const WORTH_THREADS: usize = 256;

/// Hands every effective record of a run to `each`, in the order of the plan; `state` is the fold of its journal.
pub(crate) fn observations_from(
    run: &RunDir,
    state: &RunState,
    mut each: impl FnMut(&Observation<'_>) -> Result<(), AnalysisError>,
) -> Result<(), AnalysisError> {
    let mut file = RecordFile::open(&run.journal())?;
    let mut trials = state.trials().map(|(_, trial)| trial).peekable();
    while trials.peek().is_some() {
        let copied = file.copy(trials.by_ref().take(TOGETHER))?;
        let places = 0..copied.count();
        let read = |place| copied.observation(place);
        let read: Vec<_> = if places.len() < WORTH_THREADS {
            places.map(read).collect::<Result<_, _>>()?
        } else {
            places.into_par_iter().map(read).collect::<Result<_, _>>()?
        };
        read.iter().try_for_each(&mut each)?;
    }
    Ok(())
}
