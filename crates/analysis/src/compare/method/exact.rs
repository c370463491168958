//! Differences that never vary: exact where the metric is declared deterministic, else judged by an exact test.
//!
//! A t test has no measure of chance for them. "Each difference could as well have the other sign" (of groups: "the labels
//! mean nothing") still has a known chance, and six pairs suffice at 5 %.

use crate::compare::data::rounding::{alike, one_difference};
use crate::compare::data::sample::{Sample, Stratum};
use crate::compare::method::answer::Answer;
use fairtrial_stats::dist::ln_binomial;
use fairtrial_stats::permutation::{self, sign_flip_of};
use fairtrial_stats::{Interval, Level};

/// The difference of each task, where it is the same in every unit.
pub(crate) fn constant_by_task(sample: &Sample) -> Option<Vec<f64>> {
    sample.has_both().then_some(())?;
    let of = |stratum: &Stratum| {
        let (control, candidate) = (*stratum.control.first()?, *stratum.candidate.first()?);
        let constant = if sample.paired {
            let pairs = stratum.control.iter().zip(&stratum.candidate);
            let pairs: Vec<(f64, f64)> = pairs.map(|(a, b)| (*a, *b)).collect();
            one_difference(&pairs)
        } else {
            let same = |values: &[f64]| values.iter().all(|value| alike(*value, values[0]));
            same(&stratum.control) && same(&stratum.candidate)
        };
        let difference = if alike(control, candidate) {
            0.0
        } else {
            candidate - control
        };
        constant.then_some(difference)
    };
    sample.strata.iter().map(of).collect()
}

/// The difference of a deterministic metric: nothing is left to chance.
pub(crate) fn of_deterministic(sample: &Sample, level: Level) -> Option<Answer> {
    let by_task = constant_by_task(sample)?;
    Some(point(&by_task, None, "exact difference".to_owned(), level))
}

/// A constant difference by the exact test, where that reaches the level.
pub(crate) fn of_constant(sample: &Sample, level: Level) -> Option<Answer> {
    let by_task = constant_by_task(sample)?;
    let (p, test) = if sample.paired {
        let tasks = sample.strata.iter().zip(&by_task);
        let weighted: Vec<f64> = tasks
            .flat_map(|(stratum, difference)| {
                let units = stratum.control.len();
                vec![difference / units as f64; units]
            })
            .collect();
        (of_signs(&weighted)?, "sign-flip test")
    } else {
        (of_labels(sample, &by_task)?, "permutation test")
    };
    let method = format!("constant difference, {test}");
    (p <= level.alpha * (1.0 + 1e-12)).then(|| point(&by_task, Some(p), method, level))
}

/// Signs that are drawn at most, over all patterns.
const SIGNS: usize = 1 << 30;
/// Patterns that are drawn at least.
const LEAST_PATTERNS: usize = 20_000;

/// The chance that a random pattern of signs gives a sum as large as theirs.
fn of_signs(differences: &[f64]) -> Option<f64> {
    let different = || differences.iter().copied().filter(|d| *d != 0.0);
    let one_way = different().all(|d| d > 0.0) || different().all(|d| d < 0.0);
    let count = different().count();
    if one_way && count > 0 {
        // Only the signs as they are, and all of them the other way round, give one so large.
        return Some((1.0 - count as f64).exp2().max(f64::MIN_POSITIVE));
    }
    let usual = permutation::Options::default();
    let most = (SIGNS / differences.len().max(1)).max(LEAST_PATTERNS);
    let options = permutation::Options {
        draws: usual.draws.min(most as u32),
        ..usual
    };
    Some(sign_flip_of(differences, options).ok()?.p)
}

/// The chance that labels drawn within each task separate the values as they are; none where tasks point both ways.
fn of_labels(sample: &Sample, by_task: &[f64]) -> Option<f64> {
    let one_way = by_task.iter().all(|d| *d > 0.0) || by_task.iter().all(|d| *d < 0.0);
    one_way.then_some(())?;
    let sizes = || {
        sample
            .strata
            .iter()
            .map(|of| (of.control.len(), of.candidate.len()))
    };
    let ln_arrangements: f64 = sizes()
        .map(|(a, b)| ln_binomial((a + b) as f64, a as f64))
        .sum();
    // With groups of one size, the labels the other way round are as extreme.
    let ways = if sizes().all(|(a, b)| a == b) {
        2.0
    } else {
        1.0
    };
    Some((ways * (-ln_arrangements).exp()).min(1.0))
}

fn point(by_task: &[f64], p: Option<f64>, method: String, level: Level) -> Answer {
    let value = by_task.iter().sum::<f64>() / by_task.len() as f64;
    Answer {
        value,
        interval: Interval {
            low: value,
            high: value,
            level,
        },
        p,
        df: None,
        method,
    }
}

#[cfg(test)]
mod tests {
    use super::of_signs;
    use fairtrial_stats::permutation::{Options, sign_flip_of};

    #[test]
    fn signs_that_agree_are_counted_without_drawing() {
        for differences in [vec![0.5; 6], vec![-2.0; 11], vec![0.5, 0.0, 0.25, 1.0]] {
            let counted = sign_flip_of(&differences, Options::default()).unwrap();
            assert!(counted.exact);
            assert_eq!(of_signs(&differences), Some(counted.p), "{differences:?}");
        }
        let both_ways = [1.0, 1.0, 1.0, -0.5, -0.5];
        let counted = sign_flip_of(&both_ways, Options::default()).unwrap();
        assert_eq!(of_signs(&both_ways), Some(counted.p));
        assert_eq!(of_signs(&[0.0; 3]), None);
        // Many of them take no time, and their chance is never nothing.
        let many = of_signs(&vec![1.0; 1_000_000]).unwrap();
        assert!(many > 0.0 && many < 1e-300);
    }
}
