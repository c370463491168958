//! Dunnett's distribution: the largest |t| of several arms against one control.

use super::scale::{RULE, expectation};
use super::solve::increasing_root;
use super::{normal, student_t};

/// `P(max |T_i| > c)` under no effect. `loadings[i] = sqrt(n_i / (n_i + n_0))`: arms `i` and `j` correlate by the
/// product of their loadings, because they share the control.
pub fn sf(c: f64, loadings: &[f64], df: f64) -> f64 {
    if c.is_nan()
        || loadings.is_empty()
        || !(df > 0.0)
        || loadings.iter().any(|l| !(0.0..1.0).contains(l))
    {
        return f64::NAN;
    }
    if c <= 0.0 {
        return 1.0;
    }
    let groups = counted(loadings);
    expectation(df, 3, |s| any_beyond(c * s, &groups)).clamp(0.0, 1.0)
}

/// The `c` with `P(max |T_i| > c) = alpha`.
pub fn critical(alpha: f64, loadings: &[f64], df: f64) -> f64 {
    if !(alpha > 0.0 && alpha < 1.0) || loadings.is_empty() {
        return f64::NAN;
    }
    // One arm alone needs less, all together at most Bonferroni's share.
    let bound = |tail: f64| student_t::inverse_sf(tail, df);
    let (low, high) = (
        bound(0.5 * alpha),
        bound(0.5 * alpha / loadings.len() as f64),
    );
    increasing_root(low, high, |c| {
        (alpha.ln() - sf(c, loadings, df).ln(), f64::NAN)
    })
}

/// Equal loadings (arms of one size, the usual case) are computed once.
fn counted(loadings: &[f64]) -> Vec<(f64, f64)> {
    let mut groups: Vec<(f64, f64)> = Vec::new();
    for loading in loadings {
        match groups.iter_mut().find(|(l, _)| l == loading) {
            Some((_, count)) => *count += 1.0,
            None => groups.push((*loading, 1.0)),
        }
    }
    groups
}

/// `P(max |Z_i| > w)`, given the shared control's deviation and averaged over it.
fn any_beyond(w: f64, groups: &[(f64, f64)]) -> f64 {
    let one = |z: f64| {
        let log_all_inside: f64 = groups
            .iter()
            .map(|(l, count)| count * log_inside(w, *l, z))
            .sum();
        normal::pdf(z) * -log_all_inside.exp_m1()
    };
    RULE.integrate(-9.0, 9.0, 10, one)
}

/// `ln P(|l z + sqrt(1 - l^2) e| < w)`.
fn log_inside(w: f64, l: f64, z: f64) -> f64 {
    let rest = (1.0 - l * l).sqrt();
    let outside = normal::sf((w - l * z) / rest) + normal::cdf((-w - l * z) / rest);
    (-outside).ln_1p()
}
