//! From a bootstrap distribution to the two ends: the formulas, apart from where the distribution came from.

use super::acceleration;
use super::distribution::Distribution;
use super::plan::Method;
use super::replicates::Replicates;
use super::result::{Ends, Flag};
use crate::dist::normal;
use crate::sample::representable;
use crate::{Interval, Level, Outcome, Side};

/// The estimate and its leave-one-out values, by independent sample.
pub(super) struct Estimate {
    pub(super) value: f64,
    pub(super) leave_one_out: Vec<Vec<f64>>,
}

/// The ends by one of the methods that only look at the distribution (all but the studentised one).
pub(super) fn ends(
    distribution: &mut impl Distribution,
    estimate: &Estimate,
    method: Method,
    level: Level,
) -> Ends {
    if distribution.is_degenerate() {
        return degenerate(estimate.value, level);
    }
    match method {
        Method::Percentile | Method::Studentised => percentile(distribution, level),
        Method::Basic => basic(distribution, estimate.value, level),
        Method::Bca => bca(distribution, estimate, level),
        Method::BcaMetta => bca_metta(distribution, estimate, level),
    }
}

/// The percentile interval and the standard error of a drawn distribution, for methods with their own results.
pub(crate) fn percentile_interval(
    replicates: &mut Replicates,
    level: Level,
) -> Outcome<(Interval, f64)> {
    let Ends { low, high, .. } = percentile(replicates, level);
    let standard_error = representable("the standard error", replicates.standard_error())?;
    Ok((Interval { low, high, level }, standard_error))
}

/// The point itself: every resample gave the same value.
pub(super) fn degenerate(value: f64, level: Level) -> Ends {
    let (low, high) = open(level, value, value);
    Ends {
        low,
        high,
        flags: vec![Flag::Degenerate],
        ..Ends::default()
    }
}

fn open(level: Level, low: f64, high: f64) -> (f64, f64) {
    match level.side {
        Side::TwoSided => (low, high),
        Side::Greater => (low, f64::INFINITY),
        Side::Less => (f64::NEG_INFINITY, high),
    }
}

fn percentile(distribution: &mut impl Distribution, level: Level) -> Ends {
    at(distribution, level, normal::cdf)
}

/// The quantiles at the levels that `adjust` makes of the normal scores of the two tails.
fn at(distribution: &mut impl Distribution, level: Level, adjust: impl Fn(f64) -> f64) -> Ends {
    let low = level
        .lower_tail()
        .map(|tail| adjust(normal::quantile(tail)));
    let high = level
        .upper_tail()
        .map(|tail| adjust(-normal::quantile(tail)));
    Ends {
        low: low.map_or(f64::NEG_INFINITY, |p| {
            distribution.quantile(p.clamp(0.0, 1.0))
        }),
        high: high.map_or(f64::INFINITY, |p| distribution.quantile(p.clamp(0.0, 1.0))),
        ..Ends::default()
    }
}

fn basic(distribution: &mut impl Distribution, estimate: f64, level: Level) -> Ends {
    let low = level
        .lower_tail()
        .map(|tail| 2.0 * estimate - distribution.quantile(1.0 - tail));
    let high = level
        .upper_tail()
        .map(|tail| 2.0 * estimate - distribution.quantile(tail));
    Ends {
        low: low.unwrap_or(f64::NEG_INFINITY),
        high: high.unwrap_or(f64::INFINITY),
        ..Ends::default()
    }
}

fn bca(distribution: &mut impl Distribution, estimate: &Estimate, level: Level) -> Ends {
    let z0 = normal::quantile(distribution.mid_rank(estimate.value));
    let Some(a) = acceleration::textbook(&estimate.leave_one_out).filter(|_| z0.is_finite()) else {
        return Ends {
            flags: vec![Flag::FellBackToPercentile],
            ..percentile(distribution, level)
        };
    };
    let adjust = |z: f64| corrected_level(z0, a, z);
    Ends {
        bias_correction: Some(z0),
        acceleration: Some(a),
        ..at(distribution, level, adjust)
    }
}

/// The level of BCa for a normal score. Far in the tails the divisor reaches zero; there the whole range is meant.
fn corrected_level(z0: f64, a: f64, z: f64) -> f64 {
    let score = z0 + z;
    let divisor = 1.0 - a * score;
    if score.is_infinite() || divisor <= 0.0 {
        return end_of_range(score);
    }
    normal::cdf(z0 + score / divisor)
}

fn end_of_range(score: f64) -> f64 {
    if score > 0.0 { 1.0 } else { 0.0 }
}

/// The original's formula, with its guards, to the letter.
fn bca_metta(distribution: &mut impl Distribution, estimate: &Estimate, level: Level) -> Ends {
    let share = distribution
        .share_below(estimate.value)
        .clamp(1e-12, 1.0 - 1e-12);
    let z0 = normal::quantile(share);
    let Some(a) = acceleration::metta(&estimate.leave_one_out) else {
        return Ends {
            flags: vec![Flag::FellBackToPercentile],
            ..percentile(distribution, level)
        };
    };
    let adjust = |z: f64| {
        let level = normal::cdf(z0 + z / (1.0 - a * (z - z0) + 1e-12));
        if level.is_nan() {
            end_of_range(z)
        } else {
            level
        }
    };
    let corrected = distribution.quantile(adjust(0.0));
    Ends {
        bias_correction: Some(z0),
        acceleration: Some(a),
        corrected_estimate: Some(corrected),
        ..at(distribution, level, adjust)
    }
}
