//! The bootstrap distribution by draws: one number per resample, in memory that does not grow with n.

use super::distribution::Distribution;
use super::selection::quantile_type7;
use super::statistic::{Contrast, Design, Statistic};
use crate::rng::{Purpose, SmallRange, Source, Stream, WideRange};
use crate::{Dropped, Outcome, Undefined};

/// The share of resamples on which a statistic may be undefined before the interval is refused.
const UNDEFINED_LIMIT: f64 = 0.05;

/// The values of a statistic on resamples, all finite.
pub(crate) struct Replicates {
    values: Vec<f64>,
    pub(crate) dropped: Vec<Dropped>,
}

impl Replicates {
    /// Takes the values, sets undefined ones aside, and refuses if they are many.
    pub(crate) fn new(mut values: Vec<f64>) -> Outcome<Self> {
        let drawn = values.len();
        values.retain(|v| v.is_finite());
        let undefined = drawn - values.len();
        if values.is_empty() || undefined as f64 > UNDEFINED_LIMIT * drawn as f64 {
            return Err(Undefined::NoSolution(format!(
                "the statistic is undefined on {undefined} of {drawn} resamples, too many for an interval"
            )));
        }
        let mut dropped = Vec::new();
        if undefined > 0 {
            dropped.push(Dropped {
                count: undefined,
                why: "resamples on which the statistic is undefined".into(),
            });
        }
        Ok(Self { values, dropped })
    }

    fn mean(&self) -> f64 {
        super::statistic::mean(&self.values)
    }

    fn largest(&self) -> f64 {
        self.values
            .iter()
            .fold(0.0, |largest: f64, v| largest.max(v.abs()))
    }
}

impl Distribution for Replicates {
    fn quantile(&mut self, p: f64) -> f64 {
        quantile_type7(&mut self.values, p)
    }

    fn mid_rank(&self, estimate: f64) -> f64 {
        let slack = 1e-14 * self.largest().max(estimate.abs());
        let (mut below, mut not_above) = (0usize, 0usize);
        for &value in &self.values {
            below += usize::from(value < estimate - slack);
            not_above += usize::from(value <= estimate + slack);
        }
        (below + not_above) as f64 / (2 * self.values.len()) as f64
    }

    fn share_below(&self, estimate: f64) -> f64 {
        self.values.iter().filter(|&&v| v < estimate).count() as f64 / self.values.len() as f64
    }

    fn standard_error(&self) -> f64 {
        if self.values.len() < 2 {
            return 0.0;
        }
        let center = self.mean();
        let squares: f64 = self.values.iter().map(|v| (v - center).powi(2)).sum();
        (squares / (self.values.len() - 1) as f64).sqrt()
    }

    fn is_degenerate(&self) -> bool {
        let (low, high) = self
            .values
            .iter()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &v| {
                (low.min(v), high.max(v))
            });
        high - low <= 8.0 * f64::EPSILON * low.abs().max(high.abs())
    }
}

/// The count of resamples and the seed they are drawn with.
#[derive(Clone, Copy)]
pub(super) struct Draws {
    pub(super) count: usize,
    pub(super) seed: u64,
}

impl Draws {
    pub(super) fn source(self, purpose: Purpose) -> Source {
        Source {
            seed: self.seed,
            purpose,
        }
    }
}

const ONE_SAMPLE: Purpose = Purpose::new("bootstrap/one-sample");
const PAIRED: Purpose = Purpose::new("bootstrap/paired");
const UNPAIRED: Purpose = Purpose::new("bootstrap/unpaired");

/// Replicates of one statistic of one sample.
pub(super) fn of_statistic(sample: &[f64], statistic: &Statistic<'_>, draws: Draws) -> Vec<f64> {
    let n = sample.len();
    let mut out = vec![0.0; draws.count];
    draws.source(ONE_SAMPLE).fill(&mut out, n, |stream, block| {
        if matches!(statistic, Statistic::Mean) {
            block.fill_with(|| resampled_sum(stream, sample) / n as f64);
            return;
        }
        let mut scratch = vec![0.0; n];
        for value in block {
            resample(stream, sample, &mut scratch);
            *value = statistic.evaluate(&mut scratch);
        }
    });
    out
}

