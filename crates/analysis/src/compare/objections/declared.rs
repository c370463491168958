//! What the spec leaves unsaid about a metric, and what the sides do not share.

use crate::compare::data::unit::UnitKind;
use crate::compare::method::choose::Case;
use crate::compare::objections::objection::{Objection, ObjectionKind};

/// No direction, no declaration, no shared seeds.
pub(crate) fn find(case: &Case) -> impl Iterator<Item = Objection> {
    let nothing_shared = case.units.nothing_shared
        && !case.units.rows.is_empty()
        && case.units.kind != UnitKind::Iteration;
    let found = [
        (nothing_shared, ObjectionKind::NoSharedUnits),
        (
            case.declaration.direction.is_none(),
            ObjectionKind::NoDirection,
        ),
        (!case.declared, ObjectionKind::Undeclared),
    ];
    let found = found.into_iter().filter(|(is_so, _)| *is_so);
    found.map(|(_, kind)| Objection::noted(kind))
}
