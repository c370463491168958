//! Suites: one number for many tasks, each with a few runs, and an honest interval for it.
//!
//! The numbers are those of rliable (Agarwal et al. 2021). Its percentile intervals are too short at 3 to 10 runs, so
//! the default here stretches each task's deviations by sqrt(N / (N - 1)), and the suite mean has a stratified t.

mod improvement;
mod interval;
mod kernel;
mod metric;
mod plan;
mod profile;
mod scores;
mod stratified_t;

pub use improvement::{Improvement, probability_of_improvement};
pub use interval::{SuiteInterval, difference, interval};
pub use metric::{Metric, point};
pub use plan::{Correction, SuitePlan};
pub use profile::{Profile, ProfileBand, ProfileKind, profile, profile_band};
pub use scores::Scores;
pub use stratified_t::{StratifiedT, mean_difference_t, mean_t};
