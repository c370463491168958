//! Tests that hold for any distribution: the labels are exchanged, nothing is assumed about the shape.
//!
//! All arrangements are counted by meeting in the middle: the sums of each half are listed in order and matched with two
//! pointers. That makes 2^40 sign patterns a matter of milliseconds and keeps the count a whole number.

mod flipped_mean;
mod options;
mod sign_flip;
mod studentised;
mod sums;
mod tally;

pub use flipped_mean::{FlippedMean, flipped_mean, flipped_share, patterns};
pub use options::Options;
pub use sign_flip::{SignFlip, sign_flip, sign_flip_of};
pub use studentised::{Studentised, studentised};
