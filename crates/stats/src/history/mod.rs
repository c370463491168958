//! History: where a metric over runs or commits changed its level.
//!
//! [`level_changes`] is what Fairtrial uses: its false alarms are held to `alpha` whatever the noise. [`change_points`]
//! does what Hunter and Otava do (divisive search by energy distance, Matteson and James 2014, with t tests and merging,
//! Fleming et al. 2023), for comparisons with them: their usual threshold raises a false alarm in 7 % of unchanged series of
//! 100 normal points, and in half of a year's where there are outliers. A change is to be confirmed by a rerun.

mod detect;
mod energy;
mod segment;
mod segments;

pub use detect::{ChangePoint, ChangePoints, Options, change_points};
pub use segments::{SegmentOptions, fewest_points, level_changes};
