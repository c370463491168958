//! The inner loops of the stratified bootstrap: one resample of every task's runs, and the metric on it.
//!
//! The interquartile mean needs no sorting: the scores are ranked once, a resample counts how often each rank was
//! drawn, and the middle half is read off the counts.

use super::metric::Metric;
use super::plan::Correction;
use super::scores::Scores;
use crate::bootstrap::{plain_mean, quantile_type7};
use crate::rng::{SmallRange, Stream};

/// Draws one resampled value of a metric at a time.
pub(super) enum Kernel {
    Ranks(Ranks),
    TaskMeans(TaskMeans),
}

/// The working memory of one block of resamples.
pub(super) struct Scratch {
    counts: Vec<u32>,
    means: Vec<f64>,
}

impl Kernel {
    pub(super) fn new(scores: &Scores<'_>, metric: Metric, correction: Correction) -> Self {
        let mut tasks = stretched(scores, correction);
        match metric {
            Metric::Iqm => Self::Ranks(Ranks::new(&tasks)),
            Metric::OptimalityGap { target } => {
                // The gap of the data itself is stretched, not the gap of stretched scores: capping comes first.
                tasks = capped(scores, target, correction);
                Self::TaskMeans(TaskMeans {
                    tasks,
                    median: false,
                })
            }
            Metric::Mean => Self::TaskMeans(TaskMeans {
                tasks,
                median: false,
            }),
            Metric::Median => Self::TaskMeans(TaskMeans {
                tasks,
                median: true,
            }),
        }
    }

    pub(super) fn scratch(&self) -> Scratch {
        match self {
            Self::Ranks(ranks) => Scratch {
                counts: vec![0; ranks.values.len()],
                means: Vec::new(),
            },
            Self::TaskMeans(means) => Scratch {
                counts: Vec::new(),
                means: vec![0.0; means.tasks.len()],
            },
        }
    }

    #[inline]
    pub(super) fn draw(&self, stream: &mut Stream, scratch: &mut Scratch) -> f64 {
        match self {
            Self::Ranks(ranks) => ranks.draw(stream, &mut scratch.counts),
            Self::TaskMeans(means) => means.draw(stream, &mut scratch.means),
        }
    }
}

/// Every task's scores, their deviations from the task mean stretched where asked for.
pub(super) fn stretched(scores: &Scores<'_>, correction: Correction) -> Vec<Vec<f64>> {
    scores
        .tasks()
        .iter()
        .map(|runs| stretch(runs, correction))
        .collect()
}

fn stretch(runs: &[f64], correction: Correction) -> Vec<f64> {
    let n = runs.len() as f64;
    if correction == Correction::None || runs.len() < 2 {
        return runs.to_vec();
    }
    let center = plain_mean(runs);
    let factor = (n / (n - 1.0)).sqrt();
    runs.iter()
        .map(|x| center + factor * (x - center))
        .collect()
}

/// Shortfalls from the target, stretched.
fn capped(scores: &Scores<'_>, target: f64, correction: Correction) -> Vec<Vec<f64>> {
    let shortfalls =
        |runs: &Vec<f64>| -> Vec<f64> { runs.iter().map(|x| target - x.min(target)).collect() };
    scores
        .tasks()
        .iter()
        .map(|runs| stretch(&shortfalls(runs), correction))
        .collect()
}

/// Calls `visit` with as many indices below `n` as a task has runs, two for each draw where that is allowed.
#[inline]
pub(super) fn for_each_index(stream: &mut Stream, n: usize, mut visit: impl FnMut(usize)) {
    let Some(range) = SmallRange::new(n) else {
        for _ in 0..n {
            visit(stream.below(n));
        }
        return;
    };
    for _ in 0..n / 2 {
        let (a, b) = stream.index_pair(range);
        visit(a);
        visit(b);
    }
    if n % 2 == 1 {
        visit(stream.index_pair(range).0);
    }
}

/// The interquartile mean by counting ranks.
pub(super) struct Ranks {
    /// All scores in order.
    values: Vec<f64>,
    /// For each task in turn, the rank of each of its runs.
    rank: Vec<u32>,
    runs: Vec<usize>,
}

