//! The choices of a permutation test.

use serde::Serialize;

use crate::Side;

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
