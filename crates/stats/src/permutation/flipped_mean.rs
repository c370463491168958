//! The sign-flip test of the mean of paired differences, with the interval that belongs to it.
//!
//! Flipping the signs of a set of differences around `θ` makes their sum at least as large as the observed one exactly
//! where the mean of that set is at most `θ` (Hartigan's typical values). So the means of the subsets, in order, are the
//! ends of the intervals: word and interval cannot disagree, and a difference that moves up moves no end down. The t
//! interval lacks that: one large difference among fifteen of the same sign takes its verdict away.
//!
//! Exact for differences that are symmetric around their centre, however heavy their tails.

use serde::Serialize;

use super::sign_flip::{SIGN_FLIPS, sums_by_pattern};
use super::sums::{pairs_at_least, signed_sums};
use crate::rng::{Source, Stream};
use crate::sample;
use crate::{Interval, Level, Outcome, Side, Undefined};

/// Up to this many pairs all sign patterns are counted.
const COUNTED_PAIRS: usize = 20;
/// Patterns beyond, the observed one included: the standard error of a p value of 5 % is 0.0009.
const DRAWN: usize = 1 << 16;
/// Signs that are drawn in all, and the patterns that are drawn however many pairs there are.
const SIGNS: usize = 1 << 26;
const LEAST_DRAWN: usize = 1 << 11;
/// Sums closer to 0 than this share of the largest difference are 0: the order of summation must not decide.
const ZERO: f64 = 1e-12;
/// Halvings of the range of the differences, after which an end is known to the last digit.
const HALVINGS: usize = 60;

/// The mean of paired differences by the sign-flip test.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FlippedMean {
    /// The mean difference candidate - control.
    pub estimate: f64,
    /// The means that the test does not reject; infinite where so few patterns cannot reject at this level.
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
/// Without a difference, with one that is not finite, and for a level that is none.
pub fn flipped_mean(differences: &[f64], level: Level) -> Outcome<FlippedMean> {
    sample::finite("the differences", differences)?;
    let level = Level {
        side: Side::TwoSided,
        ..level
    }
    .checked()?;
    let scale = sample::max_abs(differences);
    if scale == 0.0 {
        return Err(Undefined::ZeroVariance {
            what: "the difference between the arms".into(),
            value: 0.0,
        });
    }
    // Scaled to at most 1, so that no sum can overflow.
    let scaled: Vec<f64> = differences.iter().map(|d| d / scale).collect();
    let estimate = scaled.iter().sum::<f64>() / scaled.len() as f64;
    let patterns = patterns(scaled.len());
    // A hair of slack: at the level itself a test rejects.
    let rejected = (0.5 * level.alpha * patterns as f64 * (1.0 + 1e-12)).floor() as u64;
    let exact = scaled.len() <= COUNTED_PAIRS;
    let one_value = scaled.iter().all(|d| *d == scaled[0]);
    let (low, high, beyond) = if one_value {
        let end = (rejected > 0).then_some(scaled[0]);
        (end, end, 1)
    } else if exact {
        let mirrored: Vec<f64> = scaled.iter().map(|d| -d).collect();
        let of_sign = if estimate < 0.0 { &mirrored } else { &scaled };
        let low = lowest_accepted(&scaled, rejected);
        let high = lowest_accepted(&mirrored, rejected).map(|end| -end);
        (low, high, not_above(of_sign, ZERO))
    } else {
        let mut means = drawn_means(&scaled, patterns);
        let low = end_of(&mut means, rejected);
        let of_sign = if estimate < 0.0 { -1.0 } else { 1.0 };
        let beyond = 1 + means.iter().filter(|m| of_sign * **m <= ZERO).count() as u64;
        for mean in &mut means {
            *mean = -*mean;
        }
        (low, end_of(&mut means, rejected).map(|end| -end), beyond)
    };
    let end = |end: Option<f64>, open: f64| {
        end.map_or(
            open,
            |end| {
                if end.abs() <= ZERO { 0.0 } else { end * scale }
            },
        )
    };
    Ok(FlippedMean {
        estimate: if one_value {
            differences[0]
        } else {
            estimate * scale
        },
        interval: Interval {
            low: end(low, f64::NEG_INFINITY),
            high: end(high, f64::INFINITY),
            level,
        },
        p: (2.0 * beyond as f64 / patterns as f64).min(1.0),
        patterns: patterns as u64,
        exact,
    })
}

