//! The words that a comparison can end in.

use serde::Serialize;
use std::fmt;

/// The seven words that a comparison can end in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum Word {
    /// Better, beyond chance.
    #[serde(rename = "improved")]
    Improved,
    /// Worse, beyond chance.
    #[serde(rename = "regressed")]
    Regressed,
    /// The whole interval lies inside the margin.
    #[serde(rename = "equivalent")]
    Equivalent,
    /// Not worse by the margin or more.
    #[serde(rename = "not worse")]
    NotWorse,
    /// The data leave it open.
    #[serde(rename = "inconclusive")]
    Inconclusive,
    /// Every value is the same on both sides.
    #[serde(rename = "identical")]
    Identical,
    /// Too little to say anything.
    #[serde(rename = "insufficient")]
    Insufficient,
}

impl Word {
    /// The word itself.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Improved => "improved",
            Self::Regressed => "regressed",
            Self::Equivalent => "equivalent",
            Self::NotWorse => "not worse",
            Self::Inconclusive => "inconclusive",
            Self::Identical => "identical",
            Self::Insufficient => "insufficient",
        }
    }
}

impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.text())
    }
}
