//! The beta distribution.

use super::incomplete_beta::{inverse_regularized_beta, regularized_beta_pair};

/// `P(X <= x)`.
pub fn cdf(x: f64, a: f64, b: f64) -> f64 {
    let x = x.clamp(0.0, 1.0);
    regularized_beta_pair(a, b, x, 1.0 - x).0
}

/// `P(X > x)`.
pub fn sf(x: f64, a: f64, b: f64) -> f64 {
    let x = x.clamp(0.0, 1.0);
    regularized_beta_pair(a, b, x, 1.0 - x).1
}

/// The `x` with `P(X <= x) = p`.
pub fn quantile(p: f64, a: f64, b: f64) -> f64 {
    inverse_regularized_beta(a, b, p, 1.0 - p)
}