/// How many patterns of signs the test of so many pairs looks at; a p value is a multiple of twice their share.
pub fn patterns(pairs: usize) -> usize {
    if pairs <= COUNTED_PAIRS {
        1 << pairs
    } else {
        (SIGNS / pairs).clamp(LEAST_DRAWN, DRAWN)
    }
}

/// The patterns whose sum is at least the observed one, around `centre`.
fn not_above(scaled: &[f64], centre: f64) -> u64 {
    let around: Vec<f64> = scaled.iter().map(|d| d - centre).collect();
    let (left, right) = around.split_at(around.len() / 2);
    let sum: f64 = around.iter().sum();
    pairs_at_least(&signed_sums(left), &signed_sums(right), sum - ZERO)
}

/// The smallest mean that is not rejected where `rejected` patterns may be beyond it.
fn lowest_accepted(scaled: &[f64], rejected: u64) -> Option<f64> {
    let least = scaled.iter().copied().fold(f64::INFINITY, f64::min);
    let most = scaled.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if rejected == 0 {
        return None;
    }
    // At the least difference, the patterns that flip only such ones are beyond.
    if not_above(scaled, least) > rejected {
        return Some(least);
    }
    let (mut low, mut high) = (least, most);
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(low, high);
        if middle <= low || middle >= high {
            break;
        }
        if not_above(scaled, middle) > rejected {
            high = middle;
        } else {
            low = middle;
        }
    }
    Some(high)
}

/// The same from drawn subset means: the one that `rejected - 1` of them lie below.
fn end_of(means: &mut [f64], rejected: u64) -> Option<f64> {
    let place = usize::try_from(rejected).ok()?.checked_sub(1)?;
    (place < means.len()).then(|| *means.select_nth_unstable_by(place, f64::total_cmp).1)
}

/// The means of random subsets, one less than the patterns: the observed one flips none.
fn drawn_means(scaled: &[f64], patterns: usize) -> Vec<f64> {
    // The sum of a subset is half of the sum of all less half of the signed sum, so that one table serves both.
    let tables: Vec<Vec<f64>> = scaled.chunks(8).map(sums_by_pattern).collect();
    let all: f64 = scaled.iter().sum();
    let last = scaled.len() % 64;
    let source = Source {
        seed: 0,
        purpose: SIGN_FLIPS,
    };
    let mut means = vec![0.0; patterns - 1];
    source.fill(&mut means, tables.len(), |stream, block| {
        for mean in block {
            *mean = loop {
                let (signed, kept) = signed_sum(&tables, last, stream);
                let flipped = scaled.len() - kept;
                if flipped > 0 {
                    break 0.5 * (all - signed) / flipped as f64;
                }
            };
        }
    });
    means
}

/// A random signed sum, and how many differences kept their sign.
fn signed_sum(tables: &[Vec<f64>], last: usize, stream: &mut Stream) -> (f64, usize) {
    let mut sum = 0.0;
    let mut kept = 0;
    let mut words = tables.chunks(8).peekable();
    while let Some(eight) = words.next() {
        let mut bits = stream.next_u64();
        if words.peek().is_none() && last > 0 {
            bits &= (1 << last) - 1;
        }
        kept += bits.count_ones() as usize;
        for (table, byte) in eight.iter().zip(bits.to_le_bytes()) {
            sum += table[usize::from(byte)];
        }
    }
    (sum, kept)
}
