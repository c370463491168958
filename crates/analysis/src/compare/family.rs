//! Several tests at once: the level that each has to hold so that the whole family keeps its error rate (Holm).

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

/// The place of every test, by its p value; a test without one does not count in the family.
///
/// The interval of a test at the level given here leaves zero outside exactly where Holm's procedure rejects, so that
/// word and interval cannot disagree.
pub(crate) fn places(p_values: &[Option<f64>], alpha: f64) -> Vec<FamilyPlace> {
    let numbers: Vec<f64> = p_values.iter().map(|p| p.unwrap_or(f64::NAN)).collect();
    let adjusted = adjust(&numbers, Adjustment::Holm).map(|family| family.adjusted);
    let adjusted = adjusted.unwrap_or_else(|_| vec![None; p_values.len()]);
    let mut order: Vec<usize> = (0..numbers.len())
        .filter(|place| !numbers[*place].is_nan())
        .collect();
    order.sort_by(|a, b| numbers[*a].total_cmp(&numbers[*b]));
    let size = order.len();
    let mut levels = vec![alpha / size.max(1) as f64; numbers.len()];
    let mut stopped_at = None;
    for (rank, place) in order.iter().enumerate() {
        let level = alpha / (size - stopped_at.unwrap_or(rank)) as f64;
        levels[*place] = level;
        if numbers[*place] > level {
            stopped_at = stopped_at.or(Some(rank));
        }
    }
    let method = if size > 1 {
        Adjustment::Holm.name()
    } else {
        "none"
    };
    let place = |(adjusted_p, alpha)| FamilyPlace {
        method,
        size,
        adjusted_p,
        alpha,
    };
    adjusted.into_iter().zip(levels).map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::places;

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
    fn one_test_is_no_family() {
        let found = places(&[Some(0.04)], 0.05);
        assert_eq!(
            (found[0].method, found[0].alpha, found[0].adjusted_p),
            ("none", 0.05, Some(0.04))
        );
    }
}
