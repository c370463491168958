//! What stands beside a verdict: other methods' opinions, standardised effects, what could have been seen, and whether
//! one unit carries it all.

use super::Flag;
use super::case::{Case, DataKind, Scale};
use super::method::Method;
use super::plan_more::detectable;
use super::suite::SuiteBeside;
use super::verdict::Word;
use fairtrial_stats::permutation::{self, sign_flip_of};
use fairtrial_stats::rank::{RankMethod, mann_whitney, paired_location, unpaired_location};
use fairtrial_stats::two_arm::{paired_effect, unpaired_effect};
use fairtrial_stats::{Level, Side, descriptive};
use serde::Serialize;
use std::collections::BTreeSet;

/// Units up to which every one is left out in turn; beyond, the extremes are.
const LEAVE_OUT_ALL: usize = 200;
/// Pairs up to which sign patterns and pairwise averages are looked at.
const MOST_PAIRS: usize = 2_000;
/// Random sign patterns where there are too many to count.
const SIGN_DRAWS: u32 = 20_000;
/// Skewness from which on a log scale is proposed.
const SKEWED: f64 = 1.0;

/// What stands beside a verdict. What does not fit the data is absent.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Beside {
    /// Standardised effects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub standardised: Option<Standardised>,
    /// Correlation of the sides over the pairs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub correlation: Option<f64>,
    /// Variance of the difference over what unpaired runs would have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variance_ratio: Option<f64>,
    /// The distribution-free test of the pairs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sign_flip: Option<SignFlipBeside>,
    /// The Hodges-Lehmann shift, on the scale of the verdict (a ratio on the ratio scale).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hodges_lehmann: Option<f64>,
    /// Chance that a run of the candidate is larger than one of the control (unpaired).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub superiority: Option<f64>,
    /// The Mann-Whitney p value (unpaired).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mann_whitney_p: Option<f64>,
    /// The smallest true change that this many units would find.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detectable: Option<Detectable>,
    /// The estimate with each unit left out in turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub leave_one_out: Option<LeaveOneOut>,
    /// The tasks in a few numbers, where there are several that are averaged (primary metric only).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suite: Option<SuiteBeside>,
    /// Skewness of the differences (paired), or the larger one of the sides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skewness: Option<f64>,
    /// Whether every value is above zero.
    #[serde(skip)]
    positive: bool,
}

/// Standardised effects with Hedges' correction.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Standardised {
    /// In standard deviations of the differences (paired).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub g_z: Option<f64>,
    /// In average standard deviations of the sides (paired), or pooled ones (unpaired).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub g: Option<f64>,
}

/// The sign-flip test.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SignFlipBeside {
    /// Its p value.
    pub p: f64,
    /// Whether all patterns were counted.
    pub exact: bool,
    /// The smallest p that this many pairs can give.
    pub smallest_p: f64,
}

/// What could have been seen.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Detectable {
    /// The change in the metric's unit.
    pub absolute: f64,
    /// The same as a share of the control.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relative: Option<f64>,
    /// How often it would be found.
    pub power: f64,
}

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

/// Everything that fits the case.
pub(crate) fn beside(
    case: &Case,
    alpha: f64,
    power: f64,
    leave_one_out: Option<LeaveOneOut>,
) -> Beside {
    let mut beside = Beside {
        leave_one_out,
        detectable: detectable(case, alpha, power)
            .and_then(|size| own_detectable(case, size, power)),
        positive: case.is_positive(),
        ..Beside::default()
    };
    if case.units.paired {
        of_pairs(&mut beside, case, alpha);
    } else {
        of_groups(&mut beside, case, alpha);
    }
    beside
}

fn own_detectable(case: &Case, size: f64, power: f64) -> Option<Detectable> {
    let control = case.control_mean()?;
    let (absolute, relative) = match case.scale {
        Scale::Difference => (size, (control != 0.0).then(|| size / control.abs())),
        Scale::Ratio => (size.exp_m1() * control, Some(size.exp_m1())),
    };
    Some(Detectable {
        absolute,
        relative,
        power,
    })
}

fn own_shift(case: &Case, shift: f64) -> f64 {
    if case.scale == Scale::Ratio {
        shift.exp()
    } else {
        shift
    }
}

