//! What unconditional exact tests share: a set of tables whose chance depends on one unknown rate, and the rate at which
//! that chance is largest.

use crate::dist::ln_binomial;

/// The tables at least as extreme as the one observed, by the number of events in them.
pub(super) struct Region {
    /// Their share of all arrangements with that many events; the last place is all of them.
    shares: Vec<f64>,
    /// Logarithm of the number of all arrangements.
    log_ways: Vec<f64>,
}

impl Region {
    /// From the logarithm of the number of arrangements, by events.
    pub(super) fn new(log_counts: &[f64]) -> Self {
        let n = (log_counts.len() - 1) as f64;
        let log_ways: Vec<f64> = (0..log_counts.len())
            .map(|k| ln_binomial(n, k as f64))
            .collect();
        let both = log_counts.iter().zip(&log_ways);
        Self {
            shares: both.map(|(count, ways)| (count - ways).exp()).collect(),
            log_ways,
        }
    }

    /// The chance of the region where every event has this chance: binomial, worked out from the likeliest number on.
    fn chance(&self, rate: f64) -> f64 {
        let n = self.shares.len() - 1;
        let mode = ((n as f64 + 1.0) * rate) as usize;
        let mode = mode.min(n);
        let logs = mode as f64 * rate.ln() + (n - mode) as f64 * (-rate).ln_1p();
        let top = (self.log_ways[mode] + logs).exp();
        let odds = rate / (1.0 - rate);
        let mut sum = top * self.shares[mode];
        let mut here = top;
        for k in mode..n {
            here *= odds * (n - k) as f64 / (k + 1) as f64;
            sum += here * self.shares[k + 1];
        }
        here = top;
        for k in (1..=mode).rev() {
            here *= k as f64 / (n - k + 1) as f64 / odds;
            sum += here * self.shares[k - 1];
        }
        sum
    }

    /// The rate at which the chance is largest, and the chance there: a grid, then a golden-section search around its
    /// best points.
    pub(super) fn largest_chance(&self) -> (f64, f64) {
        const GRID: u32 = 512;
        let at = |i: u32| f64::from(i) / f64::from(GRID);
        let values: Vec<f64> = (1..GRID).map(|i| self.chance(at(i))).collect();
        let value = |i: usize| values.get(i).copied().unwrap_or(0.0);
        let peaks = (0..values.len())
            .filter(|i| value(*i) >= value(i + 1) && (*i == 0 || value(*i) >= value(i - 1)))
            .map(|i| i as u32 + 1);
        peaks.map(|i| self.refine(at(i - 1), at(i + 1))).fold(
            (0.5, self.chance(0.5)),
            |best, new| {
                if new.1 > best.1 { new } else { best }
            },
        )
    }

    fn refine(&self, lo: f64, hi: f64) -> (f64, f64) {
        const GOLDEN: f64 = 0.618_033_988_749_894_9;
        let (mut lo, mut hi) = (lo.max(1e-12), hi.min(1.0 - 1e-12));
        let at = |rate: f64| (rate, self.chance(rate));
        let mut left = at(hi - GOLDEN * (hi - lo));
        let mut right = at(lo + GOLDEN * (hi - lo));
        for _ in 0..60 {
            if left.1 < right.1 {
                (lo, left) = (left.0, right);
                right = at(lo + GOLDEN * (hi - lo));
            } else {
                (hi, right) = (right.0, left);
                left = at(hi - GOLDEN * (hi - lo));
            }
        }
        at(0.5 * (lo + hi))
    }
}

/// Logarithm of a sum of exponentials.
pub(super) fn log_sum(logs: &[f64]) -> f64 {
    let top = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if top == f64::NEG_INFINITY {
        top
    } else {
        top + logs.iter().map(|l| (l - top).exp()).sum::<f64>().ln()
    }
}
