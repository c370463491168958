//! What each swept parameter does to a metric: its mean at every value, the other parameters averaged out.
//!
//! A level's mean is only comparable with another's where both saw the same other parameters, tasks and seeds. So a
//! seed counts at a level with the settings that have a value at *every* level of the parameter; settings with a gap
//! (a failed trial) are left out at all levels, and counted. A level none of whose trials has a value stays in its place
//! and says so; the others are compared without it. Random sweeps have no such settings: their levels are
//! plain means, and the result says that they are not balanced.

mod tried;

use crate::compare::data::scores::between_points;
use crate::compare::data::scores::without_points;
use crate::compare::method::kind::is_timing;
use crate::dataset::Dataset;
use crate::error::AnalysisError;
use crate::order;
use fairtrial_model::{Direction, MetricDeclaration, ParamValue, Params};
use fairtrial_stats::descriptive::{correlation, mean, variance};
use fairtrial_stats::one_arm::{mean_interval, share_interval};
use fairtrial_stats::{Interval, Level};
use serde::Serialize;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use tried::{Cell, Tried, tried};

/// Version of the JSON form.
pub const SENSITIVITY_SCHEMA: u32 = 1;

/// What the swept parameters do to one metric.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Sensitivity {
    /// [`SENSITIVITY_SCHEMA`].
    pub schema: u32,
    /// The metric.
    pub metric: String,
    /// Its unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// Which way is better.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub direction: Option<Direction>,
    /// One minus the confidence of the intervals.
    pub alpha: f64,
    /// The parameters that take several values, in the order of the sweep.
    pub parameters: Vec<ParameterEffect>,
}

/// What one parameter does.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ParameterEffect {
    /// The parameter.
    pub name: String,
    /// Its effect in each arm; one entry where there are no arms.
    pub arms: Vec<ArmEffect>,
}

/// What one parameter does in one arm.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ArmEffect {
    /// The arm.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arm: Option<String>,
    /// Whether all levels are means over the same settings of the other parameters.
    pub balanced: bool,
    /// Values left out because another level has none at the same setting and seed.
    pub left_out: usize,
    /// Settings and seeds that were tried and have no value.
    pub without_value: usize,
    /// The levels that were tried, in order.
    pub levels: Vec<LevelMean>,
    /// Pearson's correlation of the parameter with the means of the sweep's points; absent where the parameter is not
    /// a number, nothing varies, or fewer than three levels have a value: two points always lie on a line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub correlation: Option<f64>,
    /// Share of the variance between the means of the sweep's points that goes with this parameter alone; absent where it
    /// is the only one, with which all of it goes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explained: Option<f64>,
    /// Places of the levels with the smallest and the largest mean.
    pub smallest: usize,
    /// See `smallest`.
    pub largest: usize,
    /// From the largest mean down to the smallest, as a share of the largest; absent where one of them is negative.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drop: Option<f64>,
}

/// The metric at one value of a parameter.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LevelMean {
    /// The value.
    pub value: ParamValue,
    /// The mean over seeds; absent where no trial has a value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean: Option<f64>,
    /// Its interval over seeds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<Interval>,
    /// Why there is no interval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why_none: Option<String>,
    /// Seeds.
    pub seeds: usize,
    /// Values behind it.
    pub values: usize,
    /// Settings and seeds that were tried at it and have no value.
    pub without_value: usize,
}

/// Levels with a value from which on a correlation says something.
const LEAST_LEVELS: usize = 3;

/// What is asked of every parameter.
#[derive(Clone, Copy)]
struct Question {
    level: Level,
    pass_or_fail: bool,
    /// Whether it is a duration, which is never below zero.
    timing: bool,
    /// Whether nothing else is swept.
    alone: bool,
}

