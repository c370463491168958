//! Jobs of a run that has ended: a scheduler may put one back into its queue after the run had all its answers. Whoever
//! looks at the run next ends them.

use super::contract::{Batch, Engine, JobState, PlaceError, Submitted};
use fairtrial_journal::{Durability, RunDir, RunState, write_atomic_bytes};

/// Which jobs of an ended run are to go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leftovers {
    /// Those that wait: one that runs finds nothing to do and leaves by itself.
    Waiting,
    /// All.
    All,
}

/// Ends jobs that an ended run still has, and says how many. Once the scheduler has forgotten all, it is not asked again.
pub fn end_leftovers(
    engine: &dyn Engine,
    run: &RunDir,
    known: &RunState,
    which: Leftovers,
) -> Result<usize, PlaceError> {
    let forgotten = run.chunks().join("forgotten");
    let mark = known.batches.len().to_string();
    if std::fs::read_to_string(&forgotten).is_ok_and(|text| text == mark) {
        return Ok(0);
    }
    // Those of a copied folder are the original's.
    let own = known
        .batches
        .iter()
        .filter(|info| info.engine == engine.name() && info.key == Batch::key_of(run, info.number));
    let batches: Vec<Submitted> = own.map(|info| Submitted::of(run, info)).collect();
    let mut seen = engine.poll(&batches)?;
    let mut only_deleted = false;
    if seen.is_empty() {
        let all = |batch: &Submitted| (0..batch.elements).collect();
        let missed: Vec<_> = batches.iter().map(|batch| (batch, all(batch))).collect();
        seen = engine.second_look(&missed)?;
        only_deleted = seen.values().all(|state| *state == JobState::Cancelled);
    }
    let mut gone = 0;
    for batch in &batches {
        let open: Vec<(u64, &JobState)> = (0..batch.elements)
            .filter_map(|element| Some((element, seen.get(&(batch.key.clone(), element))?)))
            .filter(|(_, state)| !state.is_over())
            .collect();
        let goes = |state: &JobState| which == Leftovers::All || *state != JobState::Running;
        let going = open.iter().filter(|(_, state)| goes(state));
        let going: Vec<u64> = going.map(|(element, _)| *element).collect();
        if !going.is_empty() {
            // Where the command ends all or none, all may go that are there.
            let elements = (going.len() < open.len()).then_some(going.as_slice());
            engine.cancel(batch, elements)?;
            gone += going.len();
        }
    }
    // What has ended may be started again while the scheduler shows it, unless somebody removed it.
    if only_deleted {
        for batch in &batches {
            engine.cleanup(batch)?;
        }
        write_atomic_bytes(&forgotten, Durability::Process, mark.as_bytes())?;
    }
    Ok(gone)
}
