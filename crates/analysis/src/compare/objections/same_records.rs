//! Records that stand on both sides, because one run took them over from the other: compared with themselves they are
//! always the same.

use crate::compare::data::contrasts::PlannedContrast;
use crate::compare::data::side::ComparedSide;
use crate::compare::objections::objection::{Objection, ObjectionKind};
use std::collections::BTreeSet;

/// How many of the candidate's records are the control's too.
pub(crate) fn find(contrast: &PlannedContrast<'_>) -> Option<Objection> {
    if std::ptr::eq(contrast.control.data, contrast.candidate.data) {
        return None;
    }
    let (control, candidate) = (evidence(&contrast.control), evidence(&contrast.candidate));
    let shared = control.intersection(&candidate).count();
    let of = candidate.len().min(control.len());
    let kind = ObjectionKind::SameRecords { shared, of };
    match shared {
        0 => None,
        all if all == of => Some(Objection::withholds(kind)),
        _ => Some(Objection::caps(kind)),
    }
}

fn evidence(side: &ComparedSide<'_>) -> BTreeSet<u64> {
    let data = side.data;
    let point = side.point.to_string();
    let mine = data.trials.iter().filter(|trial| {
        *data.arms.get(trial.arm) == side.arm && *data.points.get(trial.point) == point
    });
    mine.filter_map(|trial| trial.evidence).collect()
}
