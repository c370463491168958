//! How a metric's numbers are made. Two metrics of one name that are made differently are two metrics: the largest value of
//! a series against its area, or seconds against milliseconds, differ whatever the candidate did.

use crate::compare::data::mismatch::Mismatch;
use crate::dataset::{Dataset, FactKind, Origin};
use crate::registration::{Deviation, differences};
use fairtrial_model::{MetricDeclaration, MetricSource};
use serde::Serialize;
use serde_json::json;
use std::borrow::Cow;

/// Where two declarations make their numbers differently, leaf by leaf. What is only shown or judged by (direction, margin,
/// decimals) is no part of it, and a unit that one of them does not name is not another one.
pub(crate) fn changes(before: &MetricDeclaration, now: &MetricDeclaration) -> Vec<Deviation> {
    let units_differ = before.unit.is_some() && now.unit.is_some();
    let made = |declared: &MetricDeclaration| {
        json!({
            "from": source(&declared.source),
            "summary": declared.summary,
            "step": declared.step,
            "convert": declared.convert,
            "round": declared.round,
            "unit": declared.unit.as_ref().filter(|_| units_differ),
        })
    };
    differences(&made(before), &made(now))
}

/// A shell's start is measured anew by each bench that takes it off: it is no part of how the number is made.
fn source(declared: &MetricSource) -> Cow<'_, MetricSource> {
    match declared {
        MetricSource::Resource { field, .. } => Cow::Owned(MetricSource::Resource {
            field: field.clone(),
            less: 0.0,
        }),
        other => Cow::Borrowed(other),
    }
}

/// What is known about how a source makes a metric. A run reads what its spec does not declare as trials report it; of
/// tables and files of other programs nothing is known.
fn of<'a>(data: &'a Dataset, metric: &str) -> Option<Cow<'a, MetricDeclaration>> {
    let declared = data.declaration(metric);
    match data.origin {
        Origin::Run { .. } => {
            let reported = data
                .has_values(metric)
                .then(|| MetricDeclaration::named(metric));
            declared.or(reported.map(Cow::Owned))
        }
        Origin::Records => declared,
        Origin::Table | Origin::ResultJson { .. } => None,
    }
}

/// In what two sources make a metric differently.
pub(crate) fn mismatches(control: &Dataset, candidate: &Dataset, metric: &str) -> Vec<Mismatch> {
    let declared = of(control, metric).zip(of(candidate, metric));
    let changes = declared.map_or(Vec::new(), |(before, now)| changes(&before, &now));
    let mut found: Vec<Mismatch> = changes
        .into_iter()
        .map(|change| Mismatch {
            kind: FactKind::Definition,
            name: format!("{metric}: {}", change.what),
            control: change.registered,
            candidate: change.used,
        })
        .collect();
    let written = |data: &Dataset| {
        let facts = data.facts.iter();
        let mut its = facts.filter(|fact| fact.kind == FactKind::Definition && fact.name == metric);
        its.next().map(|fact| fact.value.clone())
    };
    if let Some((control, candidate)) = written(control).zip(written(candidate))
        && control != candidate
    {
        found.push(Mismatch {
            kind: FactKind::Definition,
            name: format!("{metric}: written"),
            control: Some(control),
            candidate: Some(candidate),
        });
    }
    found
}

/// One difference in how a metric's numbers are made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DefinitionChange {
    /// In what (`summary.type`).
    pub what: String,
    /// On the control's side; absent where it is not there.
    pub control: Option<String>,
    /// On the candidate's side.
    pub candidate: Option<String>,
}

/// Those of the mismatches that are about how a metric is made.
pub(crate) fn changes_of(metric: &str, mismatches: &[Mismatch]) -> Vec<DefinitionChange> {
    let about = |mismatch: &Mismatch| {
        let what = mismatch.name.strip_prefix(metric)?.strip_prefix(": ")?;
        let is_definition = mismatch.kind == FactKind::Definition;
        is_definition.then(|| DefinitionChange {
            what: what.to_owned(),
            control: mismatch.control.clone(),
            candidate: mismatch.candidate.clone(),
        })
    };
    mismatches.iter().filter_map(about).collect()
}

/// `summary.type: max and auc, round: none and 2`.
pub(crate) fn in_words(changes: &[DefinitionChange]) -> String {
    let side = |value: &Option<String>| value.clone().unwrap_or_else(|| "none".to_owned());
    let words = |change: &DefinitionChange| {
        let (control, candidate) = (side(&change.control), side(&change.candidate));
        format!("{}: {control} and {candidate}", change.what)
    };
    changes.iter().map(words).collect::<Vec<_>>().join(", ")
}
