//! Timing: nested repetitions, and the warnings that timings need.

mod nested;
mod series_checks;

pub use nested::{Nested, NestedLevel, nested};
pub use series_checks::{Autocorrelation, autocorrelation, tail_quantile};
