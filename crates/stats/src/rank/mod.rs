//! Rank methods: Wilcoxon's signed rank, Mann-Whitney, Brunner-Munzel, Hodges-Lehmann.
//!
//! Exact p values count on doubled ranks, so that they stay exact with ties; no table of untied ranks is used.

mod counting;
mod hodges_lehmann;
mod mann_whitney;
mod method;
pub(crate) mod midranks;
mod signed_rank;

pub use hodges_lehmann::{Location, paired_location, unpaired_location};
pub use mann_whitney::{MannWhitney, mann_whitney};
pub use method::{Continuity, RankMethod};
pub use signed_rank::{SignedRank, SignedRankOptions, Zeros, signed_rank_of};
