//! Several metrics, or several tasks, at once: each arm as a share of the control, and its performance profile.

use super::Evidence;
use crate::Comparison;
use crate::compare::scores::between_points;
use crate::dataset::Trial;
use fairtrial_model::{Direction, MetricDeclaration};
use fairtrial_stats::suite::{Metric, Scores, SuitePlan, profile_band};
use serde::Serialize;

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
    /// The arms, the control first.
    pub arms: Vec<ArmShares>,
}

/// One arm.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ArmShares {
    /// Its name.
    pub arm: String,
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
    /// Share with the lower and upper end of its band, per score.
    pub share: Vec<[f64; 3]>,
}

/// The overview of a comparison at one sweep point, where enough metrics say which way is better.
pub(super) fn shares(comparison: &Comparison) -> Option<MetricShares> {
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
    let names = first.metrics.iter().map(|metric| metric.metric.clone());
    let mut metrics: Vec<String> = names
        .filter(|name| {
            let shares = comparison
                .contrasts
                .iter()
                .map(|contrast| oriented(contrast, name));
            shares.into_iter().all(|share| share.is_some())
        })
        .collect();
    let more = metrics.len().saturating_sub(MOST);
    metrics.truncate(MOST);
    if !one_point || metrics.len() < FEWEST {
        return None;
    }
    let mut arms = vec![ArmShares {
        arm: first.control.short().to_owned(),
        shares: vec![1.0; metrics.len()],
    }];
    arms.extend(comparison.contrasts.iter().map(|contrast| {
        ArmShares {
            arm: contrast.candidate.short().to_owned(),
            shares: metrics
                .iter()
                .filter_map(|metric| oriented(contrast, metric))
                .collect(),
        }
    }));
    Some(MetricShares {
        metrics,
        more,
        arms,
    })
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
    let mut declared = declared
        .cloned()
        .unwrap_or_else(|| MetricDeclaration::named(metric.as_str()));
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
        let scores = Scores::new(&scores).ok()?;
        let plan = SuitePlan {
            resamples: RESAMPLES,
            level: fairtrial_stats::Level::two_sided(evidence.alpha),
            ..SuitePlan::new(Metric::Mean, 0)
        };
        let found = profile_band(&scores, &turned_thresholds, &plan).ok()?;
        let share = found.profile.share.iter().zip(&found.band);
        Some(ArmProfile {
            arm,
            share: share
                .map(|(share, band)| [*share, band.low, band.high])
                .collect(),
        })
    };
    let arms: Vec<ArmProfile> = data.arm_names().into_iter().filter_map(of_arm).collect();
    (arms.len() > 1).then(|| MetricProfile {
        unit: declared.unit.clone(),
        metric,
        normalised: between.is_some(),
        direction,
        tasks,
        thresholds,
        arms,
    })
}
