//! By what rules a change is looked for.

/// By what rules a change is looked for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BisectRules {
    /// The error chance of each claim: that the ends differ, and which commit it is.
    pub alpha: f64,
    /// The smallest difference that matters, on the scale of logarithms.
    pub margin: f64,
    /// Blocks of a candidate, or of two ends, at most.
    pub most: usize,
    /// Whether values are counted, so that measuring again gives the same.
    pub exact: bool,
}