impl Ranks {
    fn new(tasks: &[Vec<f64>]) -> Self {
        let flat: Vec<f64> = tasks.iter().flatten().copied().collect();
        let mut order: Vec<usize> = (0..flat.len()).collect();
        order.sort_unstable_by(|&a, &b| flat[a].total_cmp(&flat[b]));
        let mut rank = vec![0; flat.len()];
        for (position, &index) in order.iter().enumerate() {
            rank[index] = position as u32;
        }
        Self {
            values: order.iter().map(|&i| flat[i]).collect(),
            rank,
            runs: tasks.iter().map(Vec::len).collect(),
        }
    }

    #[inline]
    fn draw(&self, stream: &mut Stream, counts: &mut [u32]) -> f64 {
        counts.fill(0);
        let mut ranks = &self.rank[..];
        for &runs in &self.runs {
            let (own, rest) = ranks.split_at(runs);
            for_each_index(stream, runs, |i| counts[own[i] as usize] += 1);
            ranks = rest;
        }
        self.middle_mean(counts)
    }

    /// The mean of the middle half: leave `cut` draws out from below and from above, sum what lies between.
    fn middle_mean(&self, counts: &[u32]) -> f64 {
        let total = self.values.len();
        let cut = (total / 4) as u32;
        let (low, kept_low) = skip(counts.iter().copied(), cut);
        let (from_top, kept_high) = skip(counts.iter().rev().copied(), cut);
        let high = total - 1 - from_top;
        let kept = (total - 2 * (total / 4)) as f64;
        if low == high {
            return self.values[low];
        }
        let edges =
            f64::from(kept_low) * self.values[low] + f64::from(kept_high) * self.values[high];
        (edges + weighted_sum(&counts[low + 1..high], &self.values[low + 1..high])) / kept
    }
}

/// The first position that is not cut away completely, and how much of it stays.
#[inline]
fn skip(counts: impl Iterator<Item = u32>, cut: u32) -> (usize, u32) {
    let mut passed = 0;
    for (position, count) in counts.enumerate() {
        passed += count;
        if passed > cut {
            return (position, passed - cut);
        }
    }
    (0, 0)
}

/// The sum of counts times values, in four running sums.
#[inline]
fn weighted_sum(counts: &[u32], values: &[f64]) -> f64 {
    let mut sums = [0.0f64; 4];
    let (count_blocks, value_blocks) = (counts.chunks_exact(4), values.chunks_exact(4));
    let rest = count_blocks
        .remainder()
        .iter()
        .zip(value_blocks.remainder());
    let tail: f64 = rest.map(|(&c, v)| f64::from(c) * v).sum();
    for (c, v) in count_blocks.zip(value_blocks) {
        for lane in 0..4 {
            sums[lane] += f64::from(c[lane]) * v[lane];
        }
    }
    tail + (sums[0] + sums[1]) + (sums[2] + sums[3])
}

/// Metrics that only look at each task's mean.
pub(super) struct TaskMeans {
    tasks: Vec<Vec<f64>>,
    median: bool,
}

impl TaskMeans {
    #[inline]
    fn draw(&self, stream: &mut Stream, means: &mut [f64]) -> f64 {
        for (runs, mean) in self.tasks.iter().zip(means.iter_mut()) {
            let mut sum = 0.0;
            for_each_index(stream, runs.len(), |i| sum += runs[i]);
            *mean = sum / runs.len() as f64;
        }
        if self.median {
            quantile_type7(means, 0.5)
        } else {
            plain_mean(means)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bootstrap::interquartile_mean;

    #[test]
    fn counting_ranks_gives_the_interquartile_mean_of_the_resample() {
        let tasks = vec![
            vec![3.0, 1.0, 2.5, 9.0],
            vec![0.5, 7.0, 2.5],
            vec![-4.0, 11.0, 6.0, 5.0],
        ];
        let ranks = Ranks::new(&tasks);
        for total_cut in 0..50u64 {
            let mut stream = Stream::new(total_cut, crate::rng::Purpose::new("test"), 0);
            let mut counts = vec![0; 11];
            let got = ranks.draw(&mut stream, &mut counts);
            let mut resample: Vec<f64> = counts
                .iter()
                .zip(&ranks.values)
                .flat_map(|(&c, &v)| std::iter::repeat_n(v, c as usize))
                .collect();
            assert_eq!(resample.len(), 11);
            let want = interquartile_mean(&mut resample);
            assert!((got - want).abs() < 1e-12, "{got} {want}");
        }
    }
}
