//! Curves of several seeds on one grid of steps: bands for a picture, and where two arms differ.
//!
//! Only the range that all curves share is used. Pointwise intervals hold at one step each; the band of differences is
//! simultaneous: sign-flips of whole curves give the largest |t| over the grid that chance alone produces.

use serde::Serialize;

use super::curve::Curve;
use crate::bootstrap::{plain_mean, sample_variance};
use crate::dist::student_t;
use crate::sample::{is_constant, max_abs};
use crate::{Dropped, Explain, Interval, Level, Outcome, Undefined};
use fairtrial_text::significant::short;

/// The share of the longest curve that the common range must have.
const COMMON_SHARE: f64 = 0.8;
const FEWEST_GRID_POINTS: usize = 2;
const MOST_GRID_POINTS: usize = 1 << 20;

/// Steps spread evenly over the range that curves share, known before any of them is read at them.
#[derive(Debug, Clone, PartialEq)]
pub struct SharedSteps {
    /// The steps.
    pub steps: Vec<f64>,
    /// The share of the longest curve's range that lies outside.
    pub lost_share: f64,
}

impl SharedSteps {
    /// Of curves with these first and last steps.
    pub fn of(ranges: &[[f64; 2]], points: usize) -> Outcome<Self> {
        if ranges.is_empty() {
            return Err(Undefined::Empty {
                what: "the curves".into(),
            });
        }
        if !(FEWEST_GRID_POINTS..=MOST_GRID_POINTS).contains(&points) {
            return Err(Undefined::BadArgument {
                name: "points".into(),
                value: points as f64,
                expected: format!("between {FEWEST_GRID_POINTS} and {MOST_GRID_POINTS}"),
            });
        }
        let from = ranges
            .iter()
            .map(|r| r[0])
            .fold(f64::NEG_INFINITY, f64::max);
        let to = ranges.iter().map(|r| r[1]).fold(f64::INFINITY, f64::min);
        let longest = ranges.iter().map(|r| r[1] - r[0]).fold(0.0, f64::max);
        let share = (to - from) / longest;
        if !(share > 0.0 && share.is_finite()) {
            return Err(too_short(share));
        }
        let at = |i: usize| {
            let t = i as f64 / (points - 1) as f64;
            (from * (1.0 - t) + to * t).clamp(from, to)
        };
        Ok(Self {
            steps: (0..points).map(at).collect(),
            lost_share: 1.0 - share,
        })
    }
}

/// Curves read at the same steps.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CommonGrid {
    /// The steps.
    pub steps: Vec<f64>,
    /// One row of values per curve.
    pub rows: Vec<Vec<f64>>,
    /// The share of the longest curve's range that lies outside the grid.
    pub lost_share: f64,
    /// What was left out of the curves.
    pub dropped: Vec<Dropped>,
}

impl CommonGrid {
    /// Reads all curves at `points` steps spread evenly over the range they share, which must be most of the longest.
    pub fn new(curves: &[&Curve], points: usize) -> Outcome<Self> {
        let grid = Self::shared(curves, points)?;
        let share = 1.0 - grid.lost_share;
        if share < COMMON_SHARE {
            return Err(too_short(share));
        }
        Ok(grid)
    }

    /// The same over a shared range of any length: for a picture, in which the rest of each curve can be seen.
    pub fn shared(curves: &[&Curve], points: usize) -> Outcome<Self> {
        let ranges: Vec<[f64; 2]> = curves.iter().map(|c| c.range()).collect();
        let SharedSteps { steps, lost_share } = SharedSteps::of(&ranges, points)?;
        let dropped = curves
            .iter()
            .flat_map(|c| c.dropped().iter().cloned())
            .collect();
        Ok(Self {
            rows: curves.iter().map(|curve| curve.at(&steps)).collect(),
            lost_share,
            steps,
            dropped,
        })
    }

    fn column(&self, index: usize) -> Vec<f64> {
        self.rows.iter().map(|row| row[index]).collect()
    }

    /// The mean over the curves at every step, with pointwise t intervals.
    pub fn band(&self, level: Level) -> Outcome<Band> {
        level.checked()?;
        if self.rows.len() < 2 {
            return Err(Undefined::TooFew {
                method: "a band".into(),
                have: self.rows.len(),
                need: 2,
            });
        }
        let critical = |tail| student_t::inverse_sf(tail, self.rows.len() as f64 - 1.0);
        let points = (0..self.steps.len())
            .map(|i| BandPoint::new(self.steps[i], &self.column(i), level, critical));
        Ok(Band {
            n: self.rows.len(),
            points: points.collect::<Outcome<_>>()?,
            dropped: self.dropped.clone(),
        })
    }
}

fn too_short(share: f64) -> Undefined {
    Undefined::NoSolution(format!(
        "the curves share only {} % of the steps of the longest one; at least 80 % are needed",
        short((100.0 * share).max(0.0))
    ))
}

/// The mean and its interval at one step.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct BandPoint {
    /// The step.
    pub step: f64,
    /// The mean over the curves.
    pub mean: f64,
    /// Its interval; a single point where the curves agree exactly.
    pub interval: Interval,
}

impl BandPoint {
    fn new(
        step: f64,
        column: &[f64],
        level: Level,
        critical: impl Fn(f64) -> f64,
    ) -> Outcome<Self> {
        let column = Column::of(column);
        let mean = crate::sample::representable("the band", column.mean)?;
        let error = crate::sample::representable("the band", column.error)?;
        Ok(Self {
            step,
            mean,
            interval: Interval::around(mean, error, level, critical),
        })
    }
}

/// Curves of one arm: a mean with pointwise intervals.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Band {
    /// How many curves.
    pub n: usize,
    /// The band, step by step.
    pub points: Vec<BandPoint>,
    /// What was left out of the curves.
    pub dropped: Vec<Dropped>,
}

impl Explain for Band {
    fn reading(&self) -> String {
        format!(
            "The mean of {} curves at {} steps; each interval holds at its own step only (pointwise).",
            self.n,
            self.points.len()
        )
    }
}

/// The mean of one step's values and its standard error, zero where they differ by rounding only.
struct Column {
    mean: f64,
    error: f64,
}

impl Column {
    fn of(values: &[f64]) -> Self {
        let n = values.len() as f64;
        let (mean, sd) = (plain_mean(values), sample_variance(values).sqrt());
        let error = if is_constant(sd, max_abs(values)) {
            0.0
        } else {
            sd / n.sqrt()
        };
        Self { mean, error }
    }
}
