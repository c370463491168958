//! What is missing could have hidden something: the comparison again, with every failure and every absent value counted
//! against the verdict.

use super::case::Case;
use super::dropped::Charged;
use super::fill::{Fill, FillByTask};
use super::verdict::Word;

/// Why the verdict does not stand if what is missing had been as bad for it as values get; absent where it does.
pub(crate) fn worst_case(case: &Case, word: Word, alpha: f64) -> Option<String> {
    let charged = case.units.charged()?;
    // Values that are all the same do not say how bad values get.
    if word == Word::Identical {
        let but = match charged {
            Charged::Failures => "trials failed",
            Charged::Values => "others are missing",
        };
        return Some(format!(
            "the values that are there are the same on both sides, but {but}"
        ));
    }
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
    let becomes = |fill: &FillByTask| {
        let sample = case.units.filled(fill);
        match case.answer(&sample, alpha) {
            Ok(answer) => answer.word(&case.rule()),
            Err(_) => Word::Insufficient,
        }
    };
    let changed = scenarios
        .iter()
        .map(becomes)
        .find(|changed| *changed != word)?;
    let what = match charged {
        Charged::Failures => "failures",
        Charged::Values => "missing values",
    };
    Some(format!(
        "with {what} counted against it, {word} would become {changed}"
    ))
}
