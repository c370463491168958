//! The regularised incomplete beta function and its inverse.
//!
//! Continued fraction (Didonato and Morris 1992, as in DLMF 8.17.22) on the side where it converges fast, with the
//! factor in front from Loader's expansion; a power series where the argument is tiny.

use super::gamma_fn::beta_prefactor;
use super::solve::increasing_root;

const TINY: f64 = 1e-300;

/// `I_x(a, b)` and its complement, both with full relative accuracy; the caller passes `y = 1 - x` as it knows it,
/// because forming it from `x` near 1 would lose the digits that matter.
pub fn regularized_beta_pair(a: f64, b: f64, x: f64, y: f64) -> (f64, f64) {
    if !(a > 0.0 && b > 0.0 && x >= 0.0 && y >= 0.0) || a.is_infinite() || b.is_infinite() {
        return (f64::NAN, f64::NAN);
    }
    if x == 0.0 {
        return (0.0, 1.0);
    }
    if y == 0.0 {
        return (1.0, 0.0);
    }
    if x <= (a + 1.0) / (a + b + 2.0) {
        let lower = lower_tail(a, b, x, y);
        (lower, 1.0 - lower)
    } else {
        let upper = lower_tail(b, a, y, x);
        (1.0 - upper, upper)
    }
}

/// `I_x(a, b)` for `x` at or below the mean.
fn lower_tail(a: f64, b: f64, x: f64, y: f64) -> f64 {
    let front = beta_prefactor(a, b, x, y);
    let value = if b * x <= 0.7 && x <= 0.7 {
        front * power_series(a, b, x)
    } else {
        front * continued_fraction(a, b, x)
    };
    value.min(1.0)
}

/// `sum (a+b)_n / (a+1)_n x^n`: all terms positive, few of them where `b x` is small.
fn power_series(a: f64, b: f64, x: f64) -> f64 {
    let mut term = 1.0;
    let mut sum = 1.0;
    let mut n = 0.0;
    loop {
        term *= (a + b + n) / (a + 1.0 + n) * x;
        sum += term;
        n += 1.0;
        if term < 1e-17 * sum || n > 5000.0 {
            return sum;
        }
    }
}

/// The continued fraction by the modified Lentz method.
fn continued_fraction(a: f64, b: f64, x: f64) -> f64 {
    let limit = 500 + 10 * (a.max(b).sqrt().min(1e7) as u64);
    let keep = |v: f64| if v.abs() < TINY { TINY } else { v };
    let mut c = 1.0;
    let mut d = 1.0 / keep(1.0 - (a + b) * x / (a + 1.0));
    let mut h = d;
    for step in 1..=limit {
        let m = step as f64;
        let a2m = a + 2.0 * m;
        let even = m * (b - m) * x / ((a2m - 1.0) * a2m);
        d = 1.0 / keep(1.0 + even * d);
        c = keep(1.0 + even / c);
        h *= d * c;
        let odd = -(a + m) * (a + b + m) * x / (a2m * (a2m + 1.0));
        d = 1.0 / keep(1.0 + odd * d);
        c = keep(1.0 + odd / c);
        let change = d * c;
        h *= change;
        if (change - 1.0).abs() < 3e-16 {
            break;
        }
    }
    h
}

/// The `x` with `I_x(a, b) = p`; `q = 1 - p` is passed as the caller knows it.
pub fn inverse_regularized_beta(a: f64, b: f64, p: f64, q: f64) -> f64 {
    inverse_pair(a, b, p, q).0
}

/// The root and its complement `1 - x`, both with full relative accuracy.
///
/// Newton on the logarithm of the smaller of the two, held inside a bracket, so that it always ends.
pub(super) fn inverse_pair(a: f64, b: f64, p: f64, q: f64) -> (f64, f64) {
    if !(a > 0.0 && b > 0.0 && p >= 0.0 && q >= 0.0) {
        return (f64::NAN, f64::NAN);
    }
    if p == 0.0 {
        return (0.0, 1.0);
    }
    if q == 0.0 {
        return (1.0, 0.0);
    }
    let (lower, upper) = regularized_beta_pair(a, b, 0.5, 0.5);
    if lower == p || upper == q {
        return (0.5, 0.5);
    }
    if p < lower {
        let x = small_root(a, b, p, q);
        (x, 1.0 - x)
    } else {
        let y = small_root(b, a, q, p);
        (1.0 - y, y)
    }
}

/// The root in `(0, 1/2)`; matches the smaller of the two tails, whose logarithm has all the digits.
fn small_root(a: f64, b: f64, p: f64, q: f64) -> f64 {
    let log_x = increasing_root(-745.0, -std::f64::consts::LN_2, |u| {
        let x = u.exp();
        let (lower, upper) = regularized_beta_pair(a, b, x, 1.0 - x);
        // x times the density x^(a-1) y^(b-1) / B
        let density = beta_prefactor(a, b, x, 1.0 - x) * a / (1.0 - x);
        if p < q {
            (lower.ln() - p.ln(), density / lower)
        } else {
            (q.ln() - upper.ln(), density / upper)
        }
    });
    log_x.exp()
}
