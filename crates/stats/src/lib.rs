#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod agreement;
pub mod assumptions;
pub mod binary;
pub mod bootstrap;
pub mod descriptive;
pub mod dist;
pub mod history;
mod interval;
mod level;
pub mod multiplicity;
pub mod one_arm;
pub mod passk;
pub mod permutation;
pub mod planning;
pub mod rank;
pub mod rng;
pub mod sample;
pub mod sequential;
pub mod series;
pub mod suite;
pub mod timing;
pub mod two_arm;
mod undefined;
pub mod variance_components;
mod words;

pub use interval::Interval;
pub use level::{Level, Side};
pub use undefined::{Dropped, Explain, Outcome, Undefined};
