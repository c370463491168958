//! So few trials of a side count that what is left may be the easy part.

use crate::compare::data::contrasts::PlannedContrast;
use crate::compare::data::side::ComparedSide;
use crate::compare::data::trials::reported;
use crate::compare::objections::objection::{Objection, ObjectionKind};
use crate::compare::options::CompareOptions;
use crate::validity::{Floor, SCORE, Validity};
use std::borrow::Cow;

/// The first side of which too few trials count.
pub(crate) fn find(contrast: &PlannedContrast<'_>, options: &CompareOptions) -> Option<Objection> {
    let mut sides = [&contrast.control, &contrast.candidate].into_iter();
    sides.find_map(|side| of_side(side, options))
}

fn of_side(side: &ComparedSide<'_>, options: &CompareOptions) -> Option<Objection> {
    let validity = broken(side, options)?;
    Some(Objection::caps(ObjectionKind::TooFewCount {
        side: side.name().short().to_owned(),
        counted: validity.counted,
        trials: validity.trials,
        share: validity.share,
        can_resume: validity.can_resume,
    }))
}

/// How many trials of a side count, where that is too few.
pub(crate) fn broken(side: &ComparedSide<'_>, options: &CompareOptions) -> Option<Validity> {
    let own = side.data.floor.as_ref();
    let floor = match options.valid {
        Some(share) => Cow::Owned(Floor::with(own, share)),
        None => Cow::Borrowed(own?),
    };
    let (trials, tasks) = reported(side, SCORE);
    let counted = trials.iter().map(|trial| {
        let task = tasks[trial.task as usize].as_str();
        (task, trial.outcome, trial.value)
    });
    let validity = floor.count(counted);
    Some(validity).filter(|validity| !validity.is_enough())
}
