//! Steps to a threshold that some trials did not reach.

use crate::compare::method::choose::Case;
use crate::compare::objections::objection::{Objection, ObjectionKind};
use crate::compare::word::Word;

/// How many trials did not get there; where the rest is identical, nothing is left to see.
pub(crate) fn find(case: &Case, word: Word) -> impl Iterator<Item = Objection> {
    let [control, candidate] = case.trials.not_reached();
    let some = control + candidate > 0;
    let noted = Objection::noted(ObjectionKind::NotReached { control, candidate });
    let nothing = Objection::withholds(ObjectionKind::NothingReached);
    let nothing = (some && word == Word::Identical).then_some(nothing);
    some.then_some(noted).into_iter().chain(nothing)
}
