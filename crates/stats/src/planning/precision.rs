//! How precise a mean gets with more runs: the expected half-width of its t interval against n.
//!
//! This is what a "how many runs do I need" curve should show. The spread of single runs is a constant that more runs
//! only measure better; what shrinks is the interval. The curve depends on the pilot's mean and spread, not on the order
//! of its runs.

use serde::Serialize;

use crate::descriptive::Moments;
use crate::dist::student_t;
use crate::sample::{self, representable};
use crate::two_arm::hedges_correction;
use crate::{Explain, Level, Outcome, Side, Undefined};
use fairtrial_text::count::counted;
use fairtrial_text::significant::short;

/// The longest curve that is worth drawing.
const LONGEST: usize = 100_000;

/// One point of the curve.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PrecisionPoint {
    /// Runs (or pairs).
    pub n: usize,
    /// Expected half-width of the interval, in the metric's unit.
    pub half_width: f64,
    /// The same as a share of the reference value.
    pub relative: f64,
}

/// The precision curve.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PrecisionCurve {
    /// What was computed.
    pub method: &'static str,
    /// Runs of the pilot.
    pub pilot_n: usize,
    /// What the half-width is a share of: the mean of the runs, or the control's mean for paired differences.
    pub reference: f64,
    /// Standard deviation of one run, corrected for its small-sample bias.
    pub sd: f64,
    /// The curve from n = 2 on.
    pub points: Vec<PrecisionPoint>,
    /// The relative half-width asked for.
    pub target: f64,
    /// The smallest n whose expected relative half-width is at most the target; absent if beyond the curve.
    pub n_for_target: Option<usize>,
    /// The level of the interval.
    pub level: Level,
}

/// The curve for runs of one arm, or for paired differences with the control's mean as `reference`.
///
/// `reference: None` takes the mean of the values themselves.
pub fn precision_curve(
    values: &[f64],
    reference: Option<f64>,
    target: f64,
    largest_n: usize,
    level: Level,
) -> Outcome<PrecisionCurve> {
    let level = level.checked()?;
    if level.side != Side::TwoSided {
        return Err(Undefined::NoSolution(
            "a half-width needs a two-sided interval".into(),
        ));
    }
    sample::positive("target", target)?;
    if largest_n > LONGEST {
        return Err(Undefined::BadArgument {
            name: "largest n".into(),
            value: largest_n as f64,
            expected: format!("at most {LONGEST}"),
        });
    }
    sample::at_least("the precision curve", "the pilot", values, 2)?;
    let moments = Moments::of(values);
    if moments.is_constant() {
        return Err(Undefined::ZeroVariance {
            what: "the pilot".into(),
            value: moments.mean,
        });
    }
    let reference = reference.unwrap_or(moments.mean);
    if !(reference.is_finite() && reference.abs() > 8.0 * f64::EPSILON * moments.max_abs) {
        return Err(Undefined::NoSolution(
            "the reference value is 0, so that a relative half-width has no meaning".into(),
        ));
    }
    let sd = representable("the spread", moments.sd() / unbiasing(values.len()))?;
    let points: Vec<PrecisionPoint> = (2..=largest_n.max(2))
        .map(|n| point(n, sd, reference, level))
        .collect::<Outcome<_>>()?;
    let n_for_target = points.iter().find(|p| p.relative <= target).map(|p| p.n);
    Ok(PrecisionCurve {
        method: "expected half-width of the t interval",
        pilot_n: values.len(),
        reference,
        sd,
        points,
        target,
        n_for_target,
        level,
    })
}

/// `E[s] / sigma` for n normal values, usually called c4.
fn unbiasing(n: usize) -> f64 {
    if n == 2 {
        // Hedges' correction is not defined for one degree of freedom; c4(2) = sqrt(2 / pi).
        return std::f64::consts::FRAC_2_PI.sqrt();
    }
    // c4(n) = sqrt(2/df) Γ((df+1)/2) / Γ(df/2) is Hedges' ratio one degree of freedom further, rescaled.
    let df = n as f64 - 1.0;
    hedges_correction(df + 1.0).map_or(1.0, |j| j * ((df + 1.0) / df).sqrt())
}

fn point(n: usize, sd: f64, reference: f64, level: Level) -> Outcome<PrecisionPoint> {
    let size = n as f64;
    let t = student_t::inverse_sf(level.alpha / 2.0, size - 1.0);
    let half_width = representable("the half-width", t * sd * unbiasing(n) / size.sqrt())?;
    Ok(PrecisionPoint {
        n,
        half_width,
        relative: representable("the half-width", half_width / reference.abs())?,
    })
}

impl Explain for PrecisionCurve {
    fn reading(&self) -> String {
        let target = short(100.0 * self.target);
        match self.n_for_target {
            Some(n) => format!(
                "From a pilot of {}: {n} runs give an interval of about ±{target} %.",
                counted(self.pilot_n, "run")
            ),
            None => format!(
                "From a pilot of {}: even {} runs do not give an interval of ±{target} %.",
                counted(self.pilot_n, "run"),
                self.points.last().map_or(0, |p| p.n)
            ),
        }
    }
}