/// Works out what each swept parameter does to a metric (the primary one where none is named).
pub fn sensitivity(
    data: &Dataset,
    metric: Option<&str>,
    alpha: f64,
) -> Result<Sensitivity, AnalysisError> {
    let names = data.metric_names();
    let name = match metric {
        Some(name) => names.iter().find(|known| *known == name),
        None => names.first(),
    };
    let name = name.ok_or_else(|| {
        let asked = metric.map_or("a metric".to_owned(), |name| format!("the metric `{name}`"));
        AnalysisError::Question(format!(
            "no trial reports {asked}; there are {}",
            names.join(", ")
        ))
    })?;
    let parameters = swept(data);
    if parameters.is_empty() {
        return Err(AnalysisError::Question(format!(
            "{} sweeps nothing: there is one point",
            data.label
        )));
    }
    let declared = data.declaration(name);
    let mut declared =
        declared.map_or_else(|| MetricDeclaration::named(name.as_str()), Cow::into_owned);
    let tasks: BTreeSet<&str> = data.reporting_tasks(name).into_iter().collect();
    // The same scale as that of the ranking: raw scores of several tasks have no common mean.
    let pass_or_fail = data.is_pass_or_fail(name);
    let between = if pass_or_fail {
        without_points(&mut declared);
        None
    } else {
        // Nothing here needs a margin, and one that fits no score must not stand in the way.
        declared.margin = None;
        between_points(&mut declared, &tasks)?
    };
    let question = Question {
        level: Level::two_sided(alpha),
        pass_or_fail,
        timing: is_timing(&declared),
        alone: parameters.len() == 1,
    };
    let effect = |parameter: &String| ParameterEffect {
        name: parameter.clone(),
        arms: arms(data)
            .iter()
            .map(Option::as_deref)
            .filter_map(|arm| {
                let tried = tried(data, arm, (name, between.as_ref()), &tasks);
                arm_effect(&tried, arm, parameter, question)
            })
            .collect(),
    };
    Ok(Sensitivity {
        schema: SENSITIVITY_SCHEMA,
        metric: name.clone(),
        unit: declared.unit,
        direction: declared.direction,
        alpha,
        parameters: parameters
            .iter()
            .map(effect)
            .filter(|effect| !effect.arms.is_empty())
            .collect(),
    })
}

/// Parameters with more than one value, in the order of the points' keys.
fn swept(data: &Dataset) -> Vec<String> {
    let mut values: Vec<(String, BTreeSet<String>)> = Vec::new();
    for point in &data.point_values {
        for (name, value) in point.iter() {
            let text = Params::display(value);
            match values.iter_mut().find(|(known, _)| known == name) {
                Some((_, seen)) => {
                    seen.insert(text);
                }
                None => values.push((name.to_owned(), BTreeSet::from([text]))),
            }
        }
    }
    values.retain(|(_, seen)| seen.len() > 1);
    values.into_iter().map(|(name, _)| name).collect()
}

fn arms(data: &Dataset) -> Vec<Option<String>> {
    let named = data.arm_names();
    if named.is_empty() {
        vec![None]
    } else {
        named.into_iter().map(Some).collect()
    }
}

/// What the other parameters, the task and the seed of a cell are: cells that share it differ in one parameter only.
fn setting(cell: &Cell<'_>, parameter: &str) -> String {
    let others = cell.point.iter().filter(|(name, _)| *name != parameter);
    let words: Vec<String> = others
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    format!("{} {} {}", cell.task, cell.seed, words.join(" "))
}

fn arm_effect(
    tried: &Tried<'_>,
    arm: Option<&str>,
    parameter: &str,
    question: Question,
) -> Option<ArmEffect> {
    let of_parameter: Vec<&Cell<'_>> = (tried.cells.iter())
        .filter(|cell| cell.point.get(parameter).is_some())
        .collect();
    let with_value = different(of_parameter.iter().map(|cell| cell.point), parameter).len();
    let kept = complete(&of_parameter, parameter, with_value);
    let balanced = !kept.is_empty();
    let used = if balanced { kept } else { of_parameter.clone() };
    let empty = || tried.empty.iter().copied();
    let points = of_parameter.iter().map(|cell| cell.point).chain(empty());
    let levels: Vec<LevelMean> = different(points, parameter)
        .into_iter()
        .map(|value| {
            let without = |point: &&Params| point.get(parameter) == Some(value);
            let mut level = level_mean(&used, parameter, value, question);
            level.without_value = empty().filter(without).count();
            level
        })
        .collect();
    let means: Vec<(usize, f64)> = (levels.iter().enumerate())
        .filter_map(|(place, level)| Some((place, level.mean?)))
        .collect();
    let by_mean = |a: &&(usize, f64), b: &&(usize, f64)| a.1.total_cmp(&b.1);
    let (smallest, low) = *means.iter().min_by(by_mean)?;
    let (largest, high) = *means.iter().max_by(by_mean)?;
    let points = point_means(&used, parameter);
    let apart = balanced && !question.alone;
    Some(ArmEffect {
        arm: arm.map(str::to_owned),
        balanced,
        left_out: of_parameter.len() - used.len(),
        without_value: levels.iter().map(|level| level.without_value).sum(),
        correlation: (means.len() >= LEAST_LEVELS)
            .then(|| correlated(&points))
            .flatten(),
        explained: apart.then(|| explained(&points, &levels)).flatten(),
        drop: (low >= 0.0 && high > 0.0).then_some((high - low) / high),
        smallest,
        largest,
        levels,
    })
}

