//! What stands beside a verdict: other methods' opinions, standardised effects, what could have been seen, and whether
//! one unit carries it all. None of it decides; what it makes doubtful is an objection.

pub(crate) mod equivalence;
pub(crate) mod gather;
pub(crate) mod leave_one_out;
pub(crate) mod opinion;
pub(crate) mod suite;