/// Replicates of a contrast of two samples.
pub(super) fn of_contrast(
    arms: [&[f64]; 2],
    contrast: &Contrast<'_>,
    design: Design,
    draws: Draws,
) -> Vec<f64> {
    let [control, candidate] = arms;
    let mut out = vec![0.0; draws.count];
    let purpose = if design == Design::Paired {
        PAIRED
    } else {
        UNPAIRED
    };
    draws.source(purpose).fill(
        &mut out,
        control.len() + candidate.len(),
        |stream, block| {
            let (mut left, mut right) = (vec![0.0; control.len()], vec![0.0; candidate.len()]);
            for value in block {
                match design {
                    Design::Paired => resample_pairs(stream, arms, &mut left, &mut right),
                    Design::Unpaired => {
                        resample(stream, control, &mut left);
                        resample(stream, candidate, &mut right);
                    }
                }
                *value = contrast.evaluate(&mut left, &mut right);
            }
        },
    );
    out
}

/// Replicates of the difference of means of two independent samples, without storing the resamples.
pub(super) fn of_mean_difference(control: &[f64], candidate: &[f64], draws: Draws) -> Vec<f64> {
    let mut out = vec![0.0; draws.count];
    let cost = control.len() + candidate.len();
    draws
        .source(UNPAIRED)
        .fill(&mut out, cost, |stream, block| {
            block.fill_with(|| {
                let left = resampled_sum(stream, control) / control.len() as f64;
                resampled_sum(stream, candidate) / candidate.len() as f64 - left
            });
        });
    out
}

/// The sum of n values drawn with replacement, the inner loop of every bootstrap of a mean.
/// Four running sums, because one would wait for each addition before the next.
#[inline]
pub(super) fn resampled_sum(stream: &mut Stream, sample: &[f64]) -> f64 {
    let n = sample.len();
    match (SmallRange::new(n), WideRange::new(n)) {
        (Some(range), _) => sum_of_pairs(stream, sample, |s| s.index_pair(range)),
        (None, Some(range)) => sum_of_pairs(stream, sample, |s| s.wide_index_pair(range)),
        (None, None) => (0..n).map(|_| sample[stream.below(n)]).sum(),
    }
}

#[inline]
fn sum_of_pairs(
    stream: &mut Stream,
    sample: &[f64],
    pair: impl Fn(&mut Stream) -> (usize, usize),
) -> f64 {
    let n = sample.len();
    let mut sums = [0.0f64; 4];
    for _ in 0..n / 4 {
        let (a, b) = pair(stream);
        let (c, d) = pair(stream);
        sums[0] += sample[a];
        sums[1] += sample[b];
        sums[2] += sample[c];
        sums[3] += sample[d];
    }
    for _ in 0..(n % 4) / 2 {
        let (a, b) = pair(stream);
        sums[0] += sample[a];
        sums[1] += sample[b];
    }
    if n % 2 == 1 {
        sums[2] += sample[stream.below(n)];
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3])
}

/// Fills the scratch with values drawn with replacement.
pub(super) fn resample(stream: &mut Stream, sample: &[f64], scratch: &mut [f64]) {
    let n = sample.len();
    let Some(range) = SmallRange::new(n) else {
        scratch.fill_with(|| sample[stream.below(n)]);
        return;
    };
    let mut pairs = scratch.chunks_exact_mut(2);
    for pair in &mut pairs {
        let (a, b) = stream.index_pair(range);
        pair[0] = sample[a];
        pair[1] = sample[b];
    }
    if let [last] = pairs.into_remainder() {
        *last = sample[stream.below(n)];
    }
}

fn resample_pairs(stream: &mut Stream, arms: [&[f64]; 2], left: &mut [f64], right: &mut [f64]) {
    let n = arms[0].len();
    for (l, r) in left.iter_mut().zip(right) {
        let index = stream.below(n);
        *l = arms[0][index];
        *r = arms[1][index];
    }
}
