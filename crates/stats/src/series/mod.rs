//! Series: a learning curve or any metric over steps, reduced to one number per run before anything is compared.
//!
//! [`Curve`] holds the rules for untidy data; [`original`] the rules of the system that Fairtrial's first users come
//! from, which does not clean its curves.

mod curve;
mod grid;
pub mod original;
mod summary;
mod thin;
mod window;

pub use curve::Curve;
pub use grid::{Band, BandPoint, CommonGrid, SharedSteps};
pub use summary::{
    Crossing, CurveSummary, Direction, Scale, Threshold, auc, last_n, max, mean, slope,
    time_to_threshold, value_at,
};
pub use thin::{thin, thin_stretches};
pub use window::Window;
