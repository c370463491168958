//! What failures could have hidden: the comparison again, with every failure counted against the verdict.

use super::case::Case;
use super::fill::{Fill, FillByTask};
use super::verdict::Word;

/// Why the verdict does not stand if failures had been as bad for it as values get; absent where it does.
pub(crate) fn worst_case(case: &Case, word: Word, alpha: f64) -> Option<String> {
    if !case.units.has_charged() {
        return None;
    }
    // Values that are all the same do not say how bad values get.
    if word == Word::Identical {
        return Some(
            "the values that are there are the same on both sides, but trials failed".to_owned(),
        );
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
    Some(format!(
        "with failures counted against it, {word} would become {changed}"
    ))
}
