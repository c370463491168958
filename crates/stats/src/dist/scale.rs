//! Expectations over the estimated scale `S = sqrt(chi-square(df) / df)`.
//!
//! The non-central t is "a normal probability, averaged over S". The integral runs over `ln S`, where the integrand is smooth for any `df`.

use std::sync::LazyLock;

use super::gamma_fn::stirling_error;
use super::quadrature::GaussLegendre;
use super::solve::increasing_root;

static RULE: LazyLock<GaussLegendre> = LazyLock::new(|| GaussLegendre::new(16));

/// How far (in units of the log density) from its peak the density of S is followed: e^-45 is 3e-20.
const REACH: f64 = 45.0;

/// `E[f(S)]`; with infinite `df`, S is 1.
pub(super) fn expectation(df: f64, panels: u32, mut f: impl FnMut(f64) -> f64) -> f64 {
    if df.is_infinite() {
        return f(1.0);
    }
    let a = 0.5 * df;
    let constant = 0.5 * (2.0 * a / std::f64::consts::PI).ln() - stirling_error(a);
    let log_density = |u: f64| constant + a * (2.0 * u - (2.0 * u).exp_m1());
    // 2u - (e^2u - 1) falls linearly on the left and exponentially on the right of its peak at 0.
    let drop = REACH / a;
    let left = -increasing_root(0.0, 0.5 * drop + 1.0, |v| {
        (
            2.0 * v + (-2.0 * v).exp_m1() - drop,
            -2.0 * (-2.0 * v).exp_m1(),
        )
    });
    let right = increasing_root(0.0, 0.5 * (drop + 2.0).ln() + 2.0, |v| {
        (
            (2.0 * v).exp_m1() - 2.0 * v - drop,
            2.0 * (2.0 * v).exp_m1(),
        )
    });
    // A few degrees of freedom have a long left tail: no panel may be wider than the density's own scale.
    let left_panels = panels.max((-left / 2.0).ceil() as u32);
    let below = RULE.integrate(left, 0.0, left_panels, |u| {
        log_density(u).exp() * f(u.exp())
    });
    let above = RULE.integrate(0.0, right, panels, |u| log_density(u).exp() * f(u.exp()));
    below + above
}
