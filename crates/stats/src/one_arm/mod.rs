//! Intervals for one arm: a mean, a proportion, a mean of clustered items.

mod clustered;
mod mean;
mod proportion;
mod share;

pub use clustered::{ClusteredMean, clustered_mean};
pub use mean::{MeanInterval, mean_interval};
pub(crate) use proportion::MOST_TRIALS;
pub use proportion::{Proportion, ProportionInterval, ProportionMethod, proportion_interval};
pub use share::{ShareInterval, clustered_share, share_interval};
