//! Commands timed against each other: the numbers of each, and what a reader should know about them.

mod answer;
mod noticed;
mod precision;
mod timing;

pub use answer::{BenchEnd, CommandAnswer, Finding};
pub use noticed::{Noticed, NoticedIn, noticed};
pub use precision::Precision;
pub use timing::{Timing, timings};
