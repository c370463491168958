//! What is missing could have hidden something: the comparison again, with every failure and every absent value counted
//! against the verdict.

use crate::compare::data::fill::{Fill, FillByTask};
use crate::compare::method::choose::Case;
use crate::compare::objections::objection::{Objection, ObjectionKind, Turned};
use crate::compare::verdict::unopposed;
use crate::compare::word::Word;

/// Whether the verdict would be another if what is missing had been as bad for it as values get.
pub(crate) fn find(case: &Case, word: Word, alpha: f64) -> Option<Objection> {
    let missing = case.units.charged()?;
    let turned = match word {
        // Values that are all the same do not say how bad values get.
        Word::Identical => None,
        word => Some(Turned {
            from: word,
            becomes: worst_case(case, word, alpha)?,
        }),
    };
    Some(Objection::caps(ObjectionKind::MissingData {
        missing,
        turned,
    }))
}

/// What the verdict would become; absent where it stands.
fn worst_case(case: &Case, word: Word, alpha: f64) -> Option<Word> {
    let by_task = case.extremes();
    let scenario = |pick: fn((Fill, Fill)) -> Fill| -> FillByTask {
        let of_task = |seen: &(f64, f64)| pick(Fill::extremes(case.declaration.direction, *seen));
        by_task
            .iter()
            .map(|seen| seen.as_ref().map(of_task))
            .collect()
    };
    let against_candidate = || scenario(|(against, _)| against);
    let for_candidate = || scenario(|(_, with)| with);
    let scenarios = match word {
        Word::Improved | Word::NotWorse => vec![against_candidate()],
        Word::Regressed => vec![for_candidate()],
        Word::Equivalent => vec![against_candidate(), for_candidate()],
        Word::Inconclusive | Word::Identical | Word::Insufficient => Vec::new(),
    };
    let becomes = |fill: &FillByTask| match case.answer(&case.units.filled(fill), alpha) {
        Ok(answer) => unopposed(&answer.evidence(), &case.rule()),
        Err(_) => Word::Insufficient,
    };
    let mut words = scenarios.iter().map(becomes);
    words.find(|becomes| *becomes != word)
}