/// The values of a parameter at these points, in order.
fn different<'a>(points: impl Iterator<Item = &'a Params>, parameter: &str) -> Vec<&'a ParamValue> {
    let mut values: Vec<&ParamValue> = Vec::new();
    for value in points.filter_map(|point| point.get(parameter)) {
        if !values.contains(&value) {
            values.push(value);
        }
    }
    values.sort_by(|a, b| order::values(a, b));
    values
}

/// The cells whose setting has a value at every level.
fn complete<'a>(cells: &[&'a Cell<'a>], parameter: &str, levels: usize) -> Vec<&'a Cell<'a>> {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for cell in cells {
        *seen.entry(setting(cell, parameter)).or_default() += 1;
    }
    let whole = |cell: &&&'a Cell<'a>| seen[&setting(cell, parameter)] == levels;
    cells.iter().filter(whole).copied().collect()
}

fn level_mean(
    cells: &[&Cell<'_>],
    parameter: &str,
    value: &ParamValue,
    question: Question,
) -> LevelMean {
    let here = cells
        .iter()
        .filter(|cell| cell.point.get(parameter) == Some(value));
    let mut by_seed: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
    for cell in here {
        by_seed.entry(cell.seed).or_default().push(cell.value);
    }
    // A seed is one unit however many settings it was run at: its trials share the seed's luck.
    let units: Vec<f64> = by_seed
        .values()
        .filter_map(|values| mean(values).ok())
        .collect();
    let interval = if question.pass_or_fail {
        share_interval(&units, question.level).map(|share| share.interval)
    } else {
        mean_interval(&units, question.level).map(|found| {
            let reaches_below = found.interval.low <= 0.0 && found.mean > 0.0;
            let can_be_below = units.iter().any(|unit| *unit < 0.0);
            if question.timing && reaches_below && !can_be_below {
                Interval::on_log_scale(found.mean, found.interval)
            } else {
                found.interval
            }
        })
    };
    LevelMean {
        value: value.clone(),
        mean: mean(&units).ok(),
        why_none: interval.as_ref().err().map(ToString::to_string),
        interval: interval.ok(),
        seeds: units.len(),
        values: by_seed.values().map(Vec::len).sum(),
        without_value: 0,
    }
}

/// Every point's mean with the parameter's value at it.
fn point_means(cells: &[&Cell<'_>], parameter: &str) -> Vec<(ParamValue, f64)> {
    let mut by_point: BTreeMap<String, (ParamValue, Vec<f64>)> = BTreeMap::new();
    for cell in cells {
        if let Some(value) = cell.point.get(parameter) {
            let entry = by_point.entry(cell.point.to_string());
            let (_, values) = entry.or_insert_with(|| (value.clone(), Vec::new()));
            values.push(cell.value);
        }
    }
    by_point
        .into_values()
        .filter_map(|(value, values)| Some((value, mean(&values).ok()?)))
        .collect()
}

fn correlated(points: &[(ParamValue, f64)]) -> Option<f64> {
    let (values, means): (Vec<Option<f64>>, Vec<f64>) = points
        .iter()
        .map(|(value, mean)| (value.as_f64(), *mean))
        .unzip();
    let values: Vec<f64> = values.into_iter().collect::<Option<_>>()?;
    correlation(&values, &means).ok()
}

/// In a balanced design the variance of the levels' means is the parameter's part of the variance of the points'.
fn explained(points: &[(ParamValue, f64)], levels: &[LevelMean]) -> Option<f64> {
    let of_level = |value: &ParamValue| levels.iter().find(|level| level.value == *value);
    let main: Vec<f64> = points
        .iter()
        .filter_map(|(value, _)| of_level(value)?.mean)
        .collect();
    let all: Vec<f64> = points.iter().map(|(_, mean)| *mean).collect();
    let (part, whole) = (variance(&main).ok()?, variance(&all).ok()?);
    (whole > 0.0).then_some((part / whole).min(1.0))
}
