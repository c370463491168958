//! How the interval of a comparison is made: what a spec or a user may ask for.

use serde::{Deserialize, Serialize};

/// How the interval is made. `Auto` goes by the kind of data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Pass/fail by proportions, timings by ratio, pairs by sign-flips from ten on, the rest by t.
    #[default]
    Auto,
    /// Student's t on the differences, Welch's t where there are no pairs.
    T,
    /// The sign-flip test of the mean of paired differences, with its interval.
    SignFlip,
    /// t on logarithms: a ratio of geometric means.
    LogRatio,
    /// Hodges-Lehmann with its rank-based interval.
    Rank,
    /// Tango's interval and McNemar's test for pairs, Newcombe's and Barnard's else; both must agree on a difference.
    Proportion,
    /// Percentile bootstrap of the mean difference.
    Percentile,
    /// BCa bootstrap of the mean difference.
    Bca,
}

impl Method {
    /// All of them by the words that specs and commands use.
    pub const WORDS: [&'static str; 8] = [
        "auto",
        "t",
        "sign-flip",
        "log-ratio",
        "rank",
        "proportion",
        "percentile",
        "bca",
    ];

    /// The method of a word.
    pub fn of_word(word: &str) -> Option<Self> {
        let all = [
            Self::Auto,
            Self::T,
            Self::SignFlip,
            Self::LogRatio,
            Self::Rank,
            Self::Proportion,
            Self::Percentile,
            Self::Bca,
        ];
        let mut known = Self::WORDS.iter().zip(all);
        known
            .find(|(known, _)| **known == word)
            .map(|(_, method)| method)
    }
}
