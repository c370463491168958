//! The estimate and the verdict with each unit left out in turn: whether one unit carries it all.

use crate::compare::data::sample::Stratum;
use crate::compare::method::choose::Case;
use crate::compare::verdict::unopposed;
use crate::compare::word::Word;
use fairtrial_model::Method;
use serde::Serialize;
use std::collections::BTreeSet;

/// Units up to which every one is left out in turn; beyond, the extremes are.
const LEAVE_OUT_ALL: usize = 200;
/// How much hangs on one unit.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LeaveOneOut {
    /// Lowest estimate, on the scale of the verdict (logarithm of the ratio on the ratio scale).
    pub low: f64,
    /// Highest.
    pub high: f64,
    /// Units that were left out in turn; of pass/fail units, one of each kind.
    pub checked: usize,
    /// A unit without which the verdict is another.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flips: Option<Flip>,
}

/// A unit that carries a verdict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Flip {
    /// Which.
    pub unit: String,
    /// What the verdict is without it.
    pub becomes: Word,
}

/// The estimate and the verdict without each unit; nothing where there is no verdict that one of them could carry.
///
/// Which unit's removal would decide an open question is nobody's business: whoever knows it may remove it.
pub(crate) fn leave_one_out(case: &Case, word: Word, alpha: f64) -> Option<LeaveOneOut> {
    if matches!(word, Word::Identical | Word::Insufficient) {
        return None;
    }
    let decided = word != Word::Inconclusive;
    let places = case.sample.places();
    let names = case.units.place_names();
    let chosen: Vec<usize> = if case.method == Method::Proportion {
        one_of_each(case, &places)
    } else if places.len() <= LEAVE_OUT_ALL {
        (0..places.len()).collect()
    } else {
        extremes(case, places.len())
    };
    let mut found = LeaveOneOut {
        low: f64::INFINITY,
        high: f64::NEG_INFINITY,
        checked: 0,
        flips: None,
    };
    for number in chosen {
        let (stratum, place) = *places.get(number)?;
        let without = case.sample.without(stratum, place);
        let answer = if decided {
            case.answer(&without, alpha)
        } else {
            case.estimated(&without, alpha)
        };
        let Ok(answer) = answer else {
            continue;
        };
        found.checked += 1;
        found.low = found.low.min(answer.value);
        found.high = found.high.max(answer.value);
        let becomes = unopposed(&answer.evidence(), &case.rule());
        if decided && becomes != word && found.flips.is_none() {
            found.flips = Some(Flip {
                unit: names.get(number).cloned().unwrap_or_default(),
                becomes,
            });
        }
    }
    (found.checked > 0).then_some(found)
}

/// One unit of each kind, where units that passed alike are worth the same: leaving out another says nothing new.
fn one_of_each(case: &Case, places: &[(usize, usize)]) -> Vec<usize> {
    let mut seen = BTreeSet::new();
    let is_new = |number: &usize| {
        let (stratum, place) = places[*number];
        seen.insert((stratum, case.sample.outcome(stratum, place)))
    };
    (0..places.len()).filter(is_new).collect()
}

/// The units that move the estimate most: those with the least and the largest difference (value, without pairs).
fn extremes(case: &Case, units: usize) -> Vec<usize> {
    let values: Vec<f64> = if case.units.paired {
        case.sample.differences().concat()
    } else {
        let both =
            |stratum: &Stratum| [stratum.control.clone(), stratum.candidate.clone()].concat();
        case.sample.strata.iter().flat_map(both).collect()
    };
    debug_assert_eq!(values.len(), units, "one value per place");
    let by_value = |a: &usize, b: &usize| values[*a].total_cmp(&values[*b]);
    let least = (0..values.len()).min_by(by_value);
    let most = (0..values.len()).max_by(by_value);
    least.into_iter().chain(most).collect()
}
