//! The sign-flip test of the mean of paired differences, with the interval that belongs to it.
//!
//! Flipping the signs of a set of differences around `θ` makes their sum at least as large as the observed one exactly
//! where the mean of that set is at most `θ` (Hartigan's typical values). So the means of the subsets, in order, are the
//! ends of the intervals: word and interval cannot disagree, and a difference that moves up moves no end down. The t
//! interval lacks that: one large difference among fifteen of the same sign takes its verdict away. A ratio of sums with
//! parts above 0 goes the same way, by the ratios of the subsets.
//!
//! Exact for differences that are symmetric around their centre, however heavy their tails.

use rayon::prelude::*;
use serde::Serialize;

use super::sign_flip::{SIGN_FLIPS, fill_sums_by_pattern};
use super::sums::{pairs_at_least, signed_sums};
use crate::rng::{Source, Stream};
use crate::sample;
use crate::{Interval, Level, Outcome, Side, Undefined};

/// Up to this many pairs all sign patterns are counted.
const COUNTED_PAIRS: usize = 20;
/// Patterns beyond, the observed one included: the standard error of a p value of 5 % is 0.0009.
const DRAWN: usize = 1 << 16;
/// Signs that are drawn in all: from 1,024 pairs on 16,384 patterns, whose standard error at a p value of 5 % is 0.0017.
const SIGNS: usize = 1 << 24;
/// Beyond so many pairs, neighbours share a sign: flipping them together is a test of the same level, with next to the same
/// power, and leaves room for [`SIGNS`]` / `[`FLIPPED_ALONE`] patterns however many pairs there are.
const FLIPPED_ALONE: usize = 1 << 10;
/// Below this many words of signs, starting threads costs more than it saves.
const WORTH_THREADS: usize = 1 << 18;
/// Sums closer to 0 than this share of the largest difference are 0: the order of summation must not decide.
const ZERO: f64 = 1e-12;
/// Halvings of the range of the differences, after which an end is known to the last digit.
const HALVINGS: usize = 60;

/// The mean of paired differences by the sign-flip test.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FlippedMean {
    /// The mean difference candidate - control, or its share of the control.
    pub estimate: f64,
    /// The values that the test does not reject; infinite where so few patterns cannot reject at this level.
    pub interval: Interval,
    /// The two-sided p value of "each difference could as well have the other sign".
    pub p: f64,
    /// Sign patterns looked at: all of them, or the drawn ones.
    pub patterns: u64,
    /// Whether all patterns were counted.
    pub exact: bool,
}

/// The mean of the differences with its two-sided interval at this level.
///
/// # Errors
/// Without a difference, with one that is not finite or with none but 0, and for a level that is none.
pub fn flipped_mean(differences: &[f64], level: Level) -> Outcome<FlippedMean> {
    sample::finite("the differences", differences)?;
    flipped(differences, &vec![1.0; differences.len()], level)
}

/// The differences as a share of the control, `Σ difference / Σ control`, whose own noise is in the interval. It excludes 0
/// exactly where [`flipped_mean`] does.
///
/// # Errors
/// As [`flipped_mean`], and where the control's values are not all above 0.
pub fn flipped_share(differences: &[f64], control: &[f64], level: Level) -> Outcome<FlippedMean> {
    sample::pairs("the sign-flip test", control, differences, 1)?;
    if control.iter().any(|value| *value <= 0.0) {
        return Err(Undefined::NoSolution(
            "a share of the control needs a control above 0 in every pair".to_owned(),
        ));
    }
    flipped(differences, control, level)
}

/// How many patterns of signs the test of so many pairs looks at; a p value is a multiple of twice their share.
pub fn patterns(pairs: usize) -> usize {
    if pairs <= COUNTED_PAIRS {
        1 << pairs
    } else {
        (SIGNS / pairs.min(FLIPPED_ALONE)).min(DRAWN)
    }
}

