//! Did it come out the same? Trial by trial: outcomes, metrics, and what was run.

use fairtrial_journal::{CodePart, CodeSets, RunDir};
use fairtrial_model::{Number, Outcome, Record};
use fairtrial_spec::Spec;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// A trial that ended otherwise.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OtherOutcome {
    /// Its place in the run.
    pub trial: u64,
    /// How it ended then.
    pub then: Outcome,
    /// How it ended now.
    pub now: Outcome,
}

/// A value that came out otherwise; absent where the trial has none.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OtherValue {
    /// The trial's place in the run.
    pub trial: u64,
    /// The value then.
    pub then: Option<Number>,
    /// The value now.
    pub now: Option<Number>,
}

/// One metric over all trials.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MetricAgain {
    /// Its name.
    pub metric: String,
    /// Whether the spec says that it is always the same.
    pub deterministic: bool,
    /// Trials whose value is the same to the last digit.
    pub same: usize,
    /// Trials whose value is another.
    pub other: usize,
    /// The first of those.
    pub first: Option<OtherValue>,
}

/// Records of a trial, then and now.
pub(super) type Pair<'a> = (&'a Record, &'a Record);

/// The trials that ended otherwise.
pub(super) fn outcomes(pairs: &[Pair<'_>]) -> Vec<OtherOutcome> {
    let differs = pairs
        .iter()
        .filter(|(then, now)| then.outcome != now.outcome);
    differs
        .map(|(then, now)| OtherOutcome {
            trial: then.trial.index,
            then: then.outcome,
            now: now.outcome,
        })
        .collect()
}

/// The metrics, declared ones first.
pub(super) fn metrics(pairs: &[Pair<'_>], spec: &Spec) -> Vec<MetricAgain> {
    let mut found: BTreeMap<&str, MetricAgain> = BTreeMap::new();
    for (then, now) in pairs {
        let names: BTreeSet<&String> = then.metrics.keys().chain(now.metrics.keys()).collect();
        for name in names {
            let (before, after) = (then.metrics.get(name), now.metrics.get(name));
            let again = found.entry(name).or_insert_with(|| fresh(name, spec));
            if equal(before, after) {
                again.same += 1;
                continue;
            }
            again.other += 1;
            again.first.get_or_insert(OtherValue {
                trial: then.trial.index,
                then: before.copied(),
                now: after.copied(),
            });
        }
    }
    let place = |name: &str| spec.metrics.iter().position(|metric| metric.name == name);
    let mut metrics: Vec<MetricAgain> = found.into_values().collect();
    metrics.sort_by_key(|it| place(&it.metric).unwrap_or(usize::MAX));
    metrics
}

fn fresh(name: &str, spec: &Spec) -> MetricAgain {
    let declared = spec.metrics.iter().find(|metric| metric.name == name);
    MetricAgain {
        metric: name.to_owned(),
        deterministic: declared.is_some_and(|metric| metric.deterministic),
        same: 0,
        other: 0,
        first: None,
    }
}

/// The same to the last digit; no number is the same as no number.
fn equal(one: Option<&Number>, other: Option<&Number>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => one == other || (one.0.is_nan() && other.0.is_nan()),
        (one, other) => one.is_none() && other.is_none(),
    }
}

/// What was run otherwise, by name: files of programs, packages with their versions.
pub(super) fn code(then_in: &RunDir, now_in: &RunDir, pairs: &[Pair<'_>]) -> Vec<String> {
    let (mut then_sets, mut now_sets) = (CodeSets::of(then_in), CodeSets::of(now_in));
    let mut names = BTreeSet::new();
    for (then, now) in pairs {
        let (Some(then), Some(now)) = (&then.code, &now.code) else {
            continue;
        };
        for part in CodePart::ALL {
            if let (Some(before), Some(after)) = (part.of(then), part.of(now))
                && before != after
            {
                names.extend(part.differences(then_sets.get(before), now_sets.get(after)));
            }
        }
    }
    names.into_iter().collect()
}
