//! The values of a metric, arm beside arm, with their quartiles.

use super::evidence::Evidence;
use crate::order;
use fairtrial_stats::descriptive::{QuantileRule, quantile};
use serde::Serialize;

/// Groups that one chart has room for.
const MOST_GROUPS: usize = 8;
/// Values that a box needs.
const BOXED: usize = 5;
/// Metrics that are shown.
const MOST_METRICS: usize = 6;

/// One metric by group.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MetricDistribution {
    /// The metric.
    pub metric: String,
    /// Its unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// The groups: arms, with task and sweep point where these differ.
    pub groups: Vec<ValueGroup>,
}

/// One group.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ValueGroup {
    /// Its name.
    pub name: String,
    /// How many trials it has, with a value or without.
    pub of: usize,
    /// The trials that have a value, by index.
    pub trials: Vec<u64>,
    /// Their values, in the same order.
    pub values: Vec<f64>,
    /// Smallest, lower quartile, median, upper quartile, largest; absent for few values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub five: Option<[f64; 5]>,
}

/// The metrics that have few enough groups, the declared ones first.
pub(super) fn distributions(
    evidence: &Evidence<'_>,
    notes: &mut Vec<String>,
) -> Vec<MetricDistribution> {
    let names = evidence.data.metric_names();
    let shown = names.iter().filter(|name| evidence.is_shown(name));
    let all = shown.map(|metric| one(evidence, metric));
    let mut found: Vec<MetricDistribution> = all
        .filter(|found| !found.groups.is_empty() && found.groups.len() <= MOST_GROUPS)
        .collect();
    if found.len() > MOST_METRICS {
        notes.push(format!(
            "{MOST_METRICS} of {} charts of every trial are shown, the first metrics.",
            found.len()
        ));
        found.truncate(MOST_METRICS);
    }
    found
}

fn one(evidence: &Evidence<'_>, metric: &str) -> MetricDistribution {
    let data = &evidence.data;
    let mut keys: Vec<(u32, u32, u32)> = Vec::new();
    let mut groups: Vec<(Vec<u64>, Vec<f64>)> = Vec::new();
    for (trial, value) in data.trials.iter().zip(data.values(metric)) {
        let Some(value) = value.filter(|value| value.is_finite()) else {
            continue;
        };
        let key = (trial.task, trial.point, trial.arm);
        let place = keys
            .iter()
            .position(|known| *known == key)
            .unwrap_or_else(|| {
                keys.push(key);
                groups.push((Vec::new(), Vec::new()));
                keys.len() - 1
            });
        groups[place].0.push(trial.index);
        groups[place].1.push(value);
    }
    // An arm without any value beside arms that have some is a group with nothing in it: it must not just vanish.
    for trial in &data.trials {
        let key = (trial.task, trial.point, trial.arm);
        let beside = keys
            .iter()
            .any(|known| (known.0, known.1) == (key.0, key.1));
        if beside && !keys.contains(&key) {
            keys.push(key);
            groups.push((Vec::new(), Vec::new()));
        }
    }
    let several =
        |part: fn(&(u32, u32, u32)) -> u32| keys.iter().any(|key| part(key) != part(&keys[0]));
    let (tasks, points) = (several(|key| key.0), several(|key| key.1));
    let mut order: Vec<usize> = (0..keys.len()).collect();
    let arm = |key: &(u32, u32, u32)| data.arms.get(key.2).clone().unwrap_or_default();
    let listed = order::Listed::of(evidence.spec.tasks.iter().map(|task| &task.id));
    let arms = order::Listed::of(&data.arm_order);
    order.sort_by(|a, b| {
        let (a, b) = (&keys[*a], &keys[*b]);
        let task = |key: &(u32, u32, u32)| data.tasks.get(key.0);
        listed
            .cmp(task(a), task(b))
            .then_with(|| {
                let point = |key: &(u32, u32, u32)| &data.point_values[key.1 as usize];
                order::points(point(a), point(b))
            })
            .then_with(|| arms.cmp(&arm(a), &arm(b)))
    });
    let name = |key: &(u32, u32, u32)| {
        let mut parts = Vec::new();
        if tasks {
            parts.push(data.tasks.get(key.0).clone());
        }
        parts.extend(Some(arm(key)).filter(|arm| !arm.is_empty()));
        if points {
            parts.push(data.points.get(key.1).clone());
        }
        if parts.is_empty() {
            parts.push(data.tasks.get(key.0).clone());
        }
        parts.join(" · ")
    };
    let unit = data
        .declaration(metric)
        .and_then(|declared| declared.unit.clone());
    let group = |place: usize| {
        let (trials, values) = groups[place].clone();
        let key = keys[place];
        let all = data.trials.iter();
        ValueGroup {
            name: name(&key),
            of: all
                .filter(|trial| (trial.task, trial.point, trial.arm) == key)
                .count(),
            five: five(&values),
            trials,
            values,
        }
    };
    MetricDistribution {
        metric: metric.to_owned(),
        unit,
        groups: order.into_iter().map(group).collect(),
    }
}

fn five(values: &[f64]) -> Option<[f64; 5]> {
    if values.len() < BOXED {
        return None;
    }
    let at = |p: f64| quantile(values, p, QuantileRule::default()).ok();
    Some([at(0.0)?, at(0.25)?, at(0.5)?, at(0.75)?, at(1.0)?])
}
