//! So many pairs have a side missing that what is left may be the easy part.

use crate::compare::method::choose::Case;
use crate::compare::objections::no_value::groups;
use crate::compare::objections::objection::{Objection, ObjectionKind};
use crate::validity::MOST_BROKEN;

/// More broken pairs than a verdict can stand.
pub(crate) fn find(case: &Case) -> Option<Objection> {
    let (broken, of) = (case.units.dropped().len(), case.units.rows.len());
    let too_many = case.units.paired && broken as f64 > MOST_BROKEN * of as f64;
    too_many.then(|| {
        Objection::withholds(ObjectionKind::MissingPairs {
            broken,
            of,
            groups: groups(case),
        })
    })
}
