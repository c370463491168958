//! The differences of the pairs that a paired verdict rests on, one by one: same task, same seed, same repetition.

use super::evidence::Evidence;
use fairtrial_model::{Direction, Outcome, Record, TrialKey};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// Pairs that are worth a picture, and pairs that it has room for.
const FEWEST: usize = 3;
const MOST: usize = 200;

/// The pairs of one arm with the control.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ArmPairs {
    /// The metric.
    pub metric: String,
    /// Its unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// Which way is better, where that was said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub direction: Option<Direction>,
    /// The control.
    pub control: String,
    /// The arm.
    pub arm: String,
    /// The pairs with their differences (arm minus control), the smallest first.
    pub differences: Vec<(String, f64)>,
    /// Pairs of which a side has no value.
    pub broken: usize,
}

type Pair<'a> = (&'a str, u64, u32);

/// The pairs of every arm, of a run without a sweep.
pub(super) fn pairs(evidence: &Evidence<'_>) -> Vec<ArmPairs> {
    let spec = evidence.spec;
    let (Some(metric), Some(control)) = (spec.primary_metric(), control(evidence)) else {
        return Vec::new();
    };
    if spec.arms.len() < 2 || spec.is_swept() {
        return Vec::new();
    }
    let of_arm = |arm: &str| {
        let records = evidence.records.iter();
        let records = records.filter(|record| record.trial.arm.as_deref() == Some(arm));
        let values = records.map(|record| (key(&record.trial), value(record, metric)));
        values.collect::<BTreeMap<Pair<'_>, Option<f64>>>()
    };
    let base = of_arm(&control);
    let others = spec.arms.iter().filter(|arm| arm.name != control);
    let found = others.map(|arm| {
        let own = of_arm(&arm.name);
        let both = || {
            own.iter()
                .filter_map(|(key, value)| Some((key, value, base.get(key)?)))
        };
        let tasks: BTreeSet<&str> = both().map(|((task, ..), ..)| *task).collect();
        let (mut differences, mut broken) = (Vec::new(), 0);
        for (key, value, base) in both() {
            match (value, base) {
                (Some(value), Some(base)) => {
                    differences.push((name(key, tasks.len()), value - base));
                }
                _ => broken += 1,
            }
        }
        differences.sort_by(|a, b| a.1.total_cmp(&b.1).then_with(|| a.0.cmp(&b.0)));
        let declared = evidence.data.declaration(metric);
        ArmPairs {
            metric: metric.to_owned(),
            unit: declared.as_ref().and_then(|declared| declared.unit.clone()),
            direction: declared.and_then(|declared| declared.direction),
            control: control.clone(),
            arm: arm.name.clone(),
            differences,
            broken,
        }
    });
    let fits = |pairs: &ArmPairs| (FEWEST..=MOST).contains(&pairs.differences.len());
    found.filter(fits).collect()
}

/// The arm that the others are compared with.
fn control(evidence: &Evidence<'_>) -> Option<String> {
    let named = evidence.spec.analysis.control.clone();
    named.or_else(|| evidence.spec.arms.first().map(|arm| arm.name.clone()))
}

fn key(trial: &TrialKey) -> Pair<'_> {
    (&trial.task, trial.seed, trial.rollout)
}

fn value(record: &Record, metric: &str) -> Option<f64> {
    let number = record.metrics.get(metric)?.0;
    (record.outcome == Outcome::Ok && number.is_finite()).then_some(number)
}

fn name((task, seed, rollout): &Pair<'_>, tasks: usize) -> String {
    let task = if tasks > 1 {
        format!("{task} · ")
    } else {
        String::new()
    };
    let rollout = if *rollout > 0 {
        format!(" · {rollout}")
    } else {
        String::new()
    };
    format!("{task}{seed}{rollout}")
}
