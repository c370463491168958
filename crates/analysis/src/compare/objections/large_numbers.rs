//! Whole numbers (a count, an id, nanoseconds) that are too large to keep all their digits.

use crate::compare::method::choose::Case;
use crate::compare::objections::objection::{Objection, ObjectionKind};

/// From 2^53 on not every whole number can be kept; beyond 2^64 numbers are hardly meant to be whole.
const INEXACT: std::ops::Range<f64> = 9_007_199_254_740_992.0..1.844_674_407_370_955_2e19;

/// Values whose last digits are lost.
pub(crate) fn find(case: &Case) -> Option<Objection> {
    let mut values = case.trials.finite();
    let rounded = values.any(|value| INEXACT.contains(&value.abs()));
    rounded.then(|| Objection::noted(ObjectionKind::RoundedIntegers))
}
