//! What a bootstrap by draws needs to know beside the data.

use serde::Serialize;

use crate::Level;

/// How the interval is made from the bootstrap distribution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Quantiles of the bootstrap distribution.
    Percentile,
    /// The same quantiles, mirrored at the estimate.
    Basic,
    /// Bias-corrected and accelerated (Efron 1987), as the textbooks have it.
    Bca,
    /// The original system's formula, which applies half of the bias correction; only to read old results.
    BcaMetta,
    /// Bootstrap-t: quantiles of the studentised estimate; for means.
    Studentised,
}

impl Method {
    /// The name a report shows.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Percentile => "percentile bootstrap",
            Self::Basic => "basic bootstrap",
            Self::Bca => "BCa bootstrap",
            Self::BcaMetta => "BCa bootstrap as in the original system (bca-metta)",
            Self::Studentised => "studentised bootstrap",
        }
    }
}

/// Everything a bootstrap by draws needs to know beside the data.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Plan {
    /// The kind of interval.
    pub method: Method,
    /// How sure, and on which side.
    pub level: Level,
    /// How many resamples.
    pub resamples: usize,
    /// The seed of the draws.
    pub seed: u64,
}

impl Plan {
    /// 10,000 resamples, two-sided 95 %.
    pub const fn new(method: Method, seed: u64) -> Self {
        Self {
            method,
            level: Level::TWO_SIDED_95,
            resamples: 10_000,
            seed,
        }
    }
}
