//! The part of a curve that a summary looks at.

use serde::Serialize;

use super::curve::Curve;
use crate::{Outcome, Undefined};

/// A part of a curve.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Window {
    /// All of it.
    All,
    /// The last share of the logged points, rounded up.
    LastPoints(f64),
    /// The first share of the logged points, rounded up.
    FirstPoints(f64),
    /// The last share of the step range, interpolated at its start.
    LastSteps(f64),
    /// The first share of the step range, interpolated at its end.
    FirstSteps(f64),
    /// From one step to another, interpolated at both.
    Steps {
        /// The first step.
        from: f64,
        /// The last step.
        to: f64,
    },
}

/// The points of a window.
pub(super) struct Cut {
    pub(super) steps: Vec<f64>,
    pub(super) values: Vec<f64>,
}

impl Window {
    /// The points inside; step windows get a point at each end by interpolation.
    pub(super) fn cut(self, curve: &Curve) -> Outcome<Cut> {
        let [first, last] = curve.range();
        match self {
            Self::All => Ok(points(curve, 0, curve.steps().len())),
            Self::LastPoints(share) => {
                let kept = count(share, curve.steps().len())?;
                Ok(points(
                    curve,
                    curve.steps().len() - kept,
                    curve.steps().len(),
                ))
            }
            Self::FirstPoints(share) => Ok(points(curve, 0, count(share, curve.steps().len())?)),
            Self::LastSteps(share) => between(curve, last - checked(share)? * (last - first), last),
            Self::FirstSteps(share) => {
                between(curve, first, first + checked(share)? * (last - first))
            }
            Self::Steps { from, to } => between(curve, from, to),
        }
    }
}

impl Window {
    /// The logged points inside alone: a mean of values gives each of them the same weight, and the largest of them is one.
    pub(super) fn logged(self, curve: &Curve) -> Outcome<Cut> {
        let cut = self.cut(curve)?;
        let (from, to) = (cut.steps[0], cut.steps[cut.steps.len() - 1]);
        let start = curve.steps().partition_point(|&step| step < from);
        let end = curve.steps().partition_point(|&step| step <= to);
        if start == end {
            return Err(Undefined::NoSolution(format!(
                "no point is logged in the window from step {from} to {to}"
            )));
        }
        Ok(points(curve, start, end))
    }
}

fn points(curve: &Curve, start: usize, end: usize) -> Cut {
    Cut {
        steps: curve.steps()[start..end].to_vec(),
        values: curve.values()[start..end].to_vec(),
    }
}

fn checked(share: f64) -> Outcome<f64> {
    if share > 0.0 && share <= 1.0 {
        return Ok(share);
    }
    Err(Undefined::BadArgument {
        name: "window".into(),
        value: share,
        expected: "a share above 0 and at most 1".into(),
    })
}

/// How many points a share of them is: at least one.
pub(super) fn count(share: f64, points: usize) -> Outcome<usize> {
    Ok(((checked(share)? * points as f64).ceil() as usize).clamp(1, points.max(1)))
}

fn between(curve: &Curve, from: f64, to: f64) -> Outcome<Cut> {
    let [first, last] = curve.range();
    let (Some(start), Some(end)) = (curve.interpolated(from), curve.interpolated(to)) else {
        return Err(Undefined::NoSolution(format!(
            "the window from step {from} to {to} is not inside the curve's steps {first} to {last}"
        )));
    };
    if from > to {
        return Err(Undefined::BadArgument {
            name: "window".into(),
            value: to,
            expected: format!("not before {from}"),
        });
    }
    let (mut steps, mut values) = (vec![from], vec![start]);
    for (&step, &value) in curve.steps().iter().zip(curve.values()) {
        if step > from && step < to {
            steps.push(step);
            values.push(value);
        }
    }
    if to > from {
        steps.push(to);
        values.push(end);
    }
    Ok(Cut { steps, values })
}
