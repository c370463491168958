//! The non-central t distribution: what a t statistic follows when the effect is not zero. Planning rests on it.

use super::scale::expectation;
use super::{normal, student_t};

/// `P(T <= x)` with non-centrality `nc`.
pub fn cdf(x: f64, df: f64, nc: f64) -> f64 {
    sf(-x, df, -nc)
}

/// `P(T > x)` with non-centrality `nc`.
pub fn sf(x: f64, df: f64, nc: f64) -> f64 {
    if x.is_nan() || nc.is_nan() || !(df > 0.0) {
        return f64::NAN;
    }
    if nc == 0.0 {
        return student_t::sf(x, df);
    }
    if x.is_infinite() {
        return if x > 0.0 { 0.0 } else { 1.0 };
    }
    // Far beyond any probability, and their product stays a number.
    let (x, nc) = (x.clamp(-1e150, 1e150), nc.clamp(-1e100, 1e100));
    expectation(df, 16, |s| normal::cdf(nc - x * s)).clamp(0.0, 1.0)
}
