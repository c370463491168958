//! What a sample leaves out: units by name, with the reason, and whether an arm is charged with it.

use crate::compare::data::tally::Tally;
use crate::compare::data::unit::UnitRow;
use crate::compare::data::units::Units;
use serde::Serialize;

/// A unit that could not be used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DroppedUnit {
    /// Which (`train · seed 1072`).
    pub unit: String,
    /// Why, by side.
    pub why: String,
}

/// What is missing of the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MissingKind {
    /// Trials that failed.
    Failures,
    /// Values that are absent, NaN or infinite, of trials that ended well.
    Values,
}

impl Units {
    /// The units that the sample leaves out, by name; without pairs, those of each side.
    pub(crate) fn dropped(&self) -> Vec<DroppedUnit> {
        if !self.paired {
            return self.dropped_by_side();
        }
        let name = |row: &UnitRow| DroppedUnit {
            unit: self.name(row),
            why: match (row.control.has_value(), row.candidate.has_value()) {
                (true, _) => format!("candidate: {}", row.candidate.why_missing()),
                (false, true) => format!("control: {}", row.control.why_missing()),
                (false, false) => {
                    format!(
                        "control: {}, candidate: {}",
                        row.control.why_missing(),
                        row.candidate.why_missing()
                    )
                }
            },
        };
        let left_out = self.used().filter(|(_, used)| !used);
        left_out.map(|(row, _)| name(row)).collect()
    }

    /// Of two groups, a unit is left out that ran and has no value, and one of a task that the other side does not have.
    fn dropped_by_side(&self) -> Vec<DroppedUnit> {
        let of = |(row, used): (&UnitRow, bool)| {
            let sides = [("control", row.control), ("candidate", row.candidate)];
            let left_out = sides.into_iter().filter_map(move |(side, tally)| {
                let why = match tally.has_value() {
                    _ if tally == Tally::default() => return None,
                    false => tally.why_missing(),
                    true if !used => "the other side has no value in this task".to_owned(),
                    true => return None,
                };
                Some(DroppedUnit {
                    unit: format!("{side} {}", self.name(row)),
                    why,
                })
            });
            left_out.collect::<Vec<_>>()
        };
        self.used().flat_map(of).collect()
    }

    /// What is missing and charged to an arm: trials that failed, or none but values that are absent or not finite.
    pub(crate) fn charged(&self) -> Option<MissingKind> {
        let tallies = || {
            let rows = self.rows.iter();
            rows.flat_map(|row| [&row.control, &row.candidate])
        };
        if tallies().any(Tally::has_failed) {
            Some(MissingKind::Failures)
        } else {
            let missing = tallies().any(|tally| tally.charged > 0);
            missing.then_some(MissingKind::Values)
        }
    }
}
