//! A curve into one number, by the documented rules of the learning-curve pipeline or over a common range of steps.

use super::history::History;
use crate::error::AnalysisError;
use fairtrial_model::Outcome as Ended;
use fairtrial_series::CurvePoints;
use fairtrial_stats::series::original::{FEWEST_POINTS, Logged, OriginalWindow};
use fairtrial_stats::series::{Curve, CurveSummary, Scale, Window, auc};
use fairtrial_stats::{Outcome, Undefined};
use fairtrial_text::share::percent;
use rayon::prelude::*;
use serde::Serialize;
use std::fmt;

/// The share of points that counts where nothing else is said.
pub const DEFAULT_PERCENT: f64 = 0.25;
/// Values of `eval_last_n` where nothing else is said.
pub const DEFAULT_N: usize = 5;
/// Runs whose common steps are less than this share of the longest run are not compared by steps.
const LEAST_COMMON: f64 = 0.8;

/// What the number is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SummaryType {
    /// The area under the curve, by the trapezoid rule on the real steps.
    Auc,
    /// The mean of the last values.
    EvalLastN,
    /// The least-squares slope over all points.
    Slope,
}

/// Which part of a curve an area is taken over.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SummaryWindow {
    /// A share of the logged points at the end: the original's rule, and the default.
    LastPoints(f64),
    /// A share of the logged points at the start.
    FirstPoints(f64),
    /// A share of the steps that all runs have, at the end: runs that log more densely get no other window.
    LastSteps(f64),
    /// A share of the steps that all runs have, at the start.
    FirstSteps(f64),
    /// From one step to another, both included; a run that does not reach over them has no number.
    Steps {
        /// The first step.
        min: f64,
        /// The last step.
        max: f64,
    },
    /// The whole curve.
    All,
}

/// How a curve becomes one number.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SummaryRule {
    /// What the number is.
    #[serde(rename = "type")]
    pub kind: SummaryType,
    /// The part that counts (area only).
    pub window: SummaryWindow,
    /// Whether the area is divided by its width in steps.
    pub scale: Scale,
    /// How many last values (`eval_last_n` only).
    pub n: usize,
}

/// A curve's number, and the steps that it is about.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Reduced {
    pub(crate) value: f64,
    /// The first and the last; a curve with a number has both.
    pub(crate) steps: Option<[f64; 2]>,
}

impl Reduced {
    fn over(value: f64, steps: Option<[f64; 2]>) -> Self {
        Self { value, steps }
    }

    fn of(found: &CurveSummary) -> Self {
        Self::over(found.value, Some(found.steps))
    }
}

impl Default for SummaryRule {
    fn default() -> Self {
        Self {
            kind: SummaryType::Auc,
            window: SummaryWindow::LastPoints(DEFAULT_PERCENT),
            scale: Scale::Normalised,
            n: DEFAULT_N,
        }
    }
}

impl SummaryRule {
    /// Refuses what means nothing, before any file is read.
    pub fn check(&self) -> Result<(), AnalysisError> {
        let bad = |name, value: f64, expected| {
            Err(AnalysisError::Option {
                name,
                value: value.to_string(),
                expected,
            })
        };
        match self.window {
            SummaryWindow::LastPoints(share)
            | SummaryWindow::FirstPoints(share)
            | SummaryWindow::LastSteps(share)
            | SummaryWindow::FirstSteps(share)
                if !(share > 0.0 && share <= 1.0) =>
            {
                bad("--summary.percent", share, "a share above 0 and at most 1")
            }
            SummaryWindow::Steps { min, max } if min >= max || min.is_nan() || max.is_nan() => {
                bad("--summary.step_max", max, "a step above --summary.step_min")
            }
            _ if self.n == 0 => bad("--summary.n", 0.0, "at least 1"),
            _ => Ok(()),
        }
    }

