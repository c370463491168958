//! Are the two sides alike in everything but what is compared?

use crate::compare::data::contrasts::PlannedContrast;
use crate::compare::data::definition;
use crate::compare::data::mismatch::Mismatch;
use crate::compare::data::side::Inputs;
use crate::compare::data::trials::TrialOfSide;
use crate::compare::question::MetricQuestion;
use crate::dataset::{Dataset, FactKind, SeedsPair};
use std::collections::BTreeSet;

/// The differences between two sources, also in how the metrics in question are made, and seeds that only one side ran.
pub(crate) fn find(
    inputs: Inputs<'_>,
    planned: &[PlannedContrast<'_>],
    asked: &[MetricQuestion],
) -> Vec<Mismatch> {
    let mut found = match inputs {
        Inputs::Arms(data) => dirty(data),
        Inputs::Two(control, candidate) => {
            let made = |asked: &MetricQuestion| {
                definition::mismatches(control, candidate, &asked.declaration.name)
            };
            let mut found = facts(control, candidate);
            found.extend(asked.iter().flat_map(made));
            found
        }
        Inputs::Several(_) => {
            let mut found: Vec<Mismatch> = Vec::new();
            for contrast in planned {
                let one = of_contrast(contrast, asked);
                found.extend(one.into_iter().filter(|new| new.kind != FactKind::Seeds));
            }
            found.dedup();
            found
        }
    };
    // Of a run that stopped early, the block in which it did need not be complete.
    let stopped_early = matches!(inputs, Inputs::Arms(data) if data.looked_at.is_some());
    if !stopped_early {
        found.extend(seeds(planned));
    }
    found.sort_by(|a, b| (a.kind, &a.name).cmp(&(b.kind, &b.name)));
    found
}

/// The differences between the two sources of one contrast.
pub(crate) fn of_contrast(
    contrast: &PlannedContrast<'_>,
    asked: &[MetricQuestion],
) -> Vec<Mismatch> {
    let inputs = Inputs::Two(contrast.control.data, contrast.candidate.data);
    find(inputs, std::slice::from_ref(contrast), asked)
}

/// Uncommitted changes matter even within one run: nobody can make it again.
fn dirty(data: &Dataset) -> Vec<Mismatch> {
    let dirty = data
        .facts
        .iter()
        .filter(|fact| fact.kind == FactKind::DirtyTree);
    dirty
        .map(|fact| Mismatch {
            kind: fact.kind,
            name: fact.name.clone(),
            control: Some(fact.value.clone()),
            candidate: Some(fact.value.clone()),
        })
        .collect()
}

fn facts(control: &Dataset, candidate: &Dataset) -> Vec<Mismatch> {
    let names: BTreeSet<(FactKind, &str)> = control
        .facts
        .iter()
        .chain(&candidate.facts)
        // Which of them are in question is known elsewhere.
        .filter(|fact| fact.kind != FactKind::Definition)
        .map(|fact| (fact.kind, fact.name.as_str()))
        .collect();
    let value = |data: &Dataset, kind: FactKind, name: &str| {
        let found = data
            .facts
            .iter()
            .find(|fact| fact.kind == kind && fact.name == name);
        found.map(|fact| fact.value.clone())
    };
    // A side about which nothing is known (a table) cannot differ.
    let knows = |data: &Dataset, kind: FactKind| {
        kind == FactKind::DirtyTree || data.facts.iter().any(|fact| fact.kind == kind)
    };
    names
        .into_iter()
        .filter(|(kind, _)| knows(control, *kind) && knows(candidate, *kind))
        .map(|(kind, name)| Mismatch {
            kind,
            name: name.to_owned(),
            control: value(control, kind, name),
            candidate: value(candidate, kind, name),
        })
        .filter(|mismatch| {
            mismatch.control != mismatch.candidate || mismatch.kind == FactKind::DirtyTree
        })
        .collect()
}

/// Most seeds that are named.
const NAMED: usize = 5;

fn seeds(planned: &[PlannedContrast<'_>]) -> Vec<Mismatch> {
    let mut found: Vec<Mismatch> = Vec::new();
    // The seeds of a bench count its rounds: two of them have as many as they took.
    let drawn = |contrast: &&PlannedContrast<'_>| {
        let sides = [&contrast.control, &contrast.candidate];
        sides
            .iter()
            .all(|side| side.data.seeds_pair != SeedsPair::WithinRun)
    };
    for contrast in planned.iter().filter(drawn) {
        let rows = contrast.trials("");
        let of =
            |rows: &[TrialOfSide]| -> BTreeSet<u64> { rows.iter().map(|row| row.seed).collect() };
        let (control, candidate) = (of(&rows.control), of(&rows.candidate));
        let (left, right) = (only(&control, &candidate), only(&candidate, &control));
        if left.is_none() && right.is_none() {
            continue;
        }
        let name = format!(
            "seeds of {} and {}",
            contrast.control.name().short(),
            contrast.candidate.name().short()
        );
        let mismatch = Mismatch {
            kind: FactKind::Seeds,
            name,
            control: left,
            candidate: right,
        };
        if !found.contains(&mismatch) {
            found.push(mismatch);
        }
    }
    found
}

/// The seeds that only the first has, in words.
fn only(first: &BTreeSet<u64>, second: &BTreeSet<u64>) -> Option<String> {
    let alone: Vec<String> = first.difference(second).map(u64::to_string).collect();
    let more = alone.len().saturating_sub(NAMED);
    let named = alone.get(..NAMED.min(alone.len()))?.join(", ");
    match (alone.len(), more) {
        (0, _) => None,
        (_, 0) => Some(format!("only here: {named}")),
        _ => Some(format!("only here: {named} and {more} more")),
    }
}
