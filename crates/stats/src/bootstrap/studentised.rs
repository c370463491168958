//! The studentised bootstrap (bootstrap-t) of a mean or a difference of means: quantiles of the estimate in units of
//! its own standard error, which gives back the coverage that the percentile method loses in small samples.

use super::endpoints::degenerate;
use super::replicates::Draws;
use super::result::Ends;
use super::selection::quantile_type7;
use super::statistic::{mean, sample_variance};
use crate::Level;
use crate::rng::{Purpose, Stream};
use crate::{Dropped, Outcome, Undefined};

const PURPOSE: Purpose = Purpose::new("bootstrap/studentised");

/// A mean (or difference of means) and its standard error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct MeanAndError {
    pub(super) mean: f64,
    pub(super) error: f64,
}

impl MeanAndError {
    pub(super) fn of(sample: &[f64]) -> Self {
        Self {
            mean: mean(sample),
            error: (sample_variance(sample) / sample.len() as f64).sqrt(),
        }
    }

    /// The candidate minus the control, with Welch's standard error.
    pub(super) fn difference(control: Self, candidate: Self) -> Self {
        Self {
            mean: candidate.mean - control.mean,
            error: control.error.hypot(candidate.error),
        }
    }
}

/// Draws the resamples of one or two independent samples (control, candidate).
pub(super) fn draw(arms: &[&[f64]], draws: Draws) -> Vec<MeanAndError> {
    let cost = arms.iter().map(|arm| arm.len()).sum();
    let mut out = vec![
        MeanAndError {
            mean: 0.0,
            error: 0.0
        };
        draws.count
    ];
    draws.source(PURPOSE).fill(&mut out, cost, |stream, block| {
        let mut scratch: Vec<Vec<f64>> = arms.iter().map(|arm| vec![0.0; arm.len()]).collect();
        block.fill_with(|| draw_one(stream, arms, &mut scratch));
    });
    out
}

fn draw_one(stream: &mut Stream, arms: &[&[f64]], scratch: &mut [Vec<f64>]) -> MeanAndError {
    for (arm, buffer) in arms.iter().zip(scratch.iter_mut()) {
        super::replicates::resample(stream, arm, buffer);
    }
    combine(scratch)
}

/// One sample's mean, or the difference of two.
pub(super) fn combine<S: AsRef<[f64]>>(samples: &[S]) -> MeanAndError {
    match samples {
        [control, candidate] => MeanAndError::difference(
            MeanAndError::of(control.as_ref()),
            MeanAndError::of(candidate.as_ref()),
        ),
        [one, ..] => MeanAndError::of(one.as_ref()),
        [] => MeanAndError {
            mean: 0.0,
            error: 0.0,
        },
    }
}

/// The ends from the resampled means and errors. Resamples without spread have no t value; they are counted.
pub(super) fn ends(
    estimate: MeanAndError,
    drawn: &[MeanAndError],
    level: Level,
) -> Outcome<(Ends, Vec<Dropped>)> {
    let scale = drawn
        .iter()
        .fold(estimate.mean.abs(), |largest, d| largest.max(d.mean.abs()));
    let negligible = 8.0 * f64::EPSILON * scale;
    if estimate.error <= negligible {
        return Ok((degenerate(estimate.mean, level), Vec::new()));
    }
    let mut t: Vec<f64> = drawn
        .iter()
        .filter(|d| d.error > negligible)
        .map(|d| (d.mean - estimate.mean) / d.error)
        .filter(|t| t.is_finite())
        .collect();
    let lost = drawn.len() - t.len();
    if t.is_empty() {
        return Err(Undefined::NoSolution(
            "no resample varies, so the studentised bootstrap has nothing to work with".into(),
        ));
    }
    let dropped = if lost > 0 {
        vec![Dropped {
            count: lost,
            why: "resamples without any spread".into(),
        }]
    } else {
        Vec::new()
    };
    let mut end = |p: f64| estimate.mean - quantile_type7(&mut t, p) * estimate.error;
    let low = level
        .lower_tail()
        .map_or(f64::NEG_INFINITY, |tail| end(1.0 - tail));
    let high = level.upper_tail().map_or(f64::INFINITY, &mut end);
    Ok((
        Ends {
            low,
            high,
            ..Ends::default()
        },
        dropped,
    ))
}