    /// What to do about curves that are logged too rarely for the original's rule.
    pub(crate) fn way_out(&self, curves: &[&History]) -> Option<&'static str> {
        let (
            SummaryType::Auc,
            SummaryWindow::LastPoints(share) | SummaryWindow::FirstPoints(share),
        ) = (self.kind, self.window)
        else {
            return None;
        };
        let longest = curves.iter().map(|curve| curve.series.len()).max()?;
        match longest {
            0 | 1 => None,
            _ if share < 1.0 && longest >= FEWEST_POINTS => Some(
                "; --summary.percent 1 takes the whole curve, and --summary.share_of steps a share of the steps, however few \
                 points are logged",
            ),
            _ => Some(
                "; --summary.share_of steps takes a share of the steps, however few points are logged",
            ),
        }
    }

    /// One number per curve, or why there is none, in the order of the curves.
    pub(crate) fn apply(
        &self,
        curves: &[&History],
    ) -> Result<Vec<Outcome<Reduced>>, AnalysisError> {
        let common = self.common_steps(curves)?;
        // Of long curves, a few are in memory at a time.
        let numbers: Vec<_> = curves
            .par_iter()
            .map(|curve| Ok(self.one(&*curve.series.points()?, common)))
            .collect();
        numbers.into_iter().collect()
    }

    fn one(&self, curve: &CurvePoints, common: Option<Window>) -> Outcome<Reduced> {
        if let (SummaryType::Auc, Some(window)) = (self.kind, common) {
            let curve = Curve::new(&curve.steps, &curve.values)?;
            return auc(&curve, window, self.scale).map(|found| Reduced::of(&found));
        }
        let logged = Logged::new(&curve.steps, &curve.values)?;
        let window = match (self.kind, self.window) {
            (SummaryType::EvalLastN, _) => {
                let value = logged.eval_last_n(self.n)?;
                return Ok(Reduced::over(value, logged.last_range(self.n)));
            }
            (SummaryType::Slope, _) => {
                let value = logged.derivative()?;
                return Ok(Reduced::over(value, logged.range(OriginalWindow::All)?));
            }
            (SummaryType::Auc, SummaryWindow::Steps { min, max }) => {
                reaches_over(curve, [min, max])?;
                OriginalWindow::Steps { min, max }
            }
            (SummaryType::Auc, SummaryWindow::LastPoints(share)) => OriginalWindow::Last(share),
            (SummaryType::Auc, SummaryWindow::FirstPoints(share)) => OriginalWindow::First(share),
            (SummaryType::Auc, _) => OriginalWindow::All,
        };
        let value = logged.auc(window, self.scale)?;
        Ok(Reduced::over(value, logged.range(window)?))
    }

    /// The window in steps that all curves share, where shares of steps are asked for.
    fn common_steps(&self, curves: &[&History]) -> Result<Option<Window>, AnalysisError> {
        let (share, last) = match self.window {
            SummaryWindow::LastSteps(share) => (share, true),
            SummaryWindow::FirstSteps(share) => (share, false),
            _ => return Ok(None),
        };
        // A trial that failed has no number, and must not cut those of the others.
        let counted = curves.iter().filter(|curve| curve.outcome == Ended::Ok);
        let ranges: Vec<[f64; 2]> = counted.filter_map(|curve| curve.series.range()).collect();
        let from = ranges
            .iter()
            .map(|range| range[0])
            .fold(f64::NEG_INFINITY, f64::max);
        let to = ranges
            .iter()
            .map(|range| range[1])
            .fold(f64::INFINITY, f64::min);
        let longest = ranges
            .iter()
            .map(|range| range[1] - range[0])
            .fold(0.0, f64::max);
        if ranges.is_empty() {
            return Err(AnalysisError::Question(
                "no run that ended well has a point of this metric at a known step, so there are no common steps; is the metric's name right?"
                    .to_owned(),
            ));
        }
        if to - from < LEAST_COMMON * longest {
            return Err(AnalysisError::Question(format!(
                "the runs share only the steps {from} to {to}, less than {} of the longest run; \
                 a window of steps would compare different parts of their curves",
                percent(LEAST_COMMON)
            )));
        }
        let width = share * (to - from);
        Ok(Some(if last {
            Window::Steps {
                from: to - width,
                to,
            }
        } else {
            Window::Steps {
                from,
                to: from + width,
            }
        }))
    }
}

/// Refuses a curve that begins after a window does, or ends before it, by more than it leaves between two points: what is
/// logged inside of the window would be another part of the curve than that of other runs.
fn reaches_over(curve: &CurvePoints, [min, max]: [f64; 2]) -> Outcome<()> {
    let mut steps = curve.steps.clone();
    steps.sort_by(f64::total_cmp);
    let (Some(first), Some(last)) = (steps.first(), steps.last()) else {
        return Ok(());
    };
    let gaps = steps.windows(2).map(|two| two[1] - two[0]);
    let gap = gaps.fold(0.0, f64::max);
    if first - gap <= min && last + gap >= max {
        return Ok(());
    }
    Err(Undefined::NoSolution(format!(
        "its steps {first} to {last} do not reach over the window from step {min} to {max}"
    )))
}

/// Why a curve has no number, in the words of a report.
pub(crate) fn why_none(curve: &History, why: &Undefined) -> String {
    match why {
        _ if curve.series.len() < 2 && !curve.notes.is_empty() => curve.notes.join("; "),
        why => why.to_string(),
    }
}

impl fmt::Display for SummaryRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            SummaryType::EvalLastN => return write!(f, "mean of the last {} values", self.n),
            SummaryType::Slope => return f.write_str("least-squares slope over all points"),
            SummaryType::Auc => {}
        }
        f.write_str(match self.scale {
            Scale::Normalised => "average under the curve",
            Scale::Raw => "area under the curve",
        })?;
        match self.window {
            SummaryWindow::LastPoints(share) => {
                write!(f, ", last {} of the points", percent(share))
            }
            SummaryWindow::FirstPoints(share) => {
                write!(f, ", first {} of the points", percent(share))
            }
            SummaryWindow::LastSteps(share) => {
                write!(f, ", last {} of the common steps", percent(share))
            }
            SummaryWindow::FirstSteps(share) => {
                write!(f, ", first {} of the common steps", percent(share))
            }
            SummaryWindow::Steps { min, max } => write!(f, ", steps {min} to {max}"),
            SummaryWindow::All => Ok(()),
        }
    }
}

impl SummaryType {
    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auc => "auc",
            Self::EvalLastN => "eval_last_n",
            Self::Slope => "slope",
        }
    }
}
