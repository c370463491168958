//! Two programs that have an experiment of the same name are not two versions of one.

use crate::compare::data::mismatch::Mismatch;
use crate::compare::objections::objection::{Objection, ObjectionKind};
use crate::dataset::FactKind;

/// Whose programs the sides are, where they are not the same.
pub(crate) fn find(mismatches: &[Mismatch]) -> Option<Objection> {
    let differ = |mismatch: &&Mismatch| mismatch.kind == FactKind::Implementation;
    let mismatch = mismatches.iter().find(differ)?;
    Some(Objection::caps(ObjectionKind::OtherImplementation {
        control: mismatch.control.clone()?,
        candidate: mismatch.candidate.clone()?,
    }))
}
