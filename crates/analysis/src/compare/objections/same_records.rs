//! Records that stand on both sides, because one run took them over from the other: compared with themselves they are
//! always the same.

use crate::compare::data::contrasts::PlannedContrast;
use crate::compare::data::side::ComparedSide;
use crate::compare::objections::objection::{Objection, ObjectionKind};
use std::collections::BTreeMap;

/// How many of the candidate's records are the control's too.
pub(crate) fn find(contrast: &PlannedContrast<'_>) -> Option<Objection> {
    let (control, candidate) = (&contrast.control, &contrast.candidate);
    let mut both = control.trials().chain(candidate.trials());
    if std::ptr::eq(control.data, candidate.data) || !both.any(|trial| trial.reused) {
        return None;
    }
    let (control, candidate) = (evidence(control), evidence(candidate));
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
    let hashes = side.trials();
    hashes
        .filter_map(|trial| Some((trial.evidence?, trial.reused)))
        .collect()
}
