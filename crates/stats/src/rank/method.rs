//! How the p value of a rank test is found.

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
