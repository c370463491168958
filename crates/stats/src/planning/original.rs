//! The original system's planning rules, reproduced to read its old results; not recommended for new plans.
//!
//! Its "variance" curve is the coefficient of variation of the first N runs in the order given, and its rule stops at the
//! first N that falls below a threshold (or changes little). A sample CV estimates a constant, so that neither rule says
//! how many runs are enough; `precision_curve` and `sample_size` do.

use serde::Serialize;

use crate::descriptive::Moments;
use crate::dist::normal;
use crate::sample;
use crate::{Explain, Level, Outcome, Undefined};
use fairtrial_text::count::counted;
use fairtrial_text::significant::short;

/// When the original's curve counts as settled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum CvRule {
    /// The first N whose CV is below the threshold (the first published version).
    Below,
    /// The first N > 1 whose CV differs from the one before by less than the threshold, relatively (a later version).
    Change,
}

/// The original's curve of CV against N.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CvCurve {
    /// What was computed.
    pub method: &'static str,
    /// Runs.
    pub n: usize,
    /// |sd / mean| of the first N runs; infinite for one run, and where the mean is (nearly) zero.
    pub cv: Vec<f64>,
    /// Relative change from one N to the next; infinite where it has no meaning.
    pub change: Vec<f64>,
    /// The rule.
    pub rule: CvRule,
    /// The threshold of the rule.
    pub threshold: f64,
    /// The first N that meets the rule, if any does.
    pub first_n: Option<usize>,
}

/// The original's CV-versus-N curve over runs in the order given.
pub fn cv_curve(values: &[f64], rule: CvRule, threshold: f64) -> Outcome<CvCurve> {
    sample::at_least("the original's CV curve", "the runs", values, 2)?;
    sample::positive("threshold", threshold)?;
    let cv: Vec<f64> = (1..=values.len())
        .map(|n| original_cv(&values[..n]))
        .collect();
    let change: Vec<f64> = (0..cv.len())
        .map(|i| {
            if i == 0 {
                f64::INFINITY
            } else {
                relative_change(cv[i - 1], cv[i])
            }
        })
        .collect();
    let curve = if rule == CvRule::Below { &cv } else { &change };
    let first_n = curve.iter().position(|x| *x < threshold).map(|i| i + 1);
    Ok(CvCurve {
        method: "coefficient of variation of the first N runs (as in the original)",
        n: values.len(),
        cv,
        change,
        rule,
        threshold,
        first_n,
    })
}

fn original_cv(first: &[f64]) -> f64 {
    let moments = Moments::of(first);
    let cv = (moments.sd() / moments.mean).abs();
    if first.len() == 1 || moments.mean.abs() <= 1e-10 || cv.is_nan() {
        f64::INFINITY
    } else {
        cv
    }
}

fn relative_change(before: f64, now: f64) -> f64 {
    if !before.is_finite() || !now.is_finite() || before == 0.0 {
        return f64::INFINITY;
    }
    ((now - before) / before).abs()
}

impl Explain for CvCurve {
    fn reading(&self) -> String {
        let settled = self
            .first_n
            .map_or("never settles".into(), |n| format!("settles at N = {n}"));
        format!(
            "By the original's rule (threshold {}), the curve over {} {settled}. The rule depends on the order of the runs \
             and does not say how many are enough.",
            short(self.threshold),
            counted(self.n, "run")
        )
    }
}

/// What the original divides by the target effect.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum OriginalScale {
    /// Standard deviation of the paired differences: right.
    Paired,
    /// The standard error of the unpaired difference, where a standard deviation is meant: the answer is too small by a
    /// factor of about n.
    Unpaired,
}

/// The original's approximate sample size.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OriginalSampleSize {
    /// What was computed.
    pub method: &'static str,
    /// Pilot runs of the control.
    pub n_control: usize,
    /// Pilot runs of the candidate.
    pub n_candidate: usize,
    /// What it takes for the spread.
    pub scale: f64,
    /// The number it prints: fractional, not rounded up.
    pub required_n: f64,
    /// The target effect, in the metric's unit.
    pub target: f64,
    /// The power (called beta there).
    pub power: f64,
}

/// What the original's formula is asked.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct OriginalQuestion {
    /// What it takes for the spread.
    pub scale: OriginalScale,
    /// The target effect, in the metric's unit.
    pub target: f64,
    /// The power (called beta there).
    pub power: f64,
    /// The level of the test.
    pub level: Level,
}

/// The original's formula `(z + z_power)^2 scale^2 / target^2`, with its own idea of scale.
pub fn original_sample_size(
    control: &[f64],
    candidate: &[f64],
    question: OriginalQuestion,
) -> Outcome<OriginalSampleSize> {
    let OriginalQuestion {
        scale,
        target,
        power,
        level,
    } = question;
    sample::open_chance("power", power)?;
    level.checked()?;
    if !target.is_finite() {
        return Err(Undefined::BadArgument {
            name: "target".into(),
            value: target,
            expected: "a finite number".into(),
        });
    }
    sample::at_least("the original's formula", "control", control, 2)?;
    sample::at_least("the original's formula", "candidate", candidate, 2)?;
    let (a, b) = (Moments::of(control), Moments::of(candidate));
    let spread = match scale {
        OriginalScale::Paired => {
            sample::pairs("the original's formula", control, candidate, 2)?;
            Moments::of(&sample::differences(control, candidate)).sd()
        }
        OriginalScale::Unpaired => (a.variance() / a.n + b.variance() / b.n).sqrt(),
    };
    let deviates = level.outer_deviate() + normal::quantile(power);
    let effect = target.abs().max(1e-12);
    let required = deviates * deviates * (spread / effect).powi(2);
    Ok(OriginalSampleSize {
        method: "normal approximation as in the original",
        n_control: control.len(),
        n_candidate: candidate.len(),
        scale: sample::representable("the spread", spread)?,
        required_n: sample::representable("the sample size", required)?,
        target,
        power,
    })
}

impl Explain for OriginalSampleSize {
    fn reading(&self) -> String {
        format!(
            "The original would print N = {} for a target of {}; plan with the non-central t instead.",
            short(self.required_n),
            short(self.target)
        )
    }
}
