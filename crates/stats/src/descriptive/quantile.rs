//! Quantiles, by the rules that the systems we compare with use.

use serde::Serialize;

use crate::{Outcome, Undefined, sample};

/// How a quantile between two order statistics is formed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Default)]
#[serde(rename_all = "kebab-case")]
pub enum QuantileRule {
    /// Linear interpolation at `p (n - 1)`: Hyndman-Fan type 7, the default of R, NumPy and pandas.
    #[default]
    Linear,
    /// The one order statistic at `p (n - 1)` rounded half to even, as AgentFarm reports p50 and p95: always a value that
    /// occurred, but not the median for an even count.
    RoundHalfEven,
    /// The smallest value with at least a share `p` at or below it (type 1): never below the true quantile's rank.
    Inverse,
}

/// The quantile of a sample.
pub fn quantile(xs: &[f64], p: f64, rule: QuantileRule) -> Outcome<f64> {
    sample::finite("the sample", xs)?;
    if !(0.0..=1.0).contains(&p) {
        return Err(Undefined::BadArgument {
            name: "p".into(),
            value: p,
            expected: "a share between 0 and 1".into(),
        });
    }
    Ok(quantile_sorted(&sorted(xs), p, rule))
}

/// The quantile of values that are already in ascending order, finite and not empty; `p` in [0, 1].
pub fn quantile_sorted(ascending: &[f64], p: f64, rule: QuantileRule) -> f64 {
    let last = ascending.len() - 1;
    let place = p * last as f64;
    match rule {
        QuantileRule::Linear => {
            let below = (place.floor() as usize).min(last);
            let share = place - below as f64;
            let (a, b) = (ascending[below], ascending[(below + 1).min(last)]);
            // Two forms, so that a share of 1 gives exactly b and equal ends give exactly their value.
            if share < 0.5 {
                a + (b - a) * share
            } else {
                b - (b - a) * (1.0 - share)
            }
        }
        QuantileRule::RoundHalfEven => ascending[(place.round_ties_even() as usize).min(last)],
        QuantileRule::Inverse => {
            let rank = (p * ascending.len() as f64 * (1.0 - 4.0 * f64::EPSILON)).ceil() as usize;
            ascending[rank.saturating_sub(1).min(last)]
        }
    }
}

/// The middle value, or the mean of the two middle ones.
pub fn median(xs: &[f64]) -> Outcome<f64> {
    sample::finite("the sample", xs)?;
    Ok(median_of_sorted(&sorted(xs)))
}

/// The median of ascending values, without overflow.
pub(super) fn median_of_sorted(ascending: &[f64]) -> f64 {
    let n = ascending.len();
    let (a, b) = (ascending[(n - 1) / 2], ascending[n / 2]);
    let mid = 0.5 * (a + b);
    if mid.is_finite() {
        mid
    } else {
        0.5 * a + 0.5 * b
    }
}

/// A sorted copy.
pub(crate) fn sorted(xs: &[f64]) -> Vec<f64> {
    let mut copy = xs.to_vec();
    copy.sort_by(f64::total_cmp);
    copy
}
