//! Numbers of one name that the two sides make differently are two metrics.

use crate::compare::data::definition::changes_of;
use crate::compare::data::mismatch::Mismatch;
use crate::compare::objections::objection::{Objection, ObjectionKind};
use crate::dataset::FactKind;

/// In what the numbers of a metric are made differently, unless that was accepted.
pub(crate) fn find(
    metric: &str,
    mismatches: &[Mismatch],
    accept: &[FactKind],
) -> Option<Objection> {
    let changes = changes_of(metric, mismatches);
    let objects = !changes.is_empty() && !accept.contains(&FactKind::Definition);
    objects.then(|| Objection::withholds(ObjectionKind::OtherDefinition { changes }))
}
