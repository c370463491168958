//! Which commit changed a metric: what to measure next, and the answer, as a pure function of what was measured.
//!
//! Each block has one value of every commit that takes part in it, measured in turns, so that only differences within a
//! block count. A candidate between two ends that differ is on the side that it is nearer to; the odds of the two sides
//! (Wald's sequential test with an unknown spread) make a posterior over the commits, and the next candidate is the one
//! that halves it.

mod difference;
mod evidence;
mod finding;
mod location;
mod posterior;
mod rules;
mod search;
#[cfg(test)]
mod simulated;

pub use difference::{Apart, Difference};
pub use evidence::{BisectBlock, Evidence};
pub use finding::{Change, Finding, Next};
pub use rules::BisectRules;
pub use search::{is_look, next};
