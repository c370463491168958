//! A curve with its points in order: what is done with repeated steps, points out of order, and gaps.

use crate::{Dropped, Outcome, Undefined};

/// The share of points without a value that a curve may have before the run counts as failed.
const BRIDGED: f64 = 0.01;

/// A metric over steps that increase strictly.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    steps: Vec<f64>,
    values: Vec<f64>,
    dropped: Vec<Dropped>,
}

impl Curve {
    /// Orders the points by step, keeps the last value of a repeated step, bridges rare gaps; all of it is reported.
    pub fn new(steps: &[f64], values: &[f64]) -> Outcome<Self> {
        if steps.len() != values.len() {
            return Err(Undefined::UnequalLengths {
                left: steps.len(),
                right: values.len(),
            });
        }
        if let Some(curve) = Self::as_given(steps, values) {
            return Ok(curve);
        }
        crate::sample::finite("the curve's steps", steps)?;
        let mut points: Vec<(f64, f64)> = steps
            .iter()
            .copied()
            .zip(values.iter().copied())
            .filter(|(_, v)| !v.is_nan())
            .collect();
        if let Some(index) = values.iter().position(|v| v.is_infinite()) {
            return Err(Undefined::NotFinite {
                what: "the curve's values".into(),
                index,
                value: values[index].to_string(),
            });
        }
        let gaps = values.len() - points.len();
        if points.is_empty() || gaps as f64 >= BRIDGED * values.len() as f64 && gaps > 0 {
            return Err(Undefined::NoSolution(format!(
                "{gaps} of {} points of the curve have no value; only gaps of less than 1 % are bridged",
                values.len()
            )));
        }
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        let before = points.len();
        let points = keep_last(points);
        let dropped = [
            crate::sample::dropped(gaps, "points without a value, bridged"),
            crate::sample::dropped(before - points.len(), "earlier values of a repeated step"),
        ];
        let (steps, values) = points.into_iter().unzip();
        Ok(Self {
            steps,
            values,
            dropped: dropped.into_iter().flatten().collect(),
        })
    }

    /// Points of which none is missing, repeated or out of order, as those of most curves: there may be millions.
    fn as_given(steps: &[f64], values: &[f64]) -> Option<Self> {
        let is_finite = |numbers: &[f64]| numbers.iter().all(|number| number.is_finite());
        let is_ordered = steps.windows(2).all(|pair| pair[0] < pair[1]);
        let is_whole = !steps.is_empty() && is_ordered && is_finite(steps) && is_finite(values);
        is_whole.then(|| Self {
            steps: steps.to_vec(),
            values: values.to_vec(),
            dropped: Vec::new(),
        })
    }

    /// The steps.
    pub fn steps(&self) -> &[f64] {
        &self.steps
    }

    /// The values.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// What was left out on the way.
    pub fn dropped(&self) -> &[Dropped] {
        &self.dropped
    }

    /// The first and the last step.
    pub fn range(&self) -> [f64; 2] {
        [self.steps[0], self.steps[self.steps.len() - 1]]
    }

    /// The values at those of these steps that are inside the range, each on the straight line between its neighbours.
    pub fn at(&self, steps: &[f64]) -> Vec<f64> {
        let inside = steps.iter().filter_map(|step| self.interpolated(*step));
        inside.collect()
    }

    /// The value at a step inside the range, on the straight line between its neighbours.
    pub(super) fn interpolated(&self, step: f64) -> Option<f64> {
        let [first, last] = self.range();
        if !(first..=last).contains(&step) {
            return None;
        }
        let after = self.steps.partition_point(|&s| s < step);
        if self.steps[after] == step {
            return Some(self.values[after]);
        }
        let (s0, s1) = (self.steps[after - 1], self.steps[after]);
        let (v0, v1) = (self.values[after - 1], self.values[after]);
        let share = (step - s0) / (s1 - s0);
        Some(v0 * (1.0 - share) + v1 * share)
    }
}

/// The last of the points with the same step; the order within a step is that of arrival.
pub(super) fn keep_last(points: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    let mut kept: Vec<(f64, f64)> = Vec::with_capacity(points.len());
    for point in points {
        match kept.last_mut() {
            Some(last) if last.0 == point.0 => *last = point,
            _ => kept.push(point),
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::Curve;

    #[test]
    fn points_in_order_are_the_curve_of_the_same_points_in_disorder() {
        let steps: Vec<f64> = (0..50).map(|step| f64::from(step) * 1.5 - 3.0).collect();
        let values: Vec<f64> = steps.iter().map(|step| step.sin()).collect();
        let ordered = Curve::new(&steps, &values).unwrap();
        let backwards = |numbers: &[f64]| numbers.iter().rev().copied().collect::<Vec<_>>();
        let other = Curve::new(&backwards(&steps), &backwards(&values)).unwrap();
        assert_eq!(ordered, other);
        assert!(ordered.dropped().is_empty() && ordered.steps() == steps);
        assert!(Curve::new(&[], &[]).is_err());
        let repeated = Curve::new(&[0.0, 0.0, 1.0], &[1.0, 2.0, 3.0]).unwrap();
        assert_eq!(repeated.values(), [2.0, 3.0]);
        assert_eq!(repeated.dropped().len(), 1);
    }
}
