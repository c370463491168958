//! What changed in the code since the trials of an earlier run were started.

use super::watch::{CodeNow, CodeWatch};
use fairtrial_journal::{CodePart, CodeSets, RunDir};
use fairtrial_model::{Code, TrialId};
use fairtrial_plan::{Plan, Trial};
use serde::Serialize;
use std::collections::{BTreeSet, HashMap};

/// What becomes of records whose trials ran other code than they would now.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum OtherCode {
    /// They are left out, and their trials run again.
    #[default]
    LeftOut,
    /// They are taken all the same.
    Accepted,
}

/// What changed for trials that have an answer.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct CodeChange {
    /// The trials whose code is not what it was, by their place in the plan.
    pub trials: Vec<u64>,
    /// Those of them whose prepared task is another than it was: they are other trials, whatever is accepted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tasks: Vec<u64>,
    /// What changed: files, and packages with their versions.
    pub names: Vec<String>,
    /// So many trials do not say what they ran.
    pub unknown: u64,
}

impl CodeChange {
    /// Whether the trials that are known ran what would run now.
    pub fn is_nothing(&self) -> bool {
        self.trials.is_empty()
    }

    /// Whether all that changed are prepared tasks.
    pub fn is_of_tasks(&self) -> bool {
        self.trials.len() == self.tasks.len()
    }
}

/// What a trial is known to have run.
#[derive(Debug, Clone)]
pub struct Ran {
    /// What the trial was.
    pub id: TrialId,
    /// What it ran; absent where its record does not say.
    pub code: Option<Code>,
}

/// What changed since the records of a run were made; `ran` gives what a trial of the plan ran, where it has an answer.
pub fn code_since(
    earlier: &RunDir,
    plan: &Plan,
    now: &CodeNow<'_>,
    ran: impl Fn(&Trial<'_>) -> Option<Ran>,
) -> CodeChange {
    let watch = CodeWatch::new(plan.spec(), now, None);
    let mut sets = CodeSets::of(earlier);
    let mut names = BTreeSet::new();
    let mut compared: HashMap<(Code, Code, bool), Differs> = HashMap::new();
    let mut change = CodeChange::default();
    for trial in plan.trials() {
        let Some(before) = ran(&trial) else {
            continue;
        };
        let Some(after) = watch.of(&trial) else {
            continue;
        };
        let is_other = before.id != trial.id();
        let Some(before) = before
            .code
            .map(|code| code.content())
            .filter(|code| !code.is_unknown())
        else {
            change.unknown += 1;
            continue;
        };
        let differs = compared
            .entry((before, after, is_other))
            .or_insert_with_key(|(before, after, is_other)| {
                let mut differs = Differs::default();
                for part in CodePart::ALL {
                    let (Some(old), Some(new)) = (part.of(before), part.of(after)) else {
                        continue;
                    };
                    if old == new || !part.decides() && !is_other {
                        continue;
                    }
                    let set = watch.set(part, new);
                    let found = set.map(|new| part.differences(sets.get(old), &new));
                    let found = found.unwrap_or_default();
                    let seen = match part {
                        CodePart::Task => &mut differs.task,
                        _ => &mut differs.code,
                    };
                    *seen |= !found.is_empty();
                    names.extend(found);
                }
                differs
            });
        if differs.code || differs.task {
            change.trials.push(trial.key.index);
        }
        if differs.task {
            change.tasks.push(trial.key.index);
        }
    }
    change.names = names.into_iter().collect();
    change
}

/// In what a trial differs.
#[derive(Debug, Clone, Copy, Default)]
struct Differs {
    code: bool,
    task: bool,
}
