//! Fixed tasks of which one has a single value on a side: each task is one observation instead.

use crate::compare::method::choose::Case;
use crate::compare::objections::objection::{Objection, ObjectionKind};

/// The tasks that have no spread.
pub(crate) fn find(case: &Case) -> Option<Objection> {
    let tasks = case.units.without_spread.clone();
    (!tasks.is_empty()).then(|| Objection::noted(ObjectionKind::TasksAsUnits { tasks }))
}
