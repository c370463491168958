//! Several metrics, or several tasks, at once: each arm as a share of the control, and its performance profile.

use super::evidence::Evidence;
use crate::compare::data::scores::between_points;
use crate::compare::result::Comparison;
use crate::dataset::Trial;
use fairtrial_model::{Direction, MetricDeclaration};
use fairtrial_spec::Spec;
use fairtrial_stats::suite::{Metric, Scores, SuitePlan, profile_band};
use serde::Serialize;
use std::borrow::Cow;

/// Metrics that an overview of several needs, and has room for.
const FEWEST: usize = 3;
const MOST: usize = 8;
/// Scores at which a profile is taken, and how often its band is drawn.
const THRESHOLDS: usize = 81;
const RESAMPLES: usize = 1000;

/// Metrics as shares of the control's, turned so that more is better.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MetricShares {
    /// The metrics.
    pub metrics: Vec<String>,
    /// How many more there would be.
    pub more: usize,
    /// Metrics that say which way is better and have no share in some arm, with the first of those arms.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub without_share: Vec<(String, String)>,
    /// The arms, the control first.
    pub arms: Vec<ArmShares>,
}

/// One arm.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ArmShares {
    /// Its name.
    pub arm: String,
    /// Its place among the arms of the spec, by which all charts draw it alike.
    #[serde(skip)]
    pub place: usize,
    /// One share per metric.
    pub shares: Vec<f64>,
}

/// Which share of runs is better than each score: above it, or below where lower is better.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MetricProfile {
    /// The metric.
    pub metric: String,
    /// Its unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// Whether scores are those between the reference points, and not as they were reported.
    pub normalised: bool,
    /// Which way is better; up where nobody said.
    pub direction: Direction,
    /// How many tasks.
    pub tasks: usize,
    /// The scores.
    pub thresholds: Vec<f64>,
    /// The arms.
    pub arms: Vec<ArmProfile>,
}

/// One arm.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ArmProfile {
    /// Its name.
    pub arm: String,
    /// Its place among the arms of the spec, by which all charts draw it alike.
    #[serde(skip)]
    pub place: usize,
    /// How many trials it has, however they ended, and how many of them have a value.
    pub trials: usize,
    /// See `trials`.
    pub values: usize,
    /// Share with the lower and upper end of its band, per score; empty where a task has no value at all.
    pub share: Vec<[f64; 3]>,
}

/// The overview of a comparison at one sweep point, where enough metrics say which way is better.
pub(super) fn shares(comparison: &Comparison, spec: &Spec) -> Option<MetricShares> {
    let first = comparison.contrasts.first()?;
    let one_point = comparison
        .contrasts
        .iter()
        .all(|contrast| contrast.point == first.point);
    let oriented = |contrast: &crate::compare::Contrast, metric: &str| {
        let found = contrast.metrics.iter().find(|of| of.metric == metric)?;
        let effect = found.effect.as_ref()?;
        let share = match found.direction? {
            Direction::Up => effect.candidate / effect.control,
            Direction::Down => effect.control / effect.candidate,
        };
        (effect.control > 0.0 && effect.candidate > 0.0 && share.is_finite()).then_some(share)
    };
    let mut metrics: Vec<String> = Vec::new();
    let mut without_share = Vec::new();
    for metric in first.metrics.iter().filter(|of| of.direction.is_some()) {
        let name = &metric.metric;
        let mut contrasts = comparison.contrasts.iter();
        match contrasts.find(|contrast| oriented(contrast, name).is_none()) {
            Some(contrast) => {
                let arm = contrast.candidate.short().to_owned();
                without_share.push((name.clone(), arm));
            }
            None => metrics.push(name.clone()),
        }
    }
    let more = metrics.len().saturating_sub(MOST);
    metrics.truncate(MOST);
    if !one_point || metrics.len() < FEWEST {
        return None;
    }
    let mut arms = vec![ArmShares {
        arm: first.control.short().to_owned(),
        place: place(spec, first.control.short()),
        shares: vec![1.0; metrics.len()],
    }];
    arms.extend(comparison.contrasts.iter().map(|contrast| {
        ArmShares {
            arm: contrast.candidate.short().to_owned(),
            place: place(spec, contrast.candidate.short()),
            shares: metrics
                .iter()
                .filter_map(|metric| oriented(contrast, metric))
                .collect(),
        }
    }));
    Some(MetricShares {
        metrics,
        more,
        without_share,
        arms,
    })
}

