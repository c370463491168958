//! Bootstrap intervals: percentile, basic, BCa, studentised, and the original system's variant of BCa.
//!
//! For a mean of few values the t interval is the verdict (the bootstrap covers too little there); these are for
//! statistics without a formula, for old results, and for the picture. Means have an [`exact`] route without any draws.

mod acceleration;
mod distribution;
mod endpoints;
mod entry;
pub mod exact;
pub mod given;
mod plan;
mod replicates;
mod result;
mod selection;
mod statistic;
mod studentised;

pub use entry::{contrast, mean, mean_difference, statistic};

pub use plan::{Method, Plan};
pub use result::{BootstrapInterval, Flag, Resampling};
pub use statistic::{Contrast, Design, Statistic};

pub(crate) use endpoints::percentile_interval;
pub(crate) use entry::check_resamples;
pub(crate) use replicates::Replicates;
pub(crate) use selection::{interquartile_mean, quantile_type7};
pub(crate) use statistic::{mean as plain_mean, sample_variance};
