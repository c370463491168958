//! Rank methods: Wilcoxon's signed rank, Mann-Whitney, Brunner-Munzel, Hodges-Lehmann.
//!
//! Exact p values count on doubled ranks, so that they stay exact with ties; no table of untied ranks is used.

mod counting;
mod hodges_lehmann;
mod mann_whitney;
pub(crate) mod midranks;
mod signed_rank;

pub use hodges_lehmann::{Location, paired_location, unpaired_location};
pub use mann_whitney::{MannWhitney, mann_whitney};
pub use signed_rank::{SignedRank, SignedRankOptions, Zeros, signed_rank_of};

use serde::Serialize;

/// How the p value of a rank test is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Default)]
#[serde(rename_all = "kebab-case")]
pub enum RankMethod {
    /// Exact where counting is quick, else the normal approximation with continuity correction.
    #[default]
    Auto,
    /// Counting all arrangements.
    Exact,
    /// The normal approximation.
    Asymptotic(Continuity),
}

/// Whether the normal approximation allows for the steps of the rank statistic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Continuity {
    /// Half a step towards the centre: closer to the exact p for small samples.
    Corrected,
    /// No correction.
    Plain,
}
