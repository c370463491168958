//! The warnings that series of timings need.

mod series_checks;

pub use series_checks::{Autocorrelation, autocorrelation};
