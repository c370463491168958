//! The exact bootstrap distribution of a median or quantile: resampled order statistics follow a binomial law.
//!
//! With values in order x_1..x_n, the k-th value of a resample is at most x_i with the chance that at least k of n draws
//! fall on the first i. A type-7 quantile mixes two neighbouring order statistics, whose joint law is as simple.

use super::super::distribution::Distribution;
use super::super::endpoints::{Estimate, ends};
use super::super::entry::{check_method, check_sample, finite};
use super::super::plan::Method;
use super::super::result::{BootstrapInterval, Header};
use super::super::statistic::Statistic;
use crate::dist::{beta, ln_binomial};
use crate::{Level, Outcome};

/// The exact percentile interval of the median.
pub fn median(sample: &[f64], level: Level) -> Outcome<BootstrapInterval> {
    of(sample, &Statistic::Median, 0.5, level)
}

/// The exact percentile interval of the type-7 quantile at `p`.
pub fn quantile(sample: &[f64], p: f64, level: Level) -> Outcome<BootstrapInterval> {
    of(sample, &Statistic::Quantile(p), p, level)
}

fn of(
    sample: &[f64],
    statistic: &Statistic<'_>,
    p: f64,
    level: Level,
) -> Outcome<BootstrapInterval> {
    level.checked()?;
    check_sample("sample", sample, 2)?;
    check_method(Method::Percentile, statistic)?;
    let value = statistic.evaluate(&mut sample.to_vec());
    let mut distribution = OrderStatistic::new(sample, p);
    let ends = ends(
        &mut distribution,
        &Estimate {
            value,
            leave_one_out: Vec::new(),
        },
        Method::Percentile,
        level,
    );
    let mut header = Header::exact(&statistic.name(), vec![sample.len()], value);
    header.standard_error = distribution.standard_error();
    finite(header.with(Method::Percentile, level, ends))
}

/// The distribution of `(1 - weight) X_(k) + weight X_(k+1)` of a resample (k counted from 1).
struct OrderStatistic {
    sorted: Vec<f64>,
    k: usize,
    weight: f64,
}

impl OrderStatistic {
    fn new(sample: &[f64], p: f64) -> Self {
        let mut sorted = sample.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        let position = p * (sorted.len() - 1) as f64;
        let below = (position.floor() as usize).min(sorted.len() - 1);
        Self {
            k: below + 1,
            weight: position - below as f64,
            sorted,
        }
    }

    fn n(&self) -> f64 {
        self.sorted.len() as f64
    }

    /// The chance that the k-th resampled value is among the first `i`.
    fn among_first(&self, i: usize) -> f64 {
        beta::cdf(
            i as f64 / self.n(),
            self.k as f64,
            self.n() - self.k as f64 + 1.0,
        )
    }

    /// The chance that the mixed value is at most `x`.
    fn cdf(&self, x: f64) -> f64 {
        let at_most = self.sorted.partition_point(|&v| v <= x);
        if self.weight == 0.0 {
            return self.among_first(at_most);
        }
        // Both neighbours at or below x, or the lower one below and the upper one close enough above.
        let both = beta::cdf(
            at_most as f64 / self.n(),
            self.k as f64 + 1.0,
            self.n() - self.k as f64,
        );
        let mut straddling = 0.0;
        let mut reach = self.sorted.len();
        for i in self.window().filter(|&i| i <= at_most) {
            let limit = (x - (1.0 - self.weight) * self.sorted[i - 1]) / self.weight;
            while reach > at_most && self.sorted[reach - 1] > limit {
                reach -= 1;
            }
            straddling += self.lower_is(i, at_most) - self.lower_is(i, reach);
        }
        (both + straddling).min(1.0)
    }

    /// The positions at which the k-th resampled value has any chance worth counting (nine standard deviations).
    fn window(&self) -> std::ops::RangeInclusive<usize> {
        let share = self.k as f64 / self.n();
        let reach = 9.0 * (self.n() * share * (1.0 - share)).sqrt() + 30.0;
        let low = (self.k as f64 - reach).max(1.0) as usize;
        let high = (self.k as f64 + reach).min(self.n()) as usize;
        low..=high
    }

    /// The chance that exactly k draws fall on the first `i` positions and all others beyond position `j`.
    fn split(&self, i: usize, j: usize) -> f64 {
        let (n, k) = (self.n(), self.k as f64);
        if i == 0 || (j == self.sorted.len() && self.k < self.sorted.len()) {
            return 0.0;
        }
        let upper = if self.k == self.sorted.len() {
            0.0
        } else {
            (n - k) * ((n - j as f64) / n).ln()
        };
        (ln_binomial(n, k) + k * (i as f64 / n).ln() + upper).exp()
    }

    /// The chance that the k-th value sits at position `i` and the next one beyond position `j`.
    fn lower_is(&self, i: usize, j: usize) -> f64 {
        self.split(i, j) - self.split(i - 1, j)
    }
}

