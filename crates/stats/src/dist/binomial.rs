//! The binomial distribution.

use super::gamma_fn::beta_prefactor;
use super::incomplete_beta::regularized_beta_pair;

/// `P(X = k)` of `n` trials with chance `p`.
pub fn pmf(k: u64, n: u64, p: f64) -> f64 {
    if k > n || !(0.0..=1.0).contains(&p) {
        return if k > n { 0.0 } else { f64::NAN };
    }
    let (kf, nf) = (k as f64, n as f64);
    if k == 0 {
        return (nf * (-p).ln_1p()).exp();
    }
    if k == n {
        return p.powf(nf);
    }
    if p == 0.0 || p == 1.0 {
        return 0.0;
    }
    // x^a y^b / (a B(a,b)) times n/b is C(n,a) x^a y^b.
    beta_prefactor(kf, nf - kf, p, 1.0 - p) * nf / (nf - kf)
}

/// `P(X <= k)`.
pub fn cdf(k: u64, n: u64, p: f64) -> f64 {
    if k >= n {
        return 1.0;
    }
    regularized_beta_pair((n - k) as f64, k as f64 + 1.0, 1.0 - p, p).0
}

/// `P(X > k)`.
pub fn sf(k: u64, n: u64, p: f64) -> f64 {
    if k >= n {
        return 0.0;
    }
    regularized_beta_pair(k as f64 + 1.0, (n - k) as f64, p, 1.0 - p).0
}
