//! Several tests at once: the level that each has to hold so that the whole family keeps its error rate (Holm;
//! Bonferroni where there is a margin or no p value).

use fairtrial_stats::multiplicity::{Adjustment, adjust};
use serde::Serialize;

/// A test's place in its family.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct FamilyPlace {
    /// How the family is kept at its error rate.
    pub method: &'static str,
    /// Tests in the family.
    pub size: usize,
    /// The p value, adjusted for the family.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub adjusted_p: Option<f64>,
    /// One minus the confidence that this test's interval has for the family to hold.
    pub alpha: f64,
}

/// What a family knows about one of its tests.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Test {
    /// Its p value.
    P(f64),
    /// An interval that is not held against 0 alone, with its p value where it has one. Holm's order is that of the
    /// differences from 0: the loosest level would go to an arm that looks most alike, and a margin it only just misses
    /// would be kept too often. A bootstrap's interval has no place in that order either.
    Interval(Option<f64>),
    /// Nothing was tested.
    None,
}

impl From<Option<f64>> for Test {
    fn from(p: Option<f64>) -> Self {
        p.map_or(Self::None, Self::P)
    }
}

/// The place of every test; where nothing was tested, nothing counts in the family.
///
/// The interval of a test at the level given here leaves zero outside exactly where Holm's procedure rejects, so that
/// word and interval cannot disagree. An interval with a margin or without a p value stands at its equal share
/// (Bonferroni) and is never counted as rejected for the others: the chance of any false word stays below alpha.
pub(crate) fn places<T: Into<Test> + Copy>(tests: &[T], alpha: f64) -> Vec<FamilyPlace> {
    let tests: Vec<Test> = tests.iter().map(|test| (*test).into()).collect();
    let number = |test: &Test| match test {
        Test::P(p) => *p,
        // Last in the order, and rejected by nothing.
        Test::Interval(_) => 1.0,
        Test::None => f64::NAN,
    };
    let numbers: Vec<f64> = tests.iter().map(number).collect();
    let adjusted = adjust(&numbers, Adjustment::Holm).map(|family| family.adjusted);
    let adjusted = adjusted.unwrap_or_else(|_| vec![None; numbers.len()]);
    let mut order: Vec<usize> = (0..numbers.len())
        .filter(|place| !numbers[*place].is_nan())
        .collect();
    order.sort_by(|a, b| numbers[*a].total_cmp(&numbers[*b]));
    let size = order.len();
    let share = alpha / size.max(1) as f64;
    let mut levels = vec![share; numbers.len()];
    let mut stopped_at = None;
    for (rank, place) in order.iter().enumerate() {
        let level = alpha / (size - stopped_at.unwrap_or(rank)) as f64;
        levels[*place] = level;
        if numbers[*place] > level {
            stopped_at = stopped_at.or(Some(rank));
        }
    }
    let place = |(test, (adjusted_p, level)): (Test, (Option<f64>, f64))| {
        let method = match test {
            _ if size < 2 => "none",
            Test::Interval(_) => Adjustment::Bonferroni.name(),
            Test::P(_) | Test::None => Adjustment::Holm.name(),
        };
        let (adjusted_p, alpha) = match test {
            Test::Interval(p) => (p.map(|p| (p * size as f64).min(1.0)), share),
            Test::P(_) | Test::None => (adjusted_p, level),
        };
        FamilyPlace {
            method,
            size,
            adjusted_p,
            alpha,
        }
    };
    let found = adjusted.into_iter().zip(levels);
    tests.into_iter().zip(found).map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::{Test, places};

    #[test]
    fn levels_reject_exactly_what_holm_rejects() {
        let p = [Some(0.04), Some(0.001), None, Some(0.02), Some(0.03)];
        let found = places(&p, 0.05);
        assert_eq!(found[0].size, 4);
        for (place, p) in found.iter().zip(p) {
            let Some(p) = p else {
                assert_eq!(place.adjusted_p, None);
                continue;
            };
            assert_eq!(
                p <= place.alpha,
                place.adjusted_p.unwrap() <= 0.05,
                "{place:?}"
            );
        }
        // 0.001 holds 0.05/4; 0.02 fails 0.05/3, and so all after it are at 0.05/3.
        assert!((found[1].alpha - 0.0125).abs() < 1e-15);
        assert!((found[0].alpha - 0.05 / 3.0).abs() < 1e-15);
    }

    #[test]
    fn an_interval_with_a_margin_or_without_a_p_value_holds_its_equal_share() {
        let tests = [
            Test::Interval(None),
            Test::P(0.01),
            Test::None,
            Test::P(0.02),
        ];
        let found = places(&tests, 0.06);
        let near = |a: f64, b: f64| (a - b).abs() < 1e-15;
        assert!(found.iter().all(|place| place.size == 3));
        assert_eq!((found[0].method, found[0].adjusted_p), ("Bonferroni", None));
        assert!(near(found[0].alpha, 0.02));
        // 0.01 holds 0.06 / 3, and then 0.02 has to hold 0.06 / 2: the interval is never out of the way.
        assert!(near(found[1].alpha, 0.02) && near(found[3].alpha, 0.03));
        assert!(near(found[3].adjusted_p.unwrap(), 0.04));
        let alone = places(&[Test::Interval(None)], 0.05);
        assert_eq!((alone[0].method, alone[0].alpha), ("none", 0.05));
        // However small their p values are, nobody's level is looser than an equal share.
        let margins = places(&[1e-9, 1e-6, 0.03].map(|p| Test::Interval(Some(p))), 0.06);
        assert!(margins.iter().all(|place| near(place.alpha, 0.02)));
        assert!(near(margins[2].adjusted_p.unwrap(), 0.09));
    }

    #[test]
    fn one_test_is_no_family() {
        let found = places(&[Some(0.04)], 0.05);
        assert_eq!(
            (found[0].method, found[0].alpha, found[0].adjusted_p),
            ("none", 0.05, Some(0.04))
        );
    }
}