impl Distribution for OrderStatistic {
    /// Halves the range until no number lies between; the answer is the smallest value that reaches `p`.
    fn quantile(&mut self, p: f64) -> f64 {
        let (mut low, mut high) = (self.sorted[0], self.sorted[self.sorted.len() - 1]);
        if self.cdf(low) >= p {
            return low;
        }
        for _ in 0..200 {
            let middle = low + (high - low) / 2.0;
            if middle <= low || middle >= high {
                break;
            }
            if self.cdf(middle) >= p {
                high = middle;
            } else {
                low = middle;
            }
        }
        high
    }

    fn mid_rank(&self, estimate: f64) -> f64 {
        self.cdf(estimate)
    }

    fn share_below(&self, estimate: f64) -> f64 {
        self.cdf(estimate)
    }

    /// From the law of the k-th value and its neighbour, over the positions where it has any chance.
    fn standard_error(&self) -> f64 {
        let spread = |weights: &dyn Fn(usize) -> f64| {
            let (mut mean, mut square) = (0.0, 0.0);
            let center = self.sorted[self.sorted.len() / 2];
            for i in self.window() {
                let chance = weights(i);
                let value = self.sorted[i - 1] - center;
                mean += chance * value;
                square += chance * value * value;
            }
            (mean, square)
        };
        let single = |k: f64| {
            move |i: usize| {
                let at = |j: usize| beta::cdf(j as f64 / self.n(), k, self.n() - k + 1.0);
                at(i) - at(i - 1)
            }
        };
        let (mean, square) = spread(&single(self.k as f64));
        if self.weight == 0.0 {
            return (square - mean * mean).max(0.0).sqrt();
        }
        let (next_mean, next_square) = spread(&single(self.k as f64 + 1.0));
        let cross = self.cross_moment();
        let w = self.weight;
        let total_mean = (1.0 - w) * mean + w * next_mean;
        let total_square =
            (1.0 - w).powi(2) * square + w * w * next_square + 2.0 * w * (1.0 - w) * cross;
        (total_square - total_mean * total_mean).max(0.0).sqrt()
    }

    fn is_degenerate(&self) -> bool {
        let (low, high) = (self.sorted[0], self.sorted[self.sorted.len() - 1]);
        high - low <= 8.0 * f64::EPSILON * low.abs().max(high.abs())
    }
}

impl OrderStatistic {
    /// The mean of the product of the two neighbours, both measured from the middle value.
    fn cross_moment(&self) -> f64 {
        let n = self.sorted.len();
        let center = self.sorted[n / 2];
        let beyond = self.n() - self.k as f64;
        // The mean of the upper neighbour, given that it lies beyond position i.
        let mut upper_mean = 0.0;
        let mut total = 0.0;
        for i in (1..=n).rev() {
            let value = self.sorted[i - 1] - center;
            let apart = self.lower_is(i, i);
            let at_i = self.among_first(i) - self.among_first(i - 1);
            total += apart * value * upper_mean + (at_i - apart).max(0.0) * value * value;
            let stays = ((n - i) as f64 / (n - i + 1) as f64).powf(beyond);
            upper_mean = stays * upper_mean + (1.0 - stays) * value;
        }
        total
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All n^n resamples of a tiny sample.
    fn by_hand(sample: &[f64], p: f64) -> Vec<f64> {
        let n = sample.len();
        let mut out: Vec<f64> = (0..n.pow(n as u32))
            .map(|code| {
                let mut resample: Vec<f64> =
                    (0..n).map(|d| sample[code / n.pow(d as u32) % n]).collect();
                Statistic::Quantile(p).evaluate(&mut resample)
            })
            .collect();
        out.sort_by(f64::total_cmp);
        out
    }

    #[test]
    fn agrees_with_every_resample_of_a_tiny_sample() {
        for sample in [
            vec![3.0, 1.0, 4.0, 1.5, 9.0, 2.6],
            vec![2.0, 7.0, 1.0, 8.0, 2.0],
        ] {
            for p in [0.0, 0.25, 0.4, 0.5, 1.0] {
                let all = by_hand(&sample, p);
                let mut exact = OrderStatistic::new(&sample, p);
                for q in [0.026, 0.333, 0.5, 0.9, 0.974] {
                    let want = all[(q * all.len() as f64).ceil() as usize - 1];
                    let got = exact.quantile(q);
                    assert!((got - want).abs() < 1e-12, "p {p} q {q}: {got} {want}");
                }
                let mean = all.iter().sum::<f64>() / all.len() as f64;
                let sd =
                    (all.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / all.len() as f64).sqrt();
                assert!(
                    (exact.standard_error() - sd).abs() < 1e-9,
                    "p {p}: {} {sd}",
                    exact.standard_error()
                );
            }
        }
    }

    #[test]
    fn large_samples_neither_overflow_nor_take_long() {
        let sample: Vec<f64> = (0..20_000).map(|i| f64::from(i * 7919 % 20_000)).collect();
        let result = median(&sample, Level::TWO_SIDED_95).unwrap();
        let expected = 1.96 * 0.5 * 20_000f64.sqrt();
        assert!(
            (result.interval.high - result.interval.low - 2.0 * expected).abs() < 0.02 * expected
        );
    }
}
