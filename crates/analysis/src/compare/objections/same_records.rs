//! Records that stand on both sides, because one run took them over from the other: compared with themselves they are
//! always the same.

use crate::compare::data::contrasts::PlannedContrast;
use crate::compare::data::side::ComparedSide;
use crate::compare::objections::objection::{Objection, ObjectionKind};
use std::collections::BTreeMap;

/// How many of the candidate's records are the control's too.
pub(crate) fn find(contrast: &PlannedContrast<'_>) -> Option<Objection> {
    if std::ptr::eq(contrast.control.data, contrast.candidate.data) {
        return None;
    }
    let (control, candidate) = (evidence(&contrast.control), evidence(&contrast.candidate));
    // Folders of two machines may have one name: only what says that it was taken over was.
    let is_shared = |(hash, reused): &(&u64, &bool)| {
        let same = control.get(*hash);
        same.is_some_and(|also| **reused || *also)
    };
    let shared = candidate.iter().filter(is_shared).count();
    let of = candidate.len().min(control.len());
    let kind = ObjectionKind::SameRecords { shared, of };
    match shared {
        0 => None,
        all if all == of => Some(Objection::withholds(kind)),
        _ => Some(Objection::caps(kind)),
    }
}

/// The hashes of a side's records, and whether each was taken over.
fn evidence(side: &ComparedSide<'_>) -> BTreeMap<u64, bool> {
    let data = side.data;
    let point = side.point.to_string();
    let mine = data.trials.iter().filter(|trial| {
        *data.arms.get(trial.arm) == side.arm && *data.points.get(trial.point) == point
    });
    mine.filter_map(|trial| Some((trial.evidence?, trial.reused)))
        .collect()
}
