//! One number per curve: area, last values, slope, maximum, value at a step, and steps to a threshold.

use serde::Serialize;

use super::curve::Curve;
use super::window::{Cut, Window};
use crate::bootstrap::plain_mean;
use crate::sample::representable;
use crate::{Dropped, Explain, Outcome, Undefined};
use fairtrial_text::significant::short;

/// A curve reduced to one number.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CurveSummary {
    /// What the number is.
    pub what: String,
    /// The number.
    pub value: f64,
    /// How many points it rests on.
    pub n: usize,
    /// The first and the last step it looks at.
    pub steps: [f64; 2],
    /// What was left out of the curve.
    pub dropped: Vec<Dropped>,
}

impl Explain for CurveSummary {
    fn reading(&self) -> String {
        format!(
            "The {} from step {} to {} is {} ({} points).",
            self.what,
            short(self.steps[0]),
            short(self.steps[1]),
            short(self.value),
            self.n
        )
    }
}

fn summary(curve: &Curve, what: &str, cut: &Cut, value: f64) -> Outcome<CurveSummary> {
    Ok(CurveSummary {
        what: what.into(),
        value: representable(what, value)?,
        n: cut.steps.len(),
        steps: [cut.steps[0], cut.steps[cut.steps.len() - 1]],
        dropped: curve.dropped().to_vec(),
    })
}

/// Whether an area is divided by its width.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Scale {
    /// Divided by the width in steps: the average of the metric over the window.
    Normalised,
    /// The plain area.
    Raw,
}

/// The area under the curve by the trapezoid rule on the real steps.
pub fn auc(curve: &Curve, window: Window, scale: Scale) -> Outcome<CurveSummary> {
    let cut = window.cut(curve)?;
    let width = cut.steps[cut.steps.len() - 1] - cut.steps[0];
    if cut.steps.len() < 2 || width <= 0.0 {
        return Err(Undefined::TooFew {
            method: "the area under a curve".into(),
            have: cut.steps.len(),
            need: 2,
        });
    }
    let area = trapezoid(&cut.steps, &cut.values);
    match scale {
        Scale::Raw => summary(curve, "area under the curve", &cut, area),
        Scale::Normalised => summary(curve, "average over the steps", &cut, area / width),
    }
}

pub(super) fn trapezoid(steps: &[f64], values: &[f64]) -> f64 {
    let panels = steps.windows(2).zip(values.windows(2));
    panels
        .map(|(s, v)| (s[1] - s[0]) * (v[0] + v[1]) / 2.0)
        .sum()
}

/// The mean of the last `n` values, or of all if there are fewer.
pub fn last_n(curve: &Curve, n: usize) -> Outcome<CurveSummary> {
    if n == 0 {
        return Err(Undefined::BadArgument {
            name: "n".into(),
            value: 0.0,
            expected: "at least 1".into(),
        });
    }
    let start = curve.steps().len().saturating_sub(n);
    let cut = Cut {
        steps: curve.steps()[start..].to_vec(),
        values: curve.values()[start..].to_vec(),
    };
    let value = plain_mean(&cut.values);
    summary(curve, "mean of the last values", &cut, value)
}

/// The plain mean of the values that are logged in the window, each point with the same weight.
pub fn mean(curve: &Curve, window: Window) -> Outcome<CurveSummary> {
    let cut = window.logged(curve)?;
    let value = plain_mean(&cut.values);
    summary(curve, "mean of the values", &cut, value)
}

/// The largest value that is logged in the window.
pub fn max(curve: &Curve, window: Window) -> Outcome<CurveSummary> {
    let cut = window.logged(curve)?;
    let value = cut.values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    summary(curve, "largest value", &cut, value)
}

/// The least-squares slope of value on step over the points that are logged in the window.
pub fn slope(curve: &Curve, window: Window) -> Outcome<CurveSummary> {
    let cut = window.logged(curve)?;
    let value = least_squares_slope(&cut.steps, &cut.values)?;
    summary(curve, "slope", &cut, value)
}

pub(super) fn least_squares_slope(steps: &[f64], values: &[f64]) -> Outcome<f64> {
    let (step_mean, value_mean) = (plain_mean(steps), plain_mean(values));
    let squares: f64 = steps.iter().map(|s| (s - step_mean).powi(2)).sum();
    if steps.len() < 2 || squares == 0.0 {
        return Err(Undefined::TooFew {
            method: "a slope".into(),
            have: steps.len().min(1),
            need: 2,
        });
    }
    let products = steps
        .iter()
        .zip(values)
        .map(|(s, v)| (s - step_mean) * (v - value_mean));
    Ok(products.sum::<f64>() / squares)
}

/// The value at a step, on the straight line between its neighbours.
pub fn value_at(curve: &Curve, step: f64) -> Outcome<CurveSummary> {
    let cut = Window::Steps {
        from: step,
        to: step,
    }
    .cut(curve)?;
    let value = cut.values[0];
    summary(curve, "value", &cut, value)
}

/// On which side of the threshold a curve has arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// At or above it.
    AtLeast,
    /// At or below it.
    AtMost,
}

/// A value to reach, and from which side.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Threshold {
    /// The value.
    pub value: f64,
    /// The side.
    pub direction: Direction,
}

/// When a curve first reached a threshold.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Crossing {
    /// At this logged step.
    Reached {
        /// The step.
        step: f64,
    },
    /// Not by the last logged step: the time is censored there.
    NotReached {
        /// The last step.
        by: f64,
    },
}

impl Explain for Crossing {
    fn reading(&self) -> String {
        match self {
            Self::Reached { step } => {
                format!("The threshold was first reached at step {}.", short(*step))
            }
            Self::NotReached { by } => {
                format!(
                    "The threshold was not reached by step {}; how much longer it takes is not known.",
                    short(*by)
                )
            }
        }
    }
}

/// The first logged step at which the curve is on the wanted side of the threshold.
pub fn time_to_threshold(curve: &Curve, threshold: Threshold) -> Outcome<Crossing> {
    if !threshold.value.is_finite() {
        return Err(Undefined::BadArgument {
            name: "threshold".into(),
            value: threshold.value,
            expected: "a finite number".into(),
        });
    }
    let reached = |v: &f64| match threshold.direction {
        Direction::AtLeast => *v >= threshold.value,
        Direction::AtMost => *v <= threshold.value,
    };
    Ok(match curve.values().iter().position(reached) {
        Some(index) => Crossing::Reached {
            step: curve.steps()[index],
        },
        None => Crossing::NotReached {
            by: curve.range()[1],
        },
    })
}