/// `Σ above / Σ below` with its interval; `below` is above 0 everywhere.
fn flipped(above: &[f64], below: &[f64], level: Level) -> Outcome<FlippedMean> {
    let level = Level {
        side: Side::TwoSided,
        ..level
    }
    .checked()?;
    let (unit, base) = (sample::max_abs(above), sample::max_abs(below));
    if unit == 0.0 {
        return Err(Undefined::ZeroVariance {
            what: "the difference between the arms".into(),
            value: 0.0,
        });
    }
    // Scaled to at most 1, so that no sum can overflow.
    let scaled =
        |values: &[f64], unit: f64| -> Vec<f64> { values.iter().map(|x| x / unit).collect() };
    let parts = Parts {
        above: scaled(above, unit),
        below: scaled(below, base),
    };
    let mirrored = Parts {
        above: parts.above.iter().map(|x| -x).collect(),
        below: parts.below.clone(),
    };
    let patterns = patterns(above.len());
    // A hair of slack: at the level itself a test rejects.
    let rejected = (0.5 * level.alpha * patterns as f64 * (1.0 + 1e-12)).floor() as u64;
    let exact = above.len() <= COUNTED_PAIRS;
    let estimate = parts.ratio();
    let (least, most) = parts.range();
    let (low, high, beyond) = if least == most {
        let end = (rejected > 0).then_some(least);
        (end, end, 1)
    } else if exact {
        let of_sign = if estimate < 0.0 { &mirrored } else { &parts };
        let high = mirrored.lowest_accepted(rejected).map(|end| -end);
        (parts.lowest_accepted(rejected), high, of_sign.beyond(0.0))
    } else {
        let mut ratios = parts.of_neighbours().drawn(patterns);
        let low = end_of(&mut ratios, rejected);
        let sign = if estimate < 0.0 { -1.0 } else { 1.0 };
        let beyond = 1 + ratios.iter().filter(|ratio| sign * **ratio <= ZERO).count() as u64;
        for ratio in &mut ratios {
            *ratio = -*ratio;
        }
        (low, end_of(&mut ratios, rejected).map(|end| -end), beyond)
    };
    let in_units = |end: Option<f64>, open: f64| match end {
        None => open,
        Some(end) if end.abs() <= ZERO => 0.0,
        // Of values that are all the same, the value itself: no digit is lost to the scale.
        Some(_) if least == most && base == 1.0 => above[0],
        Some(end) => end * unit / base,
    };
    Ok(FlippedMean {
        estimate: in_units(Some(estimate), 0.0),
        interval: Interval {
            low: in_units(low, f64::NEG_INFINITY),
            high: in_units(high, f64::INFINITY),
            level,
        },
        p: (2.0 * beyond as f64 / patterns as f64).min(1.0),
        patterns: patterns as u64,
        exact,
    })
}

/// What is added up above and below the line of a ratio.
struct Parts {
    above: Vec<f64>,
    below: Vec<f64>,
}

impl Parts {
    fn ratio(&self) -> f64 {
        self.above.iter().sum::<f64>() / self.below.iter().sum::<f64>()
    }

    /// The least and the largest ratio of one pair.
    fn range(&self) -> (f64, f64) {
        let each = self.above.iter().zip(&self.below).map(|(a, b)| a / b);
        each.fold(
            (f64::INFINITY, f64::NEG_INFINITY),
            |(least, most), ratio| (least.min(ratio), most.max(ratio)),
        )
    }

    /// The patterns whose sum around `centre` is at least the observed one.
    fn beyond(&self, centre: f64) -> u64 {
        let each = self.above.iter().zip(&self.below);
        let around: Vec<f64> = each.map(|(a, b)| a - centre * b).collect();
        let (left, right) = around.split_at(around.len() / 2);
        let sum: f64 = around.iter().sum();
        pairs_at_least(&signed_sums(left), &signed_sums(right), sum - ZERO)
    }

    /// The smallest ratio that is not rejected where `rejected` patterns may be beyond it.
    fn lowest_accepted(&self, rejected: u64) -> Option<f64> {
        if rejected == 0 {
            return None;
        }
        let (mut low, mut high) = self.range();
        if self.beyond(low) > rejected {
            return Some(low);
        }
        for _ in 0..HALVINGS {
            let middle = f64::midpoint(low, high);
            if middle <= low || middle >= high {
                break;
            }
            if self.beyond(middle) > rejected {
                high = middle;
            } else {
                low = middle;
            }
        }
        Some(high)
    }

    /// The same with pairs that share a sign as one.
    fn of_neighbours(self) -> Self {
        let pairs = self.above.len();
        if pairs <= FLIPPED_ALONE {
            return self;
        }
        // The longer ones first, so that neighbours are alike where the pairs are.
        let (each, longer) = (pairs / FLIPPED_ALONE, pairs % FLIPPED_ALONE);
        let sums = |values: &[f64]| -> Vec<f64> {
            let (long, short) = values.split_at(longer * (each + 1));
            let parts = long.chunks(each + 1).chain(short.chunks(each));
            parts.map(|part| part.iter().sum()).collect()
        };
        Self {
            above: sums(&self.above),
            below: sums(&self.below),
        }
    }

    /// The ratios of random subsets, one less than the patterns: the observed one flips none.
    fn drawn(&self, patterns: usize) -> Vec<f64> {
        let source = Source {
            seed: 0,
            purpose: SIGN_FLIPS,
        };
        let mut ratios = vec![0.0; patterns - 1];
        // As few parts as there are threads, since each makes its own tables; one where threads are not worth starting.
        let blocks = ratios.len().div_ceil(Source::BLOCK);
        let words = ratios.len() * self.above.len().div_ceil(64);
        let is_small = words < WORTH_THREADS;
        let threads = if is_small {
            1
        } else {
            rayon::current_num_threads()
        };
        let blocks_each = blocks.div_ceil(threads);
        let parts = ratios.par_chunks_mut(blocks_each * Source::BLOCK);
        parts.enumerate().for_each(|(part, ratios)| {
            let first = part * blocks_each;
            let streams = (first..first + ratios.len().div_ceil(Source::BLOCK))
                .map(|block| source.block(block as u64));
            self.fill_drawn(ratios, &mut streams.collect::<Vec<_>>());
        });
        ratios
    }

