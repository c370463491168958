//! History: where a metric over commits changed its level.
//!
//! Divisive search by energy distance (Matteson and James 2014) with t tests and merging, as in Hunter and Otava
//! (Fleming et al. 2023). Their usual threshold raises a false alarm in 7 % of unchanged series of 100 points, so that
//! here the threshold is set by simulation ([`calibrated_threshold`]), and a change is to be confirmed by a rerun.

mod calibration;
mod detect;
mod energy;
mod segment;

pub use calibration::{Calibration, calibrated_threshold};
pub use detect::{ChangePoint, ChangePoints, Options, change_points};
