//! Describing one sample: location, spread, shape; exact sums; accumulators that merge.

mod accumulator;
mod correlation;
mod density;
mod location;
mod moments;
mod quantile;
mod spread;
mod sum;
mod summary;

pub use accumulator::Accumulator;
pub use correlation::correlation;
pub use density::Density;
pub use location::geometric_mean;
pub(crate) use moments::Moments;
pub use moments::{excess_kurtosis, mean, sd, skewness, variance};
pub(crate) use quantile::sorted;
pub use quantile::{QuantileRule, median, quantile, quantile_sorted};
pub use spread::{CoefficientOfVariation, coefficient_of_variation, mad};
pub use sum::{CompensatedSum, sum};
pub use summary::{Summary, describe};
