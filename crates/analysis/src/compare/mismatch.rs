//! Are the two sides alike in everything but what is compared? Differences are said loudly; a timing between two
//! machines, and a metric whose numbers are made differently, is not judged at all.

use super::assess::MetricComparison;
use super::beside::Beside;
use super::case::{Asked, DataKind};
use super::definition;
use super::sides::{Inputs, Planned};
use super::tasks::TaskLine;
use super::verdict::Word;
use crate::dataset::{Dataset, FactKind};
use serde::Serialize;
use std::collections::BTreeSet;

/// A difference between the sides.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Mismatch {
    /// What kind.
    pub kind: FactKind,
    /// What differs.
    pub name: String,
    /// On the control's side; absent where it is not there.
    pub control: Option<String>,
    /// On the candidate's side.
    pub candidate: Option<String>,
}

/// The differences between two sources, also in how the metrics in question are made, and seeds that only one side ran.
pub(crate) fn find(inputs: Inputs<'_>, planned: &[Planned<'_>], asked: &[Asked]) -> Vec<Mismatch> {
    let mut found = match inputs {
        Inputs::Arms(data) => dirty(data),
        Inputs::Two(control, candidate) => {
            let made =
                |asked: &Asked| definition::mismatches(control, candidate, &asked.declaration.name);
            let mut found = facts(control, candidate);
            found.extend(asked.iter().flat_map(made));
            found
        }
    };
    found.extend(seeds(planned));
    found.sort_by(|a, b| (a.kind, &a.name).cmp(&(b.kind, &b.name)));
    found
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

fn seeds(planned: &[Planned<'_>]) -> Vec<Mismatch> {
    let mut found: Vec<Mismatch> = Vec::new();
    for contrast in planned {
        let rows = contrast.rows("");
        let of = |rows: &[super::sides::Row]| -> BTreeSet<u64> {
            rows.iter().map(|row| row.seed).collect()
        };
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

/// Facts about a machine that change how fast it is.
const SPEED: [&str; 7] = [
    "host",
    "hostname",
    "cpu",
    "cores",
    "machine",
    "processor",
    "gpus",
];

/// A timing that was measured on two machines says nothing about the candidate, nor does a metric that is made in two
/// ways; of the latter no difference is shown, since it means nothing.
pub(crate) fn hold_back(
    mut metric: MetricComparison,
    mismatches: &[Mismatch],
    accept: &[FactKind],
) -> MetricComparison {
    if let Some(why) = definition::not_comparable(&metric.metric, mismatches, accept) {
        metric.verdict.word = Word::Insufficient;
        metric.verdict.not_by_its_units();
        metric.verdict.reason = why;
        metric.effect = None;
        metric.beside = Beside::default();
        metric.family.adjusted_p = None;
        return metric;
    }
    let matters = |mismatch: &&Mismatch| {
        mismatch.kind == FactKind::Machine && SPEED.contains(&mismatch.name.as_str())
    };
    let other_machine = mismatches.iter().find(matters);
    if let Some(mismatch) = other_machine
        && metric.kind == DataKind::Timing
        && !accept.contains(&FactKind::Machine)
    {
        metric.verdict.word = Word::Insufficient;
        metric.verdict.not_by_its_units();
        metric.verdict.reason = format!(
            "the sides ran on different machines ({}: {} and {}), which changes timings; --accept machine overrides",
            mismatch.name,
            mismatch.control.as_deref().unwrap_or("unknown"),
            mismatch.candidate.as_deref().unwrap_or("unknown")
        );
    }
    metric
}

/// The same for a line about a task.
pub(super) fn hold_back_task(
    mut line: TaskLine,
    mismatches: &[Mismatch],
    accept: &[FactKind],
) -> TaskLine {
    if let Some(why) = definition::not_comparable(&line.metric, mismatches, accept) {
        line.verdict = Word::Insufficient;
        line.reason = why;
        (line.difference, line.effect, line.adjusted_p) = (None, None, None);
    }
    line
}
