//! What failures could have hidden: the comparison again, with every failure counted against the verdict.

use super::case::Case;
use super::units::Fill;
use super::verdict::Word;
use fairtrial_model::Direction;

/// The word that the verdict would become if failures had been as bad for it as values get; absent where it stands.
pub(crate) fn worst_case(case: &Case, word: Word, alpha: f64) -> Option<Word> {
    if !case.units.has_charged() {
        return None;
    }
    let (least, most) = case.extremes()?;
    let (worst, best) = match case.declaration.direction {
        Some(Direction::Down) => (most, least),
        _ => (least, most),
    };
    let against_candidate = Fill {
        control: best,
        candidate: worst,
    };
    let for_candidate = Fill {
        control: worst,
        candidate: best,
    };
    let scenarios: &[Fill] = match word {
        Word::Improved | Word::NotWorse => &[against_candidate],
        Word::Regressed => &[for_candidate],
        Word::Equivalent => &[against_candidate, for_candidate],
        Word::Inconclusive | Word::Identical | Word::Insufficient => &[],
    };
    let becomes = |fill: &Fill| {
        let sample = case.units.filled(*fill);
        match case.answer(&sample, alpha) {
            Ok(answer) => answer.word(&case.rule()),
            Err(_) => Word::Insufficient,
        }
    };
    scenarios
        .iter()
        .map(becomes)
        .find(|changed| *changed != word)
}