    /// Draws blocks of ratios, each from its own stream.
    fn fill_drawn(&self, ratios: &mut [f64], streams: &mut [Stream]) {
        let mut kept = vec![(0.0, 0.0); ratios.len()];
        let (mut above, mut below) = (WordSums::default(), WordSums::default());
        // Word by word of all patterns, so that its tables are made once and used while they are at hand.
        for (of_above, of_below) in self.above.chunks(64).zip(self.below.chunks(64)) {
            above.set(of_above);
            below.set(of_below);
            for (block, stream) in kept.chunks_mut(Source::BLOCK).zip(&mut *streams) {
                for (kept_above, kept_below) in block {
                    let word = drawn_word(of_above.len(), stream);
                    *kept_above = above.add(*kept_above, word);
                    *kept_below = below.add(*kept_below, word);
                }
            }
        }
        let (all_above, all_below): (f64, f64) = (self.above.iter().sum(), self.below.iter().sum());
        let blocks = ratios.chunks_mut(Source::BLOCK);
        for ((ratios, kept), stream) in blocks.zip(kept.chunks(Source::BLOCK)).zip(streams) {
            for (ratio, (mut kept_above, mut kept_below)) in
                ratios.iter_mut().zip(kept.iter().copied())
            {
                // What was flipped is half of what is missing of the sum of all.
                while 0.5 * (all_below - kept_below) <= ZERO {
                    (kept_above, kept_below) = self.kept_by_another(stream);
                }
                *ratio = (0.5 * (all_above - kept_above)) / (0.5 * (all_below - kept_below));
            }
        }
    }

    /// The sums under one more random pattern.
    fn kept_by_another(&self, stream: &mut Stream) -> (f64, f64) {
        let (mut above, mut below) = (WordSums::default(), WordSums::default());
        let words = self.above.chunks(64).zip(self.below.chunks(64));
        words.fold(
            (0.0, 0.0),
            |(kept_above, kept_below), (of_above, of_below)| {
                above.set(of_above);
                below.set(of_below);
                let word = drawn_word(of_above.len(), stream);
                (above.add(kept_above, word), below.add(kept_below, word))
            },
        )
    }
}

/// Random signs of at most 64 pairs, a bit for each.
fn drawn_word(pairs: usize, stream: &mut Stream) -> u64 {
    stream.next_u64() & (u64::MAX >> (64 - pairs))
}

/// The signed sums of at most 64 values under any pattern.
struct WordSums {
    /// By the patterns of eight values at a time.
    tables: Box<[[f64; 256]; 8]>,
    /// How many they are and the value, where all are the same: counting is enough.
    alike: Option<(u32, f64)>,
}

impl Default for WordSums {
    fn default() -> Self {
        Self {
            tables: Box::new([[0.0; 256]; 8]),
            alike: None,
        }
    }
}

impl WordSums {
    fn set(&mut self, values: &[f64]) {
        let first = values.first().copied().unwrap_or_default();
        let are_alike = values.iter().all(|value| *value == first);
        self.alike = are_alike.then_some((values.len() as u32, first));
        if !are_alike {
            let eights = values.chunks(8).chain(std::iter::repeat(&[][..]));
            for (table, eight) in self.tables.iter_mut().zip(eights) {
                fill_sums_by_pattern(eight, table);
            }
        }
    }

    /// The sum so far with what these values add under a pattern.
    #[inline]
    fn add(&self, sum: f64, word: u64) -> f64 {
        if let Some((n, value)) = self.alike {
            return sum + value * (2.0 * f64::from(word.count_ones()) - f64::from(n));
        }
        // A plain loop: this is called millions of times, and iterators are not inlined into it without optimising across
        // the parts of a crate.
        let bytes = word.to_le_bytes();
        let mut sum = sum;
        let mut eight = 0;
        while eight < 8 {
            sum += self.tables[eight][usize::from(bytes[eight])];
            eight += 1;
        }
        sum
    }
}

/// The end from drawn ratios: the one that `rejected - 1` of them lie below.
fn end_of(ratios: &mut [f64], rejected: u64) -> Option<f64> {
    let place = usize::try_from(rejected).ok()?.checked_sub(1)?;
    (place < ratios.len()).then(|| *ratios.select_nth_unstable_by(place, f64::total_cmp).1)
}
