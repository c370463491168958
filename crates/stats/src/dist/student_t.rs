//! Student's t distribution; `df` may be fractional (Welch) or infinite (then it is the normal distribution).

use super::gamma_fn::ln_beta;
use super::incomplete_beta::regularized_beta_pair;
use super::normal;
use super::solve::increasing_root_from;

/// From here on Hill's transformed normal is right to 1e-14, while the beta function's argument gets too near to 1.
const HILL_DF: f64 = 2e4;

/// `P(T <= x)`; NaN unless `df > 0`.
pub fn cdf(x: f64, df: f64) -> f64 {
    sf(-x, df)
}

/// `P(T > x)`, accurate in both tails; NaN unless `df > 0`.
pub fn sf(x: f64, df: f64) -> f64 {
    if x.is_nan() || !(df > 0.0) {
        return f64::NAN;
    }
    if df >= HILL_DF {
        return normal::sf(hill_z(x, df));
    }
    let (_, upper) = abs_pair(x, df);
    if x >= 0.0 {
        0.5 * upper
    } else {
        1.0 - 0.5 * upper
    }
}

/// `2 P(T > |x|)`, the two-sided p value.
pub fn two_sided(x: f64, df: f64) -> f64 {
    2.0 * sf(x.abs(), df)
}

/// The density.
pub fn pdf(x: f64, df: f64) -> f64 {
    if !(df > 0.0) {
        return f64::NAN;
    }
    if df.is_infinite() {
        return normal::pdf(x);
    }
    (-0.5 * (df + 1.0) * (x * x / df).ln_1p() - 0.5 * df.ln() - ln_beta(0.5, 0.5 * df)).exp()
}

/// The `x` with `P(T <= x) = p`. Infinite at 0 and 1, NaN outside.
pub fn quantile(p: f64, df: f64) -> f64 {
    if !(0.0..=1.0).contains(&p) {
        return f64::NAN;
    }
    if p < 0.5 {
        -inverse_sf(p, df)
    } else {
        upper_quantile(1.0 - p, p - 0.5, df)
    }
}

/// The `x` with `P(T > x) = q`; keeps its accuracy for a tail too small to be written as `1 - q`.
pub fn inverse_sf(q: f64, df: f64) -> f64 {
    if !(0.0..=1.0).contains(&q) {
        return f64::NAN;
    }
    if q <= 0.5 {
        upper_quantile(q, 0.5 - q, df)
    } else {
        -upper_quantile(1.0 - q, q - 0.5, df)
    }
}

/// The quantile above the median, given the tail beyond it and the part between it and the median.
fn upper_quantile(tail: f64, centre: f64, df: f64) -> f64 {
    if !(df > 0.0) {
        return f64::NAN;
    }
    if centre == 0.0 {
        return 0.0;
    }
    if tail == 0.0 {
        return f64::INFINITY;
    }
    if df.is_infinite() {
        return normal::inverse_sf(tail);
    }
    // Logarithms on both sides make a nearly straight line of both the centre and the tail.
    let log_x = increasing_root_from(first_guess(tail, df).ln(), -745.0, 709.0, |u| {
        let x = u.exp();
        let (inside, outside) = halves(x, df);
        let density = pdf(x, df) * x;
        if centre < 0.25 {
            (inside.ln() - centre.ln(), density / inside)
        } else {
            (tail.ln() - outside.ln(), density / outside)
        }
    });
    log_x.exp()
}

/// The normal quantile with the first term of its expansion in 1 / df; near enough for Newton.
fn first_guess(tail: f64, df: f64) -> f64 {
    let z = normal::inverse_sf(tail).max(1e-300);
    z * (1.0 + (z * z + 1.0) / (4.0 * df))
}

/// `P(0 < T < x)` and `P(T > x)` for `x > 0`.
fn halves(x: f64, df: f64) -> (f64, f64) {
    if df >= HILL_DF {
        let z = hill_z(x, df);
        return (
            0.5 * libm::erf(z * std::f64::consts::FRAC_1_SQRT_2),
            normal::sf(z),
        );
    }
    let (inside, outside) = abs_pair(x, df);
    (0.5 * inside, 0.5 * outside)
}

/// `P(|T| < |x|)` and `P(|T| > |x|)`.
fn abs_pair(x: f64, df: f64) -> (f64, f64) {
    let square = x * x;
    if square > 1e290 {
        let (outside, inside) = regularized_beta_pair(0.5 * df, 0.5, df / x.abs() / x.abs(), 1.0);
        return (inside, outside);
    }
    let total = df + square;
    let (outside, inside) = regularized_beta_pair(0.5 * df, 0.5, df / total, square / total);
    (inside, outside)
}

/// Hill's (1970, CACM algorithm 395) normal deviate with the same tail area, for large `df`.
fn hill_z(x: f64, df: f64) -> f64 {
    if df.is_infinite() || x.is_infinite() {
        return x;
    }
    let a = df - 0.5;
    let b = 48.0 * a * a;
    let y = a * (x / df * x).ln_1p();
    let z = (((((-0.4 * y - 3.3) * y - 24.0) * y - 85.5) / (0.8 * y * y + 100.0 + b) + y + 3.0)
        / b
        + 1.0)
        * y.sqrt();
    z.copysign(x)
}
