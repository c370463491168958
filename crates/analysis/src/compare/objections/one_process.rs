//! Iterations of one process are not independent: the noise between processes is not in them.

use crate::compare::data::unit::UnitKind;
use crate::compare::method::choose::Case;
use crate::compare::method::kind::DataKind;
use crate::compare::objections::objection::{Objection, ObjectionKind};

/// One process per side.
pub(crate) fn find(case: &Case) -> Option<Objection> {
    let (control, candidate) = case.sample.sizes();
    // A trial is a process: one value of a timing is the mean of one.
    let one_trial = case.kind == DataKind::Timing && control.min(candidate) == 1;
    let one_process = case.units.kind == UnitKind::Iteration || one_trial;
    one_process.then(|| Objection::caps(ObjectionKind::OneProcess))
}
