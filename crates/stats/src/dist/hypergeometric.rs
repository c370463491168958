//! The hypergeometric distribution, for Fisher's exact test.

use super::gamma_fn::ln_binomial;

/// An urn of `total` balls with `marked` of them marked, from which `drawn` are taken.
#[derive(Debug, Clone, Copy)]
pub struct Urn {
    /// All balls.
    pub total: u64,
    /// The marked ones.
    pub marked: u64,
    /// How many are taken.
    pub drawn: u64,
}

impl Urn {
    /// The values that the number of marked balls taken can have.
    pub fn support(self) -> std::ops::RangeInclusive<u64> {
        (self.marked + self.drawn).saturating_sub(self.total)..=self.marked.min(self.drawn)
    }

    /// `P(k marked balls are taken)`.
    pub fn pmf(self, k: u64) -> f64 {
        if !self.support().contains(&k) {
            return 0.0;
        }
        let [n, m, d, k] = [self.total, self.marked, self.drawn, k].map(|v| v as f64);
        (ln_binomial(m, k) + ln_binomial(n - m, d - k) - ln_binomial(n, d)).exp()
    }
}
