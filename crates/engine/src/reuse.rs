//! Records of an earlier run that still answer trials of a new one.

use crate::code::since::{CodeChange, OtherCode, Ran, code_since};
use crate::code::watch::CodeNow;
use crate::error::EngineError;
use crate::measuring::{Again, Measuring};
use fairtrial_journal::redact::Redactor;
use fairtrial_journal::{CodePart, JournalError, RunDir, effective_records, resolved_spec};
use fairtrial_model::{Code, MetricDeclaration, Record, TrialId};
use fairtrial_plan::{Plan, PlanChange, Trial, measured_differently};
use fairtrial_spec::Work;
use fairtrial_text::count::{counted, first_of};
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
    /// What changed in the code that their trials ran: their records are not among the offered, unless that is accepted.
    pub code: CodeChange,
    /// The metrics that the new plan makes differently.
    pub measured_differently: Vec<String>,
    /// The metrics as the earlier run read them.
    metrics: Vec<MetricDeclaration>,
    /// The seeds of the earlier plan.
    seeds: BTreeSet<u64>,
    /// Whether the earlier run stops by a rule that looks at its records.
    stops_by_looking: bool,
}

/// What taking over records means for a verdict that was made from them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Looked {
    /// Nothing: no comparison could be seen, or the seeds are the same.
    Fine,
    /// The looks at the earlier run were planned for another number of seeds than this plan has: these would be looks at
    /// the same records at a fresh error rate.
    OtherBudget {
        /// Seeds of the earlier run.
        before: usize,
        /// Seeds of this plan.
        now: usize,
    },
    /// So many seeds are added to a comparison that could be seen.
    SeedsAdded(usize),
}

impl Reusable {
    /// What became of the error rate when these records were looked at.
    pub fn looked(&self, plan: &Plan) -> Looked {
        let seeds: BTreeSet<u64> = plan.trials().map(|trial| trial.key.seed).collect();
        if seeds == self.seeds || !self.was_compared(plan) {
            return Looked::Fine;
        }
        if self.is_looked_at_again(plan) {
            return Looked::OtherBudget {
                before: self.seeds.len(),
                now: seeds.len(),
            };
        }
        match seeds.difference(&self.seeds).count() {
            0 => Looked::Fine,
            added => Looked::SeedsAdded(added),
        }
    }

    /// Whether a stopping rule would look at records that another one has looked at.
    pub fn is_looked_at_again(&self, plan: &Plan) -> bool {
        self.stops_by_looking && plan.spec().analysis.stop.is_some() && self.was_compared(plan)
    }

    /// Whether records of several arms at one seed would be taken over: what a comparison may have looked at.
    fn was_compared(&self, plan: &Plan) -> bool {
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

impl Reusable {
    /// The records as the new plan's metrics make them, and what there is to say about that. A trial whose files are gone is
    /// not offered: its numbers would be of another kind than the others.
    pub(crate) fn measured(
        self,
        earlier: &RunDir,
        plan: &Plan,
        redactor: &Redactor,
    ) -> (Records, Option<String>) {
        if self.measured_differently.is_empty() || self.records.is_empty() {
            return (self.records, None);
        }
        let mut wanted = self.records;
        let planned = plan.trials();
        let records: Vec<Record> = planned
            .filter_map(|trial| wanted.remove(&trial.id()))
            .collect();
        let measuring = Measuring {
            root: earlier.root(),
            before: &self.metrics,
            now: plan.spec(),
            redactor,
        };
        let again = measuring.all(&records);
        let mut measured = Records::new();
        let (mut count, mut gone) = (0_u64, 0_u64);
        for (record, again) in records.into_iter().zip(again) {
            let record = match again {
                Again::Gone => {
                    gone += 1;
                    continue;
                }
                Again::NeverRan => record,
                Again::Measured(now) => {
                    count += 1;
                    *now
                }
            };
            measured.insert(record.id.clone(), record);
        }
        let names = first_of(&self.measured_differently, 5);
        let again = match gone {
            0 => String::new(),
            gone => format!(
                "; {} left nothing to measure and run again",
                counted(gone, "trial")
            ),
        };
        let said = format!(
            "{} measured again from what they left, because metrics changed since: {names}{again}",
            counted(count, "reused trial")
        );
        (measured, Some(said))
    }
}

/// Looks at an earlier run. Only final outcomes are offered: what the machine or the user ended is run again.
pub fn reusable(
    earlier: &RunDir,
    plan: &Plan,
    now: &CodeNow<'_>,
    other: OtherCode,
) -> Result<Reusable, EngineError> {
    let state = fairtrial_journal::RunState::read(&earlier.journal())?;
    let only = state.opened.as_ref().and_then(|opened| opened.only.clone());
    let spec = Arc::new(resolved_spec(earlier)?);
    let before = Plan::new(spec, only.as_deref())?;
    let seeds = before.trials().map(|trial| trial.key.seed).collect();
    let change = plan.changes_since(&before);
    let mut records = Records::new();
    effective_records(&earlier.journal(), &state, |record: Record| {
        if record.outcome.is_final() {
            records.insert(record.id.clone(), record);
        }
        Ok::<(), JournalError>(())
    })?;
    let code = code_since(earlier, plan, now, ran_in(&records));
    if other == OtherCode::LeftOut {
        for trial in code.trials.iter().filter_map(|index| plan.trial(*index)) {
            records.remove(&trial.id());
        }
    }
    Ok(Reusable {
        change,
        records,
        code,
        measured_differently: measured_differently(before.spec(), plan.spec()),
        metrics: before.spec().metrics.clone(),
        seeds,
        stops_by_looking: before.spec().analysis.stop.is_some(),
    })
}

/// What a trial ran: by its identity, and for one of a prepared task by its place in the design, because another form of the
/// task is another trial.
fn ran_in(records: &Records) -> impl Fn(&Trial<'_>) -> Option<Ran> {
    let labels: HashMap<String, &Record> = records
        .values()
        .map(|record| (record.trial.label().to_string(), record))
        .collect();
    move |trial| {
        let mut record = records.get(&trial.id());
        if matches!(trial.task.work, Work::Prepared { .. }) {
            record = record.or_else(|| labels.get(&trial.key.label().to_string()).copied());
        }
        let record = record?;
        Some(Ran {
            id: record.id.clone(),
            code: record.code.clone(),
        })
    }
}

/// Copies what records say that they ran, so that the new run says it too.
pub(crate) fn copy_code<'a>(
    records: impl Iterator<Item = &'a Record>,
    from: &RunDir,
    to: &RunDir,
) -> Result<(), EngineError> {
    let codes: BTreeSet<&Code> = records.filter_map(|record| record.code.as_ref()).collect();
    let hashes = |code: &&'a Code| CodePart::ALL.map(|part| part.of(code));
    let hashes: BTreeSet<&String> = codes.iter().flat_map(hashes).flatten().collect();
    for hash in hashes {
        if let Some(set) = from.code_set(hash) {
            to.keep_code_set(hash, &set)?;
        }
    }
    Ok(())
}

/// A record taken over into a new run: the same evidence, in its old place, under the new index.
pub(crate) fn take_over(mut record: Record, index: u64, from: &str) -> Record {
    let origin = format!("{from} trial {}", record.trial.index);
    record.reused_from.get_or_insert(origin);
    record.trial.index = index;
    record.attempt = 1;
    record
}
