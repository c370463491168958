//! Conditions on an episode's values, made ready for many episodes.

use crate::error::{Checked, EpisodeError};
use crate::read::{Episodes, Source};
use crate::row::number;
use crate::value::Slot;
use fairtrial_model::{Condition, Test};
use std::io::Read;

/// A condition whose name has been found.
pub(crate) struct Ready<'a> {
    source: Source,
    test: &'a Test,
    /// The words of the test with the numbers that they are.
    words: Vec<(&'a [u8], Option<f64>)>,
    /// For a value that is the strongest of a list: the places in the list that pass, as bits. Most shares of an
    /// experiment ask about its verdict, and a bit is quicker than comparing words.
    passing: Option<u64>,
}

/// Finds the names of conditions.
pub(crate) fn ready<'a, R: Read>(
    conditions: &'a [Condition],
    episodes: &mut Episodes<'_, R>,
) -> Result<Vec<Ready<'a>>, EpisodeError> {
    let one = |condition: &'a Condition| {
        let words = match &condition.test {
            Test::OneOf(words) | Test::NoneOf(words) => &words[..],
            _ => &[],
        };
        let source = episodes.ask(&condition.value)?;
        Ok(Ready {
            passing: passing(&condition.test, episodes.order(source)),
            source,
            test: &condition.test,
            words: words
                .iter()
                .map(|word| (word.as_bytes(), number(word.as_bytes())))
                .collect(),
        })
    };
    conditions.iter().map(one).collect()
}

/// The places of an order whose words pass a test for words.
fn passing(test: &Test, order: Option<&[String]>) -> Option<u64> {
    let order = order.filter(|order| order.len() <= 64)?;
    let passes = |word: &String| match test {
        Test::OneOf(words) => Some(words.contains(word)),
        Test::NoneOf(words) => Some(!words.contains(word)),
        _ => None,
    };
    let bit = |(place, word)| Some(u64::from(passes(word)?) << place);
    order
        .iter()
        .enumerate()
        .map(bit)
        .try_fold(0, |bits, bit| Some(bits | bit?))
}

/// The one condition of a list that asks only for the place in an order, so that episodes can be counted by place.
pub(crate) fn only_rank(conditions: &[Ready<'_>]) -> Option<(Source, u64)> {
    match conditions {
        [only] => Some((only.source, only.passing?)),
        _ => None,
    }
}

/// Whether all conditions hold for the current episode.
pub(crate) fn all_hold<R: Read>(
    conditions: &[Ready<'_>],
    episodes: &Episodes<'_, R>,
) -> Checked<bool> {
    for condition in conditions {
        if let Some(passing) = condition.passing {
            let rank = episodes.rank(condition.source)?;
            if rank.is_none_or(|rank| passing >> rank & 1 == 0) {
                return Ok(false);
            }
            continue;
        }
        if !condition.holds(episodes.slot(condition.source)?) {
            return Ok(false);
        }
    }
    Ok(true)
}

impl Ready<'_> {
    fn holds(&self, slot: Slot<'_>) -> bool {
        match self.test {
            Test::OneOf(_) => self.is_among(slot),
            Test::NoneOf(_) => slot != Slot::Empty && !self.is_among(slot),
            Test::Contains(part) => match slot {
                Slot::Word(word) => {
                    let part = part.as_bytes();
                    word.windows(part.len()).any(|window| window == part)
                }
                _ => false,
            },
            Test::Present(wanted) => (slot != Slot::Empty) == *wanted,
            Test::Min(least) => slot.number().is_some_and(|number| number >= least.0),
            Test::Max(most) => slot.number().is_some_and(|number| number <= most.0),
        }
    }

    /// Words are the same by their bytes, numbers by their value.
    fn is_among(&self, slot: Slot<'_>) -> bool {
        self.words.iter().any(|(word, as_number)| match slot {
            Slot::Empty => false,
            Slot::Word(cell) if cell == *word => true,
            slot => as_number.is_some() && slot.number() == *as_number,
        })
    }
}
