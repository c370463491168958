//! Equality with the rounding of arithmetic in mind: 0.1 + 0.2 is 0.3.

/// Steps between neighbouring numbers within which two values are the same. A value is seldom more than a few additions
/// away from what was measured.
const STEPS: f64 = 4.0;

/// Up to which whole numbers are kept exactly.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Whether two values differ by nothing but rounding. Whole numbers are counts, which are kept exactly up to 2^53.
pub(crate) fn alike(a: f64, b: f64) -> bool {
    if a == b {
        return true;
    }
    let is_count = |x: f64| x.fract() == 0.0 && x.abs() <= EXACT;
    let whole = is_count(a) && is_count(b);
    !whole && (a - b).abs() <= STEPS * f64::EPSILON * a.abs().max(b.abs())
}

/// Whether the differences of these pairs (control, candidate) are one and the same but for rounding. The rounding of a
/// difference is that of the values it was made of.
pub(crate) fn one_difference(pairs: &[(f64, f64)]) -> bool {
    let Some((first, rest)) = pairs.split_first() else {
        return true;
    };
    let expected = first.1 - first.0;
    rest.iter().all(|(control, candidate)| {
        let found = candidate - control;
        let size = [first.0, first.1, *control, *candidate];
        let size = size.into_iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        found == expected || (found - expected).abs() <= STEPS * f64::EPSILON * size
    })
}

#[cfg(test)]
mod tests {
    use super::{alike, one_difference};

    #[test]
    fn rounding_is_no_difference_and_a_count_is() {
        assert!(alike(0.3, 0.1 + 0.2));
        assert!(alike(1e15 + 0.125, 1e15 + 0.25));
        assert!(!alike(1e15, 1e15 + 1.0));
        assert!(alike(1e16, 1e16 + 4.0));
        assert!(!alike(0.3, 0.300_000_001));
        assert!(!alike(0.0, 1e-300));
        assert!(!alike(f64::NAN, f64::NAN));
    }

    #[test]
    fn one_difference_may_be_rounded() {
        assert!(one_difference(&[(0.1, 0.3), (0.2, 0.4), (0.7, 0.9)]));
        assert!(!one_difference(&[(0.1, 0.3), (0.2, 0.400_001)]));
        assert!(one_difference(&[(1e15, 1e15 + 3.0), (2e15, 2e15 + 3.0)]));
        assert!(!one_difference(&[(1e15, 1e15 + 3.0), (1e15, 1e15 + 5.0)]));
    }
}
