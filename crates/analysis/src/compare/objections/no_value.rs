//! A side has nothing to compare.

use crate::compare::data::unit::UnitKind;
use crate::compare::method::choose::Case;
use crate::compare::objections::objection::{Groups, Objection, ObjectionKind, WithoutValue};

/// Which side it is that has no value. Of pairs, both sides are gone where one is.
pub(crate) fn find(case: &Case) -> Option<Objection> {
    let (control, candidate) = case.sample.sizes();
    if control > 0 && candidate > 0 {
        return None;
    }
    let rows = || case.units.rows.iter();
    let control = rows().any(|row| row.control.has_value());
    let candidate = rows().any(|row| row.candidate.has_value());
    let whose = match (control, candidate) {
        (false, false) => WithoutValue::Both,
        (false, true) => WithoutValue::Control,
        (true, false) => WithoutValue::Candidate,
        (true, true) if case.units.paired => WithoutValue::SharedUnit,
        (true, true) => WithoutValue::SharedTask,
    };
    let groups = match whose {
        WithoutValue::SharedUnit => groups(case),
        _ => Groups::None,
    };
    let kind = ObjectionKind::NoValue { whose, groups };
    Some(Objection::withholds(kind))
}

/// What is left to compare without pairs. Of tasks, that would be other tasks: nothing.
pub(crate) fn groups(case: &Case) -> Groups {
    if case.units.kind == UnitKind::Task {
        Groups::None
    } else if case.units.has_several_tasks() {
        Groups::SeveralTasks
    } else {
        Groups::OneTask
    }
}
