//! Tests that hold for any distribution: the labels are exchanged, nothing is assumed about the shape.
//!
//! All arrangements are counted by meeting in the middle: the sums of each half are listed in order and matched with two
//! pointers. That makes 2^40 sign patterns a matter of milliseconds and keeps the count a whole number.

mod flipped_mean;
mod sign_flip;
mod studentised;
mod sums;

pub use flipped_mean::{FlippedMean, flipped_mean, flipped_share, patterns};
pub use sign_flip::{SignFlip, sign_flip, sign_flip_of};
pub use studentised::{Studentised, studentised};

use rayon::prelude::*;
use serde::Serialize;

use crate::Side;
use crate::rng::{Source, Stream};

/// Sums closer than this share of the sum of absolute values are equal: the order of summation must not decide.
const SLACK: f64 = 1e-9;

/// Choices of a permutation test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Options {
    /// Which deviations count.
    pub side: Side,
    /// Random arrangements, where there are too many to count.
    pub draws: u32,
    /// The seed of those.
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            side: Side::TwoSided,
            draws: 1_000_000,
            seed: 0,
        }
    }
}

/// How many arrangements are at least as extreme, in each sense.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Extreme {
    above: u64,
    below: u64,
    both: u64,
}

impl Extreme {
    /// One arrangement with this sum, against the observed one.
    fn judge(sum: f64, observed: f64, slack: f64) -> Self {
        Self {
            above: u64::from(sum >= observed - slack),
            below: u64::from(sum <= observed + slack),
            both: u64::from(sum.abs() >= observed.abs() - slack),
        }
    }

    fn of(self, side: Side) -> u64 {
        match side {
            Side::Greater => self.above,
            Side::Less => self.below,
            Side::TwoSided => self.both,
        }
    }

    fn add(self, other: Self) -> Self {
        Self {
            above: self.above + other.above,
            below: self.below + other.below,
            both: self.both + other.both,
        }
    }
}

/// Judges random arrangements block by block, each block from its own stream and its own fresh state: the count is the
/// same for any number of threads, and takes no memory.
fn tally<S>(
    source: Source,
    draws: u32,
    state: impl Fn() -> S + Sync,
    judge: impl Fn(&mut S, &mut Stream) -> Extreme + Sync,
) -> Extreme {
    let size = Source::BLOCK as u64;
    let blocks = u64::from(draws).div_ceil(size);
    let one_block = |block: u64| {
        let (mut state, mut stream) = (state(), source.block(block));
        let count = size.min(u64::from(draws) - block * size);
        (0..count).fold(Extreme::default(), |total, _| {
            total.add(judge(&mut state, &mut stream))
        })
    };
    (0..blocks)
        .into_par_iter()
        .map(one_block)
        .reduce(Extreme::default, Extreme::add)
}
