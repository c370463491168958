//! The statistics of Fairtrial: pure functions from numbers to explained results.
//!
//! No file, clock, thread-local state or printing: what comes out depends on the arguments alone, and randomness only
//! enters through an explicit seed. What cannot be computed is an [`Undefined`] with its reason, never a NaN.
#![forbid(unsafe_code)]

pub mod descriptive;
pub mod dist;
mod interval;
mod level;
pub mod rng;
pub mod sample;
mod undefined;
mod words;

pub use interval::Interval;
pub use level::{Level, Side};
pub use undefined::{Dropped, Explain, Outcome, Undefined};
