//! Timing: ratios against a noise threshold, nested repetitions, and the warnings that timings need.

mod compare;
mod nested;
mod series_checks;

pub use compare::{TimingComparison, TimingOptions, TimingVerdict, compare_times};
pub use nested::{Nested, NestedLevel, nested};
pub use series_checks::{Autocorrelation, autocorrelation, tail_quantile};
