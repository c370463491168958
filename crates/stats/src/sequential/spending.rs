//! Alpha spending: how much of the error chance may be used up by the time a share of the budget has been seen.

use serde::Serialize;

use crate::dist::normal;

/// A spending function.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(tag = "spending", rename_all = "snake_case")]
pub enum Spending {
    /// alpha f^rho (Kim and DeMets); rho = 2 is the default: cautious early, little lost at the end.
    Power {
        /// The exponent, above 0.
        rho: f64,
    },
    /// Lan and DeMets after O'Brien and Fleming: nearly nothing early, the last look close to a fixed test.
    ObrienFleming,
    /// Lan and DeMets after Pocock: much early, which costs power at the end.
    Pocock,
}

impl Default for Spending {
    fn default() -> Self {
        Self::Power { rho: 2.0 }
    }
}

impl Spending {
    /// The error chance that may be spent (two-sided) by the share `f` of the budget.
    pub fn cumulative(self, alpha: f64, f: f64) -> f64 {
        if f >= 1.0 {
            return alpha;
        }
        match self {
            Self::Power { rho } => alpha * f.powf(rho),
            Self::ObrienFleming => 4.0 * normal::sf(normal::inverse_sf(alpha / 4.0) / f.sqrt()),
            Self::Pocock => alpha * (std::f64::consts::E - 1.0).mul_add(f, 1.0).ln(),
        }
    }
}
