//! Too few units to say anything, or so few that what they say is shaky.

use crate::compare::method::choose::Case;
use crate::compare::objections::objection::{Objection, ObjectionKind};
use fairtrial_stats::Undefined;

/// Fewer units than this cannot reach the usual level by the sign-flip test, and their mean often has the wrong sign.
const FEW_UNITS: usize = 6;

/// Why there is no interval, where the units are too few or the method has no answer.
pub(crate) fn no_interval(case: &Case, why: &Undefined) -> Objection {
    let (control, candidate) = case.sample.sizes();
    Objection::withholds(if control.min(candidate) == 1 {
        ObjectionKind::OneValue
    } else {
        ObjectionKind::NoInterval { why: why.clone() }
    })
}

/// Two units on a side, or three to five.
pub(crate) fn shaky(case: &Case) -> Option<Objection> {
    let (control, candidate) = case.sample.sizes();
    // Of values that are all the same, no sign can be wrong.
    if case.sample.is_constant() || case.is_exact() {
        return None;
    }
    let kind = match control.min(candidate) {
        0 | 1 => return None,
        2 => ObjectionKind::TwoUnits,
        few if few < FEW_UNITS => ObjectionKind::FewUnits,
        _ => return None,
    };
    Some(Objection::noted(kind))
}
