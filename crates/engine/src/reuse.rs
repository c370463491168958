//! Records of an earlier run that still answer trials of a new one.

use crate::{EngineError, prepare};
use fairtrial_journal::{JournalError, RunDir, effective_records};
use fairtrial_model::{Record, TrialId};
use fairtrial_plan::{Plan, PlanChange};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// Final records by identity.
pub(crate) type Records = HashMap<TrialId, Record>;

/// What an earlier run offers a new plan.
#[derive(Debug)]
pub struct Reusable {
    /// Which trials differ, and in what.
    pub change: PlanChange,
    /// Final records by identity.
    pub records: Records,
    /// The seeds of the earlier plan.
    pub seeds: BTreeSet<u64>,
}

impl Reusable {
    /// Whether records of several arms at one seed would be taken over: what a comparison may have looked at.
    pub fn was_compared(&self, plan: &Plan) -> bool {
        let mut arms: HashMap<u64, BTreeSet<Option<String>>> = HashMap::new();
        let kept = plan
            .trials()
            .filter(|trial| self.records.contains_key(&trial.id()));
        for trial in kept {
            arms.entry(trial.key.seed)
                .or_default()
                .insert(trial.key.arm.clone());
        }
        arms.values().any(|arms| arms.len() > 1)
    }
}

/// Looks at an earlier run. Only final outcomes are offered: what the machine or the user ended is run again.
pub fn reusable(earlier: &RunDir, plan: &Plan) -> Result<Reusable, EngineError> {
    let state = fairtrial_journal::RunState::read(&earlier.journal())?;
    let only = state.opened.as_ref().and_then(|opened| opened.only.clone());
    let spec = Arc::new(prepare::resolved_spec(earlier)?);
    let before = Plan::new(spec, only.as_deref())?;
    let seeds = before.trials().map(|trial| trial.key.seed).collect();
    let change = plan.changes_since(&before);
    let mut records = HashMap::new();
    effective_records(&earlier.journal(), &state, |record: Record| {
        if record.outcome.is_final() {
            records.insert(record.id.clone(), record);
        }
        Ok::<(), JournalError>(())
    })?;
    Ok(Reusable {
        change,
        records,
        seeds,
    })
}

/// A record taken over into a new run: the same evidence, in its old place, under the new index.
pub(crate) fn take_over(mut record: Record, index: u64, from: &str) -> Record {
    let origin = format!("{from} trial {}", record.trial.index);
    record.reused_from.get_or_insert(origin);
    record.trial.index = index;
    record.attempt = 1;
    record
}
