//! Fisher's F distribution.

use super::incomplete_beta::{inverse_pair, regularized_beta_pair};

/// `P(F <= x)` with `d1` and `d2` degrees of freedom.
pub fn cdf(x: f64, d1: f64, d2: f64) -> f64 {
    pair(x, d1, d2).0
}

/// `P(F > x)` with `d1` and `d2` degrees of freedom.
pub fn sf(x: f64, d1: f64, d2: f64) -> f64 {
    pair(x, d1, d2).1
}

fn pair(x: f64, d1: f64, d2: f64) -> (f64, f64) {
    if x.is_nan() || !(d1 > 0.0 && d2 > 0.0) {
        return (f64::NAN, f64::NAN);
    }
    if x <= 0.0 {
        return (0.0, 1.0);
    }
    if x.is_infinite() {
        return (1.0, 0.0);
    }
    // Scaled by d1, so that a huge x does not overflow.
    let ratio = d2 / d1 / x;
    regularized_beta_pair(
        0.5 * d1,
        0.5 * d2,
        1.0 / (1.0 + ratio),
        ratio / (1.0 + ratio),
    )
}

/// The `x` with `P(F <= x) = p`.
pub fn quantile(p: f64, d1: f64, d2: f64) -> f64 {
    let (below, above) = inverse_pair(0.5 * d1, 0.5 * d2, p, 1.0 - p);
    d2 / d1 * below / above
}
