//! One unit carries the verdict.

use crate::compare::objections::objection::{Objection, ObjectionKind};
use crate::compare::second_opinions::leave_one_out::LeaveOneOut;

/// The unit without which the verdict is another.
pub(crate) fn find(left_out: Option<&LeaveOneOut>) -> Option<Objection> {
    let flip = left_out?.flips.as_ref()?;
    Some(Objection::noted(ObjectionKind::Fragile {
        unit: flip.unit.clone(),
        becomes: flip.becomes,
    }))
}
