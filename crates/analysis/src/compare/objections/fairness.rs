//! Is the comparison fair: do the sides share what they were asked to share (capacity, curriculum, steps, data)?
//!
//! A key is looked up in what trials report about themselves (a number, else words), else in the parameters they were
//! given.

use crate::compare::data::contrasts::PlannedContrast;
use crate::compare::data::side::ComparedSide;
use crate::compare::objections::objection::{Objection, ObjectionKind, UnfairKey};
use fairtrial_model::{EqualRule, Params, Tolerance};
use fairtrial_stats::descriptive;
use serde::Serialize;
use std::collections::BTreeSet;

/// What was found about one key.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Fairness {
    /// The key and how alike the sides must be.
    pub rule: EqualRule,
    /// On the control's side; absent where nothing is known.
    pub control: Option<String>,
    /// On the candidate's side.
    pub candidate: Option<String>,
    /// Whether they are alike; absent where one side is not known.
    pub equal: Option<bool>,
}

/// Looks up every key on both sides.
pub(crate) fn check(contrast: &PlannedContrast<'_>, rules: &[EqualRule]) -> Vec<Fairness> {
    rules.iter().map(|rule| one(contrast, rule)).collect()
}

/// The objection, where the sides are not alike, or not known to be.
pub(crate) fn find(found: &[Fairness]) -> Option<Objection> {
    let unequal = found.iter().filter(|fairness| fairness.equal != Some(true));
    let keys = unequal.map(|fairness| UnfairKey {
        key: fairness.rule.key.clone(),
        known: fairness.equal.is_some(),
    });
    let keys: Vec<UnfairKey> = keys.collect();
    (!keys.is_empty()).then(|| Objection::noted(ObjectionKind::Unfair { keys }))
}

fn one(contrast: &PlannedContrast<'_>, rule: &EqualRule) -> Fairness {
    let control = value(&contrast.control, rule);
    let candidate = value(&contrast.candidate, rule);
    let equal = match (&control, &candidate) {
        (Some(left), Some(right)) => Some(alike(left, right, rule.tolerance)),
        _ => None,
    };
    Fairness {
        rule: rule.clone(),
        control: control.map(|value| value.text()),
        candidate: candidate.map(|value| value.text()),
        equal,
    }
}

/// What a side says about itself.
enum Said {
    /// A metric: smallest, mean and largest over its trials.
    Numbers { least: f64, mean: f64, most: f64 },
    /// Words, or parameters: one per task where tasks have their own.
    Words(Vec<String>),
}

impl Said {
    fn text(&self) -> String {
        match self {
            Self::Numbers { least, most, .. } if least == most => least.to_string(),
            Self::Numbers { least, mean, most } => format!("{mean} ({least} to {most})"),
            Self::Words(words) => words.join(", "),
        }
    }
}

fn value(side: &ComparedSide<'_>, rule: &EqualRule) -> Option<Said> {
    reported(side, &rule.key)
        .or_else(|| said(side, &rule.key))
        .or_else(|| given(side, &rule.key))
}

/// What the trials say in words: all their different answers.
fn said(side: &ComparedSide<'_>, key: &str) -> Option<Said> {
    let data = side.data;
    let here = side.holds();
    let answers = data.said.iter();
    let words: BTreeSet<String> = answers
        .filter(|((name, arm, at), _)| name == key && here(*arm, *at))
        .flat_map(|(_, words)| words.iter().cloned())
        .collect();
    (!words.is_empty()).then(|| Said::Words(words.into_iter().collect()))
}

fn reported(side: &ComparedSide<'_>, key: &str) -> Option<Said> {
    let data = side.data;
    let holds = side.holds();
    let all = data.trials.iter().zip(data.values(key));
    let here = all.filter(|(trial, _)| holds(trial.arm, trial.point));
    let values: Vec<f64> = here
        .filter_map(|(_, value)| value)
        .filter(|value| value.is_finite())
        .collect();
    Some(Said::Numbers {
        least: values.iter().copied().reduce(f64::min)?,
        mean: descriptive::mean(&values).ok()?,
        most: values.iter().copied().reduce(f64::max)?,
    })
}

/// The arm's parameter wins over the sweep point's, which wins over the tasks'.
fn given(side: &ComparedSide<'_>, key: &str) -> Option<Said> {
    let data = side.data;
    let of_arm = data
        .arm_params
        .iter()
        .find(|(name, _)| Some(name) == side.arm.as_ref());
    let single = of_arm
        .and_then(|(_, params)| params.get(key))
        .or_else(|| side.point.get(key));
    if let Some(value) = single {
        return Some(Said::Words(vec![Params::display(value)]));
    }
    let words: Vec<String> = data
        .task_params
        .iter()
        .filter_map(|(task, params)| Some(format!("{task}: {}", Params::display(params.get(key)?))))
        .collect();
    (!words.is_empty()).then_some(Said::Words(words))
}

fn alike(left: &Said, right: &Said, tolerance: Tolerance) -> bool {
    let (a, b) = match (left, right) {
        (Said::Words(left), Said::Words(right)) => match (numbers(left), numbers(right)) {
            (Some(a), Some(b)) => ((a, a), (b, b)),
            _ => return left == right,
        },
        (
            Said::Numbers { least, most, .. },
            Said::Numbers {
                least: low,
                most: high,
                ..
            },
        ) => ((*least, *most), (*low, *high)),
        _ => return left.text() == right.text(),
    };
    // Every trial of one side against every trial of the other: the farthest two decide.
    let gap = (a.1 - b.0).abs().max((b.1 - a.0).abs());
    match tolerance {
        Tolerance::Exact => gap == 0.0,
        Tolerance::Absolute(size) => gap <= size,
        Tolerance::Share(share) => gap <= share * a.0.abs().max(a.1.abs()),
    }
}

fn numbers(words: &[String]) -> Option<f64> {
    match words {
        [one] => one.parse().ok(),
        _ => None,
    }
}
