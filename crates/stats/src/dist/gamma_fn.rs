//! Log-gamma and the pieces of Loader's saddle-point expansion.
//!
//! A density such as `x^a (1-x)^b / B(a, b)` loses digits when it is put together from log-gammas of size 10^4. Loader's
//! form (2000, "Fast and accurate computation of binomial probabilities") adds only small terms and keeps full accuracy.

use std::f64::consts::PI;

const HALF_LN_TWO_PI: f64 = 0.918_938_533_204_672_8;

/// Natural logarithm of the absolute value of the gamma function.
pub fn ln_gamma(x: f64) -> f64 {
    libm::lgamma(x)
}

/// `ln B(a, b)` for positive `a` and `b`.
pub fn ln_beta(a: f64, b: f64) -> f64 {
    if !(a > 0.0 && b > 0.0) {
        return f64::NAN;
    }
    let (small, large) = if a < b { (a, b) } else { (b, a) };
    let total = small + large;
    if small < 10.0 {
        // ln Γ(large) - ln Γ(large + small) by Stirling where both are large, so that they do not cancel.
        return ln_gamma(small) + ln_gamma_ratio(large, small);
    }
    let h = small / total;
    stirling_error(small) + stirling_error(large) - stirling_error(total)
        + HALF_LN_TWO_PI
        + 0.5 * (total / small / large).ln()
        + small * h.ln()
        + large * (-h).ln_1p()
}

/// `ln Γ(x) - ln Γ(x + d)`.
fn ln_gamma_ratio(x: f64, d: f64) -> f64 {
    if x < 10.0 {
        return ln_gamma(x) - ln_gamma(x + d);
    }
    let step = (d / x).ln_1p();
    stirling_error(x) - stirling_error(x + d) + d - (x - 0.5) * step - d * (x + d).ln()
}

/// `ln C(n, k)` for whole or fractional `0 <= k <= n`.
pub fn ln_binomial(n: f64, k: f64) -> f64 {
    if k == 0.0 || k == n {
        return 0.0;
    }
    -(n + 1.0).ln() - ln_beta(k + 1.0, n - k + 1.0)
}

/// What Stirling's formula leaves of `ln n!`: `ln n! - [(n + 1/2) ln n - n + ln(2 pi)/2]`.
pub(super) fn stirling_error(n: f64) -> f64 {
    const S: [f64; 8] = [
        1.0 / 12.0,
        1.0 / 360.0,
        1.0 / 1260.0,
        1.0 / 1680.0,
        1.0 / 1188.0,
        691.0 / 360_360.0,
        1.0 / 156.0,
        3617.0 / 122_400.0,
    ];
    if n < 10.0 {
        return ln_gamma(n + 1.0) - (n + 0.5) * n.ln() + n - HALF_LN_TWO_PI;
    }
    let w = 1.0 / (n * n);
    S.iter().rev().fold(0.0, |tail, s| s - w * tail) / n
}

/// The deviance part `x ln(x / m) + m - x`, without cancellation where `x` is near `m`.
pub(super) fn deviance(x: f64, m: f64) -> f64 {
    let gap = x - m;
    if gap.abs() >= 0.1 * (x + m) {
        return x * (x / m).ln() - gap;
    }
    let v = gap / (x + m);
    let mut sum = gap * v;
    let mut term = 2.0 * x * v;
    for j in 1..1000 {
        term *= v * v;
        let next = sum + term / f64::from(2 * j + 1);
        if next == sum {
            break;
        }
        sum = next;
    }
    sum
}

/// `x^a y^b / (a B(a, b))`, the factor before the continued fraction of the incomplete beta function; `y = 1 - x`.
pub(super) fn beta_prefactor(a: f64, b: f64, x: f64, y: f64) -> f64 {
    let n = a + b;
    let log = stirling_error(n)
        - stirling_error(a)
        - stirling_error(b)
        - deviance(a, n * x)
        - deviance(b, n * y);
    log.exp() * (b / (2.0 * PI * a * n)).sqrt()
}

/// `x^a e^-x / Γ(a + 1)`.
pub(super) fn poisson_weight(a: f64, x: f64) -> f64 {
    (-stirling_error(a) - deviance(a, x)).exp() / (2.0 * PI * a).sqrt()
}
