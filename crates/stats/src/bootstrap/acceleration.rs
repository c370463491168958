//! The jackknife: leave-one-out values, their standard error, and the acceleration that BCa takes from them.

use super::statistic::{Contrast, Statistic, mean};

/// The values of a statistic with each observation left out in turn; for means without any loop inside the loop.
pub(super) fn leave_one_out(sample: &[f64], statistic: &Statistic<'_>) -> Vec<f64> {
    if matches!(statistic, Statistic::Mean) {
        return leave_one_out_means(sample);
    }
    let mut scratch = Vec::with_capacity(sample.len());
    (0..sample.len())
        .map(|left_out| {
            refill_without(&mut scratch, sample, left_out);
            statistic.evaluate(&mut scratch)
        })
        .collect()
}

pub(super) fn leave_one_out_means(sample: &[f64]) -> Vec<f64> {
    let total: f64 = sample.iter().sum();
    let rest = sample.len() as f64 - 1.0;
    sample.iter().map(|x| (total - x) / rest).collect()
}

/// Leave-one-out values of a contrast of independent samples: first those of the control, then of the candidate.
pub(super) fn leave_one_out_contrast(
    control: &[f64],
    candidate: &[f64],
    contrast: &Contrast<'_>,
) -> [Vec<f64>; 2] {
    let (mut left, mut right) = (Vec::new(), Vec::new());
    let without_control = (0..control.len()).map(|i| {
        refill_without(&mut left, control, i);
        contrast.evaluate(&mut left, &mut candidate.to_vec())
    });
    let from_control = without_control.collect();
    let without_candidate = (0..candidate.len()).map(|i| {
        refill_without(&mut right, candidate, i);
        contrast.evaluate(&mut control.to_vec(), &mut right)
    });
    [from_control, without_candidate.collect()]
}

/// Leave-one-pair-out values of a contrast of paired samples.
pub(super) fn leave_one_pair_out(
    control: &[f64],
    candidate: &[f64],
    contrast: &Contrast<'_>,
) -> Vec<f64> {
    let (mut left, mut right) = (Vec::new(), Vec::new());
    (0..control.len())
        .map(|i| {
            refill_without(&mut left, control, i);
            refill_without(&mut right, candidate, i);
            contrast.evaluate(&mut left, &mut right)
        })
        .collect()
}

fn refill_without(scratch: &mut Vec<f64>, sample: &[f64], left_out: usize) {
    scratch.clear();
    scratch.extend_from_slice(&sample[..left_out]);
    scratch.extend_from_slice(&sample[left_out + 1..]);
}

/// The textbook acceleration from the leave-one-out values of each independent sample (one for a paired design).
/// None where nothing changes, or where a value is undefined.
pub(super) fn textbook(samples: &[Vec<f64>]) -> Option<f64> {
    let (mut cubes, mut squares) = (0.0, 0.0);
    for values in samples {
        let n = values.len() as f64;
        let center = mean(values);
        let weight = (n - 1.0) / n;
        cubes += values
            .iter()
            .map(|v| (weight * (center - v)).powi(3))
            .sum::<f64>();
        squares += values
            .iter()
            .map(|v| (weight * (center - v)).powi(2))
            .sum::<f64>();
    }
    finite(cubes / (6.0 * squares.powf(1.5)))
}

/// The original system's acceleration: all leave-one-out values in one list, and a guard added to the divisor.
pub(super) fn metta(samples: &[Vec<f64>]) -> Option<f64> {
    let values: Vec<f64> = samples.iter().flatten().copied().collect();
    let center = mean(&values);
    let cubes: f64 = values.iter().map(|v| (center - v).powi(3)).sum();
    let squares: f64 = values.iter().map(|v| (center - v).powi(2)).sum();
    finite(cubes / (6.0 * squares.powf(1.5) + 1e-12))
}

fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}
