//! From trials to samples: which trials stand on which side, what one independent unit is, which units are pairs.

pub(crate) mod contrasts;
pub(crate) mod definition;
pub(crate) mod dropped;
pub(crate) mod fill;
pub(crate) mod mismatch;
pub(crate) mod mismatch_find;
pub(crate) mod pairing;
pub(crate) mod reference;
pub(crate) mod rounding;
pub(crate) mod sample;
pub(crate) mod scores;
pub(crate) mod side;
pub(crate) mod tally;
pub(crate) mod trials;
pub(crate) mod unit;
pub(crate) mod unit_shape;
pub(crate) mod units;
