//! What the formulas of the ends ask of a bootstrap distribution.

/// What the formulas ask of a bootstrap distribution, drawn or exact.
pub(super) trait Distribution {
    /// The quantile at `p` in [0, 1].
    fn quantile(&mut self, p: f64) -> f64;
    /// The chance below the estimate plus half of the chance at it.
    fn mid_rank(&self, estimate: f64) -> f64;
    /// The chance strictly below.
    fn share_below(&self, estimate: f64) -> f64;
    /// The standard deviation.
    fn standard_error(&self) -> f64;
    /// Whether all of it sits on one value.
    fn is_degenerate(&self) -> bool;
}
