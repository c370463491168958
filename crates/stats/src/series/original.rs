//! The summaries of the system that Fairtrial's first users come from, by its own rules: windows by share of points,
//! no interpolation, and an area only from 15 points on. Where steps came out of order or twice (a run that was
//! resumed), its sums mean nothing; there the points are put in order and the last value of a step counts, as elsewhere.

use serde::Serialize;

use super::curve::keep_last;
use super::summary::{Scale, least_squares_slope, trapezoid};
use super::window::count;
use crate::bootstrap::plain_mean;
use crate::sample::representable;
use crate::{Outcome, Undefined};

/// Fewer points than this in the window are an error there.
pub const FEWEST_POINTS: usize = 15;

/// Which part of the logged points an area is taken over.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum OriginalWindow {
    /// The last share of the points, the default with 0.25.
    Last(f64),
    /// The first share of the points.
    First(f64),
    /// All points with a step from `min` to `max`, both included; no interpolation.
    Steps {
        /// The smallest step.
        min: f64,
        /// The largest step.
        max: f64,
    },
    /// The whole series.
    All,
}

/// Points as they were logged, in the order of their steps.
#[derive(Debug, Clone, PartialEq)]
pub struct Logged {
    steps: Vec<f64>,
    values: Vec<f64>,
}

impl Logged {
    /// Two lists of one length, all finite; of a step that stands there twice, the last value counts.
    pub fn new(steps: &[f64], values: &[f64]) -> Outcome<Self> {
        if steps.len() != values.len() {
            return Err(Undefined::UnequalLengths {
                left: steps.len(),
                right: values.len(),
            });
        }
        crate::sample::finite("the logged steps", steps)?;
        crate::sample::finite("the logged values", values)?;
        let mut points: Vec<(f64, f64)> =
            steps.iter().copied().zip(values.iter().copied()).collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (steps, values) = keep_last(points).into_iter().unzip();
        Ok(Self { steps, values })
    }

    /// The first and the last step of a window; nothing where it holds no point.
    pub fn range(&self, window: OriginalWindow) -> Outcome<Option<[f64; 2]>> {
        let (steps, _) = self.window(window)?;
        Ok(steps
            .first()
            .copied()
            .zip(steps.last().copied())
            .map(Into::into))
    }

    /// The first and the last step that [`Self::eval_last_n`] looks at.
    pub fn last_range(&self, n: usize) -> Option<[f64; 2]> {
        let start = self.steps.len().saturating_sub(n.max(1));
        Some([*self.steps.get(start)?, *self.steps.last()?])
    }

    fn window(&self, window: OriginalWindow) -> Outcome<(Vec<f64>, Vec<f64>)> {
        let len = self.steps.len();
        let keep: Box<dyn Fn(usize) -> bool> = match window {
            OriginalWindow::All => Box::new(|_| true),
            OriginalWindow::Last(share) => {
                let kept = count(share, len)?;
                Box::new(move |i| i >= len - kept)
            }
            OriginalWindow::First(share) => {
                let kept = count(share, len)?;
                Box::new(move |i| i < kept)
            }
            OriginalWindow::Steps { min, max } => {
                Box::new(move |i| (min..=max).contains(&self.steps[i]))
            }
        };
        Ok((0..len)
            .filter(|&i| keep(i))
            .map(|i| (self.steps[i], self.values[i]))
            .unzip())
    }

    /// The original's area under the curve, divided by the width where it normalises (its default).
    pub fn auc(&self, window: OriginalWindow, scale: Scale) -> Outcome<f64> {
        let (steps, values) = self.window(window)?;
        if steps.len() < FEWEST_POINTS {
            return Err(Undefined::TooFew {
                method: "the original's area under the curve".into(),
                have: steps.len(),
                need: FEWEST_POINTS,
            });
        }
        let area = trapezoid(&steps, &values);
        let width = steps[steps.len() - 1] - steps[0];
        match scale {
            Scale::Raw => representable("the area", area),
            Scale::Normalised if width > 0.0 => representable("the area", area / width),
            Scale::Normalised => Err(Undefined::BadArgument {
                name: "window width in steps".into(),
                value: width,
                expected: "above 0".into(),
            }),
        }
    }

    /// The mean of the last max(1, n) values.
    pub fn eval_last_n(&self, n: usize) -> Outcome<f64> {
        let last = &self.values[self.values.len().saturating_sub(n.max(1))..];
        representable("the mean of the last values", plain_mean(last))
    }

    /// The least-squares slope over all points, whatever the window.
    pub fn derivative(&self) -> Outcome<f64> {
        representable("the slope", least_squares_slope(&self.steps, &self.values)?)
    }
}