fn of_pairs(beside: &mut Beside, case: &Case, alpha: f64) {
    if let Some(flat) = case.sample.flat()
        && let Ok(effect) = paired_effect(&flat.control, &flat.candidate)
    {
        beside.standardised = Some(Standardised {
            g_z: effect.g_z,
            g: effect.g_av,
        });
        // Two pairs lie on a line, whatever they are.
        if flat.control.len() > 2 {
            beside.correlation = effect.correlation;
            beside.variance_ratio = effect.variance_ratio;
        }
    }
    let differences = case.sample.differences().concat();
    beside.skewness = descriptive::skewness(&differences).ok();
    // Averages over tasks are not exchangeable between tasks: the pooled pairs say nothing about them.
    if differences.len() > MOST_PAIRS || case.units.by_task {
        return;
    }
    let options = permutation::Options {
        draws: SIGN_DRAWS,
        ..permutation::Options::default()
    };
    beside.sign_flip = sign_flip_of(&differences, options)
        .ok()
        .map(|test| SignFlipBeside {
            p: test.p,
            exact: test.exact,
            smallest_p: test.smallest_p,
        });
    let shift = paired_location(&differences, Level::two_sided(alpha)).ok();
    beside.hodges_lehmann = shift.map(|shift| own_shift(case, shift.estimate));
}

fn of_groups(beside: &mut Beside, case: &Case, alpha: f64) {
    let Some(flat) = case.sample.flat() else {
        return;
    };
    let (control, candidate) = (&flat.control, &flat.candidate);
    beside.standardised = unpaired_effect(control, candidate)
        .ok()
        .map(|effect| Standardised {
            g_z: None,
            g: Some(effect.g),
        });
    let skewness = [control, candidate]
        .into_iter()
        .filter_map(|side| descriptive::skewness(side).ok());
    beside.skewness = skewness.reduce(f64::max);
    if let Ok(test) = mann_whitney(control, candidate, RankMethod::Auto, Side::TwoSided) {
        beside.superiority = Some(test.superiority);
        beside.mann_whitney_p = Some(test.p);
    }
    if control.len().saturating_mul(candidate.len()) <= MOST_PAIRS * MOST_PAIRS / 4 {
        let shift = unpaired_location(control, candidate, Level::two_sided(alpha)).ok();
        beside.hodges_lehmann = shift.map(|shift| own_shift(case, shift.estimate));
    }
}

/// The estimate and the verdict without each unit.
pub(crate) fn leave_one_out(case: &Case, word: Word, alpha: f64) -> Option<LeaveOneOut> {
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
        let Ok(answer) = case.answer(&case.sample.without(stratum, place), alpha) else {
            continue;
        };
        found.checked += 1;
        found.low = found.low.min(answer.value);
        found.high = found.high.max(answer.value);
        let becomes = answer.word(&case.rule());
        if becomes != word && found.flips.is_none() {
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
        let both = |stratum: &super::sample::Stratum| {
            [stratum.control.clone(), stratum.candidate.clone()].concat()
        };
        case.sample.strata.iter().flat_map(both).collect()
    };
    debug_assert_eq!(values.len(), units, "one value per place");
    let by_value = |a: &usize, b: &usize| values[*a].total_cmp(&values[*b]);
    let least = (0..values.len()).min_by(by_value);
    let most = (0..values.len()).max_by(by_value);
    least.into_iter().chain(most).collect()
}

impl Beside {
    /// What these opinions make doubtful; `p` is that of the verdict's method.
    pub(crate) fn flags(&self, case: &Case, p: Option<f64>, alpha: f64) -> Vec<Flag> {
        let mut flags = Vec::new();
        if let Some(flip) = self
            .leave_one_out
            .as_ref()
            .and_then(|left_out| left_out.flips.clone())
        {
            flags.push(Flag::Fragile { flip });
        }
        // The tests of pass/fail assume no shape either.
        if let (Some(test), Some(p)) = (self.sign_flip, p)
            && case.method != Method::Proportion
            && test.smallest_p <= alpha
            && (test.p <= alpha) != (p <= alpha)
        {
            flags.push(Flag::ShapeSensitive {
                sign_flip_p: test.p,
            });
        }
        let skewed = self.skewness.is_some_and(|skewness| skewness > SKEWED);
        if skewed && self.positive && self.superiority.is_some() && case.kind == DataKind::Scalar {
            flags.push(Flag::Skewed);
        }
        flags
    }
}
