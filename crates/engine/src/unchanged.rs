//! Trials whose outputs an earlier run made and nobody changed since: they are not run again.

use crate::error::EngineError;
use crate::job::makes;
use crate::reuse;
use fairtrial_journal::{
    DataRoot, JournalError, RunDir, RunState, effective_records, home_in, list_runs,
};
use fairtrial_model::{Outcome, Record, TrialId};
use fairtrial_plan::Plan;
use std::collections::HashMap;

/// Earlier runs that are looked through for one that made the outputs.
const MOST_RUNS: usize = 100;

/// A record that still answers a trial, and the run that it comes from.
pub(crate) struct Unchanged {
    pub(crate) record: Record,
    pub(crate) from: RunDir,
}

/// The newest such records of the benchmark's earlier runs, by identity.
pub(crate) fn find(
    root: &DataRoot,
    plan: &Plan,
    this: &RunDir,
) -> Result<HashMap<TrialId, Unchanged>, EngineError> {
    let mut found = HashMap::new();
    let mut wanted: HashMap<TrialId, _> = plan
        .trials()
        .filter(|trial| !trial.task.outputs.is_empty())
        .map(|trial| (trial.id(), makes(&trial, plan.spec())))
        .collect();
    if wanted.is_empty() {
        return Ok(found);
    }
    let earlier = list_runs(root)?
        .into_iter()
        .rev()
        .filter(|run| run.name() == this.name() && run.stamp() != this.stamp());
    for run in earlier.take(MOST_RUNS) {
        if wanted.is_empty() {
            break;
        }
        // A run whose journal cannot be read offers nothing.
        let Ok(state) = RunState::read(&run.journal()) else {
            continue;
        };
        effective_records(&run.journal(), &state, |record: Record| {
            let dir = run.folder_of(&record.dir);
            let holds = record.outcome == Outcome::Ok
                && wanted
                    .get(&record.id)
                    .is_some_and(|makes| makes.unchanged_since(&dir));
            if holds {
                wanted.remove(&record.id);
                let from = run.clone();
                found.insert(record.id.clone(), Unchanged { record, from });
            }
            Ok::<(), JournalError>(())
        })?;
    }
    Ok(found)
}

/// Drops from what an earlier run offers the records whose outputs are no longer what they were.
pub(crate) fn keep_valid(root: &DataRoot, plan: &Plan, offered: &mut reuse::Records) {
    for trial in plan.trials() {
        let made = makes(&trial, plan.spec());
        if made.outputs.is_empty() {
            continue;
        }
        let id = trial.id();
        let valid =
            |record: &Record| made.unchanged_since(&home_in(root, &record.dir).join(&record.dir));
        if offered.get(&id).is_some_and(|record| !valid(record)) {
            offered.remove(&id);
        }
    }
}
