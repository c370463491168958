//! Counting the arrangements that are at least as extreme as the observed one.

use rayon::prelude::*;

use crate::Side;
use crate::rng::{Source, Stream};

/// Sums closer than this share of the sum of absolute values are equal: the order of summation must not decide.
pub(super) const SLACK: f64 = 1e-9;

/// How many arrangements are at least as extreme, in each sense.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Extreme {
    pub(super) above: u64,
    pub(super) below: u64,
    pub(super) both: u64,
}

impl Extreme {
    /// One arrangement with this sum, against the observed one.
    pub(super) fn judge(sum: f64, observed: f64, slack: f64) -> Self {
        Self {
            above: u64::from(sum >= observed - slack),
            below: u64::from(sum <= observed + slack),
            both: u64::from(sum.abs() >= observed.abs() - slack),
        }
    }

    pub(super) fn of(self, side: Side) -> u64 {
        match side {
            Side::Greater => self.above,
            Side::Less => self.below,
            Side::TwoSided => self.both,
        }
    }

    pub(super) fn add(self, other: Self) -> Self {
        Self {
            above: self.above + other.above,
            below: self.below + other.below,
            both: self.both + other.both,
        }
    }
}

/// Judges random arrangements block by block, each block from its own stream and its own fresh state: the count is the
/// same for any number of threads, and takes no memory.
pub(super) fn tally<S>(
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
