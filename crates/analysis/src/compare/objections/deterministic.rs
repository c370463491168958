//! A metric that is declared deterministic and is not.

use crate::compare::data::rounding::alike;
use crate::compare::data::trials::TrialOfSide;
use crate::compare::method::choose::Case;
use crate::compare::objections::objection::{Objection, ObjectionKind};
use std::collections::BTreeMap;

/// A unit that reports two values, or differences that go by the seed.
pub(crate) fn find(case: &Case) -> Option<Objection> {
    if !case.declaration.deterministic {
        return None;
    }
    let sides = [
        ("control", &case.trials.control),
        ("candidate", &case.trials.candidate),
    ];
    let contradicting = sides.into_iter().find_map(|(side, trials)| {
        let (task, seed, values) = contradiction(trials)?;
        let task = &case.trials.task_names[task as usize];
        let in_task = if task.is_empty() {
            String::new()
        } else {
            format!(" · {task}")
        };
        Some(Objection::caps(ObjectionKind::Contradiction {
            unit: format!("{side}{in_task} · seed {seed}"),
            values,
        }))
    });
    let varies = !case.is_exact() && case.sample.has_both();
    contradicting.or_else(|| varies.then(|| Objection::noted(ObjectionKind::VariesBySeed)))
}

/// The first unit (task and seed) with two values, and these.
fn contradiction(trials: &[TrialOfSide]) -> Option<(u32, u64, [f64; 2])> {
    let mut seen: BTreeMap<(u32, u64), f64> = BTreeMap::new();
    trials.iter().find_map(|trial| {
        let value = trial.value.filter(|value| value.is_finite())?;
        let first = *seen.entry((trial.task, trial.seed)).or_insert(value);
        (!alike(first, value)).then_some((trial.task, trial.seed, [first, value]))
    })
}
