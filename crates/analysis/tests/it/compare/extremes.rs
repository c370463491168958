//! Numbers at the ends of what a number can be: they vary like others, or it is said why nothing is known.

use super::lab::{UP, judged, objects, paired};
use fairtrial_analysis::compare::{ObjectionKind, Word};

#[test]
fn very_large_and_very_small_values_vary_too() {
    for unit in [1e-250, 1e-170, 1.0, 1e160, 1e300] {
        let pairs: Vec<(f64, f64)> = (0..8)
            .map(|i| {
                let noise = f64::from((i * 5) % 7) * 0.1;
                (unit * (1.0 + noise), unit * (2.0 + 1.2 * noise))
            })
            .collect();
        let found = judged(UP, None, &paired(&pairs));
        assert_eq!(
            found.verdict.word,
            Word::Improved,
            "{unit}: {:?}",
            found.verdict
        );
        let effect = found.effect.unwrap();
        let relative = effect.relative.unwrap();
        assert!(
            relative.low > 0.5 && relative.high < 1.2,
            "{unit}: {relative:?}"
        );
        assert!(found.control.unwrap().sd.unwrap() > 0.0);
    }
}

#[test]
fn a_difference_is_in_every_unit_only_where_it_is() {
    // Whole numbers above 2^53 are two apart: what varies is no more than rounding.
    let large = 9_007_199_254_740_992.0;
    let pairs: Vec<(f64, f64)> = (0..8)
        .map(|i| (large, large + 2.0 * f64::from(1 + i % 2)))
        .collect();
    let found = judged(UP, None, &paired(&pairs));
    assert_eq!(found.verdict.word, Word::Identical);
    let flagged = |pairs: &[(f64, f64)]| {
        let found = judged(UP, None, &paired(pairs));
        objects(&found.verdict, &ObjectionKind::RoundedIntegers)
    };
    assert!(flagged(&pairs));
    assert!(flagged(&[(large, large), (large, large)]));
    assert!(!flagged(&[(1e300, 2e300), (3e300, 1e300)]));
    assert!(!flagged(&[(1e15, 2e15), (3e15, 1e15)]));
}
