//! The chi-square distribution.

use super::incomplete_gamma::{
    inverse_regularized_gamma, regularized_gamma_lower, regularized_gamma_upper,
};

/// `P(X <= x)`.
pub fn cdf(x: f64, df: f64) -> f64 {
    regularized_gamma_lower(0.5 * df, 0.5 * x.max(0.0))
}

/// `P(X > x)`.
pub fn sf(x: f64, df: f64) -> f64 {
    regularized_gamma_upper(0.5 * df, 0.5 * x.max(0.0))
}

/// The `x` with `P(X <= x) = p`.
pub fn quantile(p: f64, df: f64) -> f64 {
    2.0 * inverse_regularized_gamma(0.5 * df, p, 1.0 - p)
}