/// The place of an arm in the spec.
pub(super) fn place(spec: &Spec, arm: &str) -> usize {
    let found = spec.arms.iter().position(|known| known.name == arm);
    found.unwrap_or(spec.arms.len())
}

/// The profile of the primary metric, where there are several tasks and arms, and no sweep.
pub(super) fn profile(evidence: &Evidence<'_>) -> Option<MetricProfile> {
    let (data, spec) = (&evidence.data, evidence.spec);
    let metric = spec.primary_metric()?.to_owned();
    let tasks = data.tasks.iter().count();
    if tasks < 2 || data.arm_names().len() < 2 || data.points.iter().count() > 1 {
        return None;
    }
    let declared = data.declaration(&metric);
    let mut declared = declared.map_or_else(
        || MetricDeclaration::named(metric.as_str()),
        Cow::into_owned,
    );
    let reporting = data.reporting_tasks(&metric).into_iter().collect();
    // A profile needs no margin, and one that fits no score must not hide it.
    declared.margin = None;
    let between = between_points(&mut declared, &reporting).ok()?;
    let scored = |trial: &Trial, value: f64| match &between {
        Some(reference) => {
            let points = reference.points(data.tasks.get(trial.task))?;
            Some(points.normalised(value))
        }
        None => Some(value),
    };
    let reported = data.trials.iter().zip(data.values(&metric));
    let values: Vec<Option<f64>> = reported
        .map(|(trial, value)| value.and_then(|value| scored(trial, value)))
        .collect();
    let finite: Vec<f64> = values
        .iter()
        .flatten()
        .copied()
        .filter(|value| value.is_finite())
        .collect();
    let (low, high) = (
        finite.iter().copied().reduce(f64::min)?,
        finite.iter().copied().reduce(f64::max)?,
    );
    if low >= high {
        return None;
    }
    let direction = declared.direction.unwrap_or(Direction::Up);
    // From just beyond the worst score, which all runs pass, to the best, which none passes.
    let step = (high - low) / (THRESHOLDS - 1) as f64;
    let first = match direction {
        Direction::Up => low - step,
        Direction::Down => low,
    };
    let thresholds: Vec<f64> = (0..=THRESHOLDS).map(|n| first + n as f64 * step).collect();
    // The share above a score of what is turned round is the share below it.
    let turned = |value: f64| match direction {
        Direction::Up => value,
        Direction::Down => -value,
    };
    let turned_thresholds: Vec<f64> = thresholds.iter().copied().map(turned).collect();
    let scores_of = |arm: &str| {
        let mut scores = vec![Vec::new(); tasks];
        for (trial, value) in data.trials.iter().zip(&values) {
            if data.arms.get(trial.arm).as_deref() == Some(arm)
                && let Some(value) = value.filter(|value| value.is_finite())
            {
                scores[trial.task as usize].push(turned(value));
            }
        }
        scores
    };
    let of_arm = |arm: String| {
        let scores = scores_of(&arm);
        let of_this = |trial: &&Trial| data.arms.get(trial.arm).as_deref() == Some(arm.as_str());
        let plan = SuitePlan {
            resamples: RESAMPLES,
            level: fairtrial_stats::Level::two_sided(evidence.alpha),
            ..SuitePlan::new(Metric::Mean, 0)
        };
        let banded = Scores::new(&scores)
            .and_then(|scores| profile_band(&scores, &turned_thresholds, &plan));
        ArmProfile {
            place: place(spec, &arm),
            trials: data.trials.iter().filter(of_this).count(),
            values: scores.iter().map(Vec::len).sum(),
            share: banded.map_or_else(
                |_| Vec::new(),
                |found| {
                    let share = found.profile.share.iter().zip(&found.band);
                    share
                        .map(|(share, band)| [*share, band.low, band.high])
                        .collect()
                },
            ),
            arm,
        }
    };
    let arms: Vec<ArmProfile> = data.arm_names().into_iter().map(of_arm).collect();
    let drawn = arms.iter().filter(|arm| !arm.share.is_empty()).count();
    (drawn > 1).then(|| MetricProfile {
        unit: declared.unit.clone(),
        metric,
        normalised: between.is_some(),
        direction,
        tasks,
        thresholds,
        arms,
    })
}
