//! So many units have a side missing that what is left may be the easy part: of pairs, or of a side where there are none.

use crate::compare::data::tally::Tally;
use crate::compare::data::unit::UnitRow;
use crate::compare::method::choose::Case;
use crate::compare::objections::no_value::groups;
use crate::compare::objections::objection::{Groups, Objection, ObjectionKind};
use crate::validity::MOST_BROKEN;

/// More units without a value than a verdict can stand. The rule holds in every pairing: what failed is missing either way.
pub(crate) fn find(case: &Case) -> Option<Objection> {
    let of_side = of_a_side(case);
    if !case.units.paired {
        return of_side.map(Objection::withholds);
    }
    let (broken, of) = (case.units.dropped().len(), case.units.rows.len());
    (broken as f64 > MOST_BROKEN * of as f64).then(|| {
        // Where a side itself lacks too many, comparing the groups would end in the same objection.
        let groups = if of_side.is_some() {
            Groups::None
        } else {
            groups(case)
        };
        Objection::withholds(ObjectionKind::MissingPairs { broken, of, groups })
    })
}

/// The side that ran too many units without a value.
fn of_a_side(case: &Case) -> Option<ObjectionKind> {
    let count = |side: fn(&UnitRow) -> &Tally| {
        let ran = case.units.rows.iter().map(side);
        let ran = ran.filter(|tally| **tally != Tally::default());
        ran.fold((0, 0), |(broken, of), tally| {
            (broken + usize::from(!tally.has_value()), of + 1)
        })
    };
    let sides = [
        (false, count(|row| &row.control)),
        (true, count(|row| &row.candidate)),
    ];
    let mut sides = sides.into_iter();
    let (candidate, (broken, of)) =
        sides.find(|(_, (broken, of))| *broken as f64 > MOST_BROKEN * *of as f64)?;
    Some(ObjectionKind::MissingUnits {
        broken,
        of,
        candidate,
    })
}
