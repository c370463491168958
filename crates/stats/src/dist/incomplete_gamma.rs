//! The regularised incomplete gamma functions and their inverse.

use super::gamma_fn::poisson_weight;
use super::solve::increasing_root;

/// `P(a, x)`, the share of a gamma(a) distribution below `x`.
pub fn regularized_gamma_lower(a: f64, x: f64) -> f64 {
    pair(a, x).0
}

/// `Q(a, x) = 1 - P(a, x)` with full relative accuracy.
pub fn regularized_gamma_upper(a: f64, x: f64) -> f64 {
    pair(a, x).1
}

fn pair(a: f64, x: f64) -> (f64, f64) {
    if !(a > 0.0 && x >= 0.0) || a.is_infinite() {
        return (f64::NAN, f64::NAN);
    }
    if x == 0.0 {
        return (0.0, 1.0);
    }
    if x.is_infinite() {
        return (1.0, 0.0);
    }
    if x < a + 1.0 {
        let lower = (poisson_weight(a, x) * series(a, x)).min(1.0);
        (lower, 1.0 - lower)
    } else {
        let upper = (poisson_weight(a, x) * a * continued_fraction(a, x)).min(1.0);
        (1.0 - upper, upper)
    }
}

fn iteration_limit(a: f64) -> u64 {
    500 + 20 * (a.sqrt().min(1e7) as u64)
}

fn series(a: f64, x: f64) -> f64 {
    let mut term = 1.0;
    let mut sum = 1.0;
    for n in 1..=iteration_limit(a) {
        term *= x / (a + n as f64);
        sum += term;
        if term < 1e-17 * sum {
            break;
        }
    }
    sum
}

fn continued_fraction(a: f64, x: f64) -> f64 {
    let mut b = x + 1.0 - a;
    let mut c = f64::INFINITY;
    let mut d = 1.0 / b;
    let mut h = d;
    for step in 1..=iteration_limit(a) {
        let i = step as f64;
        let an = -i * (i - a);
        b += 2.0;
        d = 1.0 / (an * d + b);
        c = b + an / c;
        let change = c * d;
        h *= change;
        if (change - 1.0).abs() < 3e-16 {
            break;
        }
    }
    h
}

/// The `x` with `P(a, x) = p`; `q = 1 - p` as the caller knows it.
pub fn inverse_regularized_gamma(a: f64, p: f64, q: f64) -> f64 {
    if !(a > 0.0 && p >= 0.0 && q >= 0.0) || a.is_infinite() {
        return f64::NAN;
    }
    if p == 0.0 {
        return 0.0;
    }
    if q == 0.0 {
        return f64::INFINITY;
    }
    let log_x = increasing_root(-745.0, 709.0, |u| {
        let x = u.exp();
        let (lower, upper) = pair(a, x);
        let density = poisson_weight(a, x) * a;
        if p < q {
            (lower.ln() - p.ln(), density / lower)
        } else {
            (q.ln() - upper.ln(), density / upper)
        }
    });
    log_x.exp()
}
