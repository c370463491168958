//! Iterations of one process are not independent: the noise between processes is not in them.

use crate::compare::data::unit::UnitKind;
use crate::compare::method::choose::Case;
use crate::compare::objections::objection::{Objection, ObjectionKind};

/// One process per side.
pub(crate) fn find(case: &Case) -> Option<Objection> {
    let one_process = case.units.kind == UnitKind::Iteration;
    one_process.then(|| Objection::caps(ObjectionKind::OneProcess))
}
