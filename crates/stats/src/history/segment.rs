//! Two neighbouring stretches and the t score of their difference.

use crate::bootstrap::plain_mean;
use crate::dist::student_t;
use crate::sample::{is_constant, max_abs};

/// Mean and spread on both sides of a change, and how surprising their difference is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Sides {
    pub(super) mean: [f64; 2],
    pub(super) sd: [f64; 2],
    pub(super) p: f64,
}

impl Sides {
    /// Student's t with the spreads divided by n, as Hunter and Otava have it. The p value is a score: the points were
    /// chosen to make it small.
    pub(super) fn compare(left: &[f64], right: &[f64]) -> Self {
        let (mean, sd) = (
            [plain_mean(left), plain_mean(right)],
            [spread(left), spread(right)],
        );
        let (n1, n2) = (left.len() as f64, right.len() as f64);
        let df = n1 + n2 - 2.0;
        Self {
            mean,
            sd,
            p: Self::score(mean, sd, (n1, n2, df))
                .unwrap_or_else(|| constant_score(left, right, mean)),
        }
    }

    /// None where neither side varies.
    fn score(mean: [f64; 2], sd: [f64; 2], (n1, n2, df): (f64, f64, f64)) -> Option<f64> {
        if df <= 0.0 {
            return Some(1.0);
        }
        let pooled = ((n1 - 1.0) * sd[0] * sd[0] + (n2 - 1.0) * sd[1] * sd[1]) / df;
        let error = (pooled * (1.0 / n1 + 1.0 / n2)).sqrt();
        let scale = mean[0].abs().max(mean[1].abs());
        if is_constant(error, scale) {
            return None;
        }
        Some(student_t::two_sided((mean[0] - mean[1]) / error, df)).filter(|p| p.is_finite())
    }

    /// The larger of the relative changes in either direction; none next to a zero mean.
    pub(super) fn magnitude(&self) -> Option<f64> {
        let change = |a: f64, b: f64| (a / b - 1.0).abs();
        let both = change(self.mean[1], self.mean[0]).max(change(self.mean[0], self.mean[1]));
        both.is_finite().then_some(both)
    }
}

/// Sides without any spread: certain if they differ, nothing if they do not.
fn constant_score(left: &[f64], right: &[f64], mean: [f64; 2]) -> f64 {
    let scale = max_abs(left).max(max_abs(right));
    if is_constant((mean[0] - mean[1]).abs(), scale) {
        1.0
    } else {
        0.0
    }
}

/// The standard deviation with n.
fn spread(values: &[f64]) -> f64 {
    let center = plain_mean(values);
    (values.iter().map(|v| (v - center).powi(2)).sum::<f64>() / values.len() as f64).sqrt()
}
