//! The studentised range (Tukey's honest significant difference).

use std::f64::consts::SQRT_2;

use super::scale::{RULE, expectation};
use super::solve::increasing_root;
use super::{normal, student_t};

/// `P(Q > q)` for the range of `k` means over their estimated standard error with `df` degrees of freedom.
pub fn sf(q: f64, k: u32, df: f64) -> f64 {
    if q.is_nan() || k < 2 || !(df > 0.0) {
        return f64::NAN;
    }
    if q <= 0.0 {
        return 1.0;
    }
    expectation(df, 3, |s| range_sf(q * s, k)).clamp(0.0, 1.0)
}

/// `P(Q <= q)`.
pub fn cdf(q: f64, k: u32, df: f64) -> f64 {
    1.0 - sf(q, k, df)
}

/// The `q` with `P(Q > q) = alpha`.
pub fn critical(alpha: f64, k: u32, df: f64) -> f64 {
    if !(alpha > 0.0 && alpha < 1.0) || k < 2 || !(df > 0.0) {
        return f64::NAN;
    }
    // One pair alone needs less, all pairs together at most Bonferroni's share.
    let pairs = f64::from(k) * f64::from(k - 1) / 2.0;
    let bound = |tail: f64| SQRT_2 * student_t::inverse_sf(tail, df);
    let (low, high) = (bound(0.5 * alpha), bound(0.5 * alpha / pairs));
    increasing_root(low, high, |q| (alpha.ln() - sf(q, k, df).ln(), f64::NAN))
}

/// `P(range of k standard normals > w)`: for the largest at `z`, not all others within `w` below it.
fn range_sf(w: f64, k: u32) -> f64 {
    let others = f64::from(k - 1);
    let one = |z: f64| {
        // Share of the others below z - w, out of those below z: the complement keeps its digits when w is large.
        let below = normal::cdf(z);
        let out = if below > 0.0 {
            normal::cdf(z - w) / below
        } else {
            1.0
        };
        normal::pdf(z) * below.powf(others) * -(others * (-out).ln_1p()).exp_m1()
    };
    f64::from(k) * RULE.integrate(-8.5, 8.5 + w.min(30.0), 6, one)
}
