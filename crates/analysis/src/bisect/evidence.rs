//! What was measured so far.

use std::collections::{BTreeMap, BTreeSet};

/// One block: the place of each commit in the range, and the logarithm of its value.
pub type BisectBlock = BTreeMap<usize, f64>;

/// Everything that an answer rests on. The range is `0..=last`, from the good end to the bad one.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Evidence {
    /// The place of the bad end.
    pub last: usize,
    /// In the order in which they were measured.
    pub blocks: Vec<BisectBlock>,
    /// Commits that do not build, or whose command fails.
    pub skipped: BTreeSet<usize>,
}

impl Evidence {
    /// Blocks in which all of these took part.
    pub(super) fn with<'a>(&'a self, places: &'a [usize]) -> impl Iterator<Item = &'a BisectBlock> {
        let whole = move |block: &&BisectBlock| {
            block.len() >= places.len() && places.iter().all(|it| block.contains_key(it))
        };
        self.blocks.iter().filter(whole)
    }

    /// The second less the first, block by block.
    pub(super) fn differences(&self, from: usize, to: usize) -> Vec<f64> {
        let both = [from, to];
        self.with(&both).map(|it| it[&to] - it[&from]).collect()
    }

    /// Commits between two others that can be measured.
    pub(super) fn between(&self, from: usize, to: usize) -> Vec<usize> {
        (from + 1..to)
            .filter(|place| !self.skipped.contains(place))
            .collect()
    }

    /// Every commit that took part in a block.
    pub(super) fn measured(&self) -> BTreeSet<usize> {
        self.blocks
            .iter()
            .flat_map(|it| it.keys().copied())
            .collect()
    }

    /// Who took part in the last block.
    pub(super) fn latest(&self) -> Vec<usize> {
        let latest = self.blocks.last();
        latest.map_or_else(Vec::new, |block| block.keys().copied().collect())
    }
}
