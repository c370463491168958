//! A location that single disturbed runs do not move much, and what each value adds to it.

use fairtrial_stats::descriptive::{mad, median};

/// From how many spreads on a value counts no more than one at that distance (Huber 1964: 95 % as good for normal data).
const FAR: f64 = 1.345;
/// Median deviations in a standard deviation of normal data.
const NORMAL: f64 = 1.4826;
/// A step of so small a part of the spread is the last one.
const NEAR: f64 = 1e-4;
/// Steps by which it is found; each is many times nearer.
const STEPS: usize = 30;
/// The least spread: below it are the digits of the numbers themselves.
const LEAST: f64 = 1e-9;

/// A location and the influence of each value on it (they sum to about 0).
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Location {
    pub(super) estimate: f64,
    pub(super) influences: Vec<f64>,
}

impl Location {
    /// Huber's estimate around the median, by the median deviation as the spread.
    pub(super) fn of(values: &[f64]) -> Option<Self> {
        let (middle, spread) = (median(values).ok()?, NORMAL * mad(values).ok()?);
        let spread = if spread > LEAST {
            spread
        } else {
            // Most values are the same one: every value counts in full.
            f64::INFINITY
        };
        let (bound, mut at) = (FAR * spread, middle);
        // The sum of what counts, and how many count in full.
        let pull = |at: f64| {
            let held = values.iter().map(|it| it - at);
            held.fold((0.0, 0), |(sum, inside): (f64, usize), far| {
                let counts = far.abs() <= bound;
                (sum + far.clamp(-bound, bound), inside + usize::from(counts))
            })
        };
        let (mut sum, mut inside) = pull(at);
        for _ in 0..STEPS {
            let step = sum / (inside.max(1) as f64);
            at += step;
            (sum, inside) = pull(at);
            if step.abs() <= NEAR * spread.min(1.0) {
                break;
            }
        }
        let share = inside.max(1) as f64 / values.len() as f64;
        Some(Self {
            estimate: at,
            influences: (values.iter())
                .map(|it| (it - at).clamp(-bound, bound) / share)
                .collect(),
        })
    }
}

/// The standard error of what these influences are those of.
pub(super) fn standard_error(influences: impl Iterator<Item = f64>) -> f64 {
    let (n, squares) = influences.fold((0.0_f64, 0.0_f64), |(n, sum), it| (n + 1.0, sum + it * it));
    (squares / (n * (n - 1.0).max(1.0))).sqrt().max(LEAST)
}

#[cfg(test)]
mod tests {
    use super::{Location, standard_error};

    #[test]
    fn a_disturbed_run_moves_it_little() {
        let mut values: Vec<f64> = (0..20).map(|i| f64::from(i * 7 % 20) / 5.0).collect();
        let before = Location::of(&values).unwrap();
        assert!((before.estimate - 1.9).abs() < 1e-6, "{before:?}");
        let error = standard_error(before.influences.iter().copied());
        assert!((error - 0.26).abs() < 0.1, "{error}");
        values[7] = 1e6;
        let after = Location::of(&values).unwrap();
        assert!((after.estimate - 1.9).abs() < 0.5, "{after:?}");
    }

    #[test]
    fn values_that_are_mostly_the_same_have_a_mean() {
        let found = Location::of(&[1.0, 1.0, 1.0, 1.0, 2.0]).unwrap();
        assert!((found.estimate - 1.2).abs() < 1e-9, "{found:?}");
        let found = Location::of(&[3.0; 4]).unwrap();
        assert!((found.estimate - 3.0).abs() < 1e-12, "{found:?}");
    }
}
