//! The trials of one side as units, and the units of both sides put together by their keys.

use crate::compare::data::tally::Tally;
use crate::compare::data::trials::TrialOfSide;
use crate::compare::data::unit::{UnitKey, UnitKind, UnitRow};

pub(crate) fn tallies(
    rows: &[TrialOfSide],
    tasks: &[bool],
    kind: UnitKind,
    scale: impl Fn(f64) -> f64,
) -> Vec<(UnitKey, Tally)> {
    let key = |row: &TrialOfSide| match kind {
        UnitKind::Task => (row.task, 0, 0),
        UnitKind::Seed => (row.task, row.seed, 0),
        UnitKind::Rollout | UnitKind::Iteration => (row.task, row.seed, row.rollout),
    };
    let mut keyed: Vec<(UnitKey, &TrialOfSide)> = rows
        .iter()
        .filter(|row| tasks[row.task as usize])
        .map(|row| (key(row), row))
        .collect();
    keyed.sort_by_key(|(key, row)| (*key, row.rollout, row.index));
    let mut found: Vec<(UnitKey, Tally)> = Vec::new();
    for (key, row) in keyed {
        if found.last().is_none_or(|(last, _)| *last != key) {
            found.push((key, Tally::default()));
        }
        if let Some((_, tally)) = found.last_mut() {
            tally.add(row, &scale);
        }
    }
    found
}

/// Puts the two sides' units together by their keys.
pub(crate) fn join(
    control: Vec<(UnitKey, Tally)>,
    candidate: Vec<(UnitKey, Tally)>,
) -> Vec<UnitRow> {
    let mut rows = Vec::with_capacity(control.len().max(candidate.len()));
    let (mut left, mut right) = (
        control.into_iter().peekable(),
        candidate.into_iter().peekable(),
    );
    loop {
        let key = match (left.peek(), right.peek()) {
            (Some((a, _)), Some((b, _))) => *a.min(b),
            (Some((key, _)), None) | (None, Some((key, _))) => *key,
            (None, None) => return rows,
        };
        let of_left = left.next_if(|(other, _)| *other == key);
        let of_right = right.next_if(|(other, _)| *other == key);
        let tally =
            |side: Option<(UnitKey, Tally)>| side.map(|(_, tally)| tally).unwrap_or_default();
        rows.push(UnitRow {
            task: key.0,
            seed: key.1,
            rollout: key.2,
            control: tally(of_left),
            candidate: tally(of_right),
        });
    }
}
