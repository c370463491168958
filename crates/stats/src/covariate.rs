//! Using what was known before (a baseline score per task, the value at checkpoint 0) to reduce noise: CUPED and ANCOVA.

use serde::Serialize;

use crate::descriptive::{Moments, sum};
use crate::dist::student_t;
use crate::linear::{Normal, solve};
use crate::sample::{self, representable};
use crate::two_arm::{TTest, welch_t};
use crate::{Explain, Interval, Level, Outcome, Undefined};
use fairtrial_text::count::counted;
use fairtrial_text::significant::short;

/// One observation: its arm, the covariate from before, the outcome.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Observation {
    /// Whether it belongs to the candidate.
    pub candidate: bool,
    /// What was known before.
    pub before: f64,
    /// The outcome.
    pub outcome: f64,
}

/// A covariate-adjusted comparison.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Adjusted {
    /// What was computed.
    pub method: &'static str,
    /// Observations.
    pub n: usize,
    /// The slope of the outcome on the covariate, over both arms.
    pub theta: f64,
    /// Difference of the means without adjustment.
    pub raw_difference: f64,
    /// CUPED: Welch's test on the adjusted outcomes.
    pub cuped: TTest,
    /// The share of the outcome's variance that the covariate took away.
    pub variance_reduction: f64,
    /// ANCOVA: the arm's effect in a regression on arm and covariate.
    pub ancova: f64,
    /// Its classical standard error.
    pub ancova_standard_error: f64,
    /// Its standard error without assuming equal variances (HC1).
    pub ancova_robust_standard_error: f64,
    /// The t interval of the ANCOVA effect, with the robust standard error.
    pub ancova_interval: Interval,
}

/// Compares the arms after adjusting for a covariate that was measured before. A covariate that does not vary is refused.
pub fn adjusted(observations: &[Observation], level: Level) -> Outcome<Adjusted> {
    let level = level.checked()?;
    let before: Vec<f64> = observations.iter().map(|o| o.before).collect();
    let outcome: Vec<f64> = observations.iter().map(|o| o.outcome).collect();
    sample::at_least("a covariate adjustment", "the covariate", &before, 4)?;
    sample::finite("the outcomes", &outcome)?;
    let (x, y) = (Moments::of(&before), Moments::of(&outcome));
    if x.is_constant() {
        return Err(Undefined::ZeroVariance {
            what: "the covariate".into(),
            value: x.mean,
        });
    }
    let products = before
        .iter()
        .zip(&outcome)
        .map(|(a, b)| (a - x.mean) * (b - y.mean));
    let theta = representable("the slope", sum(products) / x.squares)?;
    let adjusted: Vec<f64> = outcome
        .iter()
        .zip(&before)
        .map(|(y, b)| y - theta * (b - x.mean))
        .collect();
    let arm = |values: &[f64], candidate: bool| -> Vec<f64> {
        values
            .iter()
            .zip(observations)
            .filter(|(_, o)| o.candidate == candidate)
            .map(|(v, _)| *v)
            .collect()
    };
    let raw = welch_t(&arm(&outcome, false), &arm(&outcome, true), level)?;
    let cuped = welch_t(&arm(&adjusted, false), &arm(&adjusted, true), level)?;
    let regression = ancova(observations)?;
    let df = x.n - 3.0;
    let interval = Interval::around(regression.effect, regression.robust, level, |tail| {
        student_t::inverse_sf(tail, df)
    });
    Ok(Adjusted {
        method: "CUPED with a pooled slope, and ANCOVA",
        n: observations.len(),
        theta,
        raw_difference: raw.estimate,
        cuped,
        variance_reduction: representable(
            "the variance reduction",
            1.0 - Moments::of(&adjusted).squares / y.squares,
        )?,
        ancova: regression.effect,
        ancova_standard_error: regression.classical,
        ancova_robust_standard_error: regression.robust,
        ancova_interval: interval.representable()?,
    })
}

struct Ancova {
    effect: f64,
    classical: f64,
    robust: f64,
}

/// Least squares of the outcome on arm and covariate, everything centred on the covariate's mean.
fn ancova(observations: &[Observation]) -> Outcome<Ancova> {
    let n = observations.len() as f64;
    let centre = sum(observations.iter().map(|o| o.before)) / n;
    let row = |o: &Observation| [1.0, f64::from(u8::from(o.candidate)), o.before - centre];
    let mut normal = Normal::<3>::default();
    for o in observations {
        normal.add(row(o), o.outcome, 1.0);
    }
    let degenerate =
        || Undefined::NoSolution("the arm and the covariate cannot be told apart".into());
    let fit = solve(&normal).ok_or_else(degenerate)?;
    let residual = |o: &Observation| {
        o.outcome
            - row(o)
                .iter()
                .zip(fit.coefficients)
                .map(|(x, b)| x * b)
                .sum::<f64>()
    };
    let squares = sum(observations.iter().map(|o| residual(o).powi(2)));
    let scale = n / (n - 3.0);
    // The arm's row of (X'X)^-1 X' is what each residual is weighted with.
    let weight = |o: &Observation| {
        row(o)
            .iter()
            .zip(fit.inverse[1])
            .map(|(x, v)| x * v)
            .sum::<f64>()
    };
    let meat = sum(observations
        .iter()
        .map(|o| (weight(o) * residual(o)).powi(2)));
    Ok(Ancova {
        effect: representable("the adjusted difference", fit.coefficients[1])?,
        classical: representable(
            "the standard error",
            (squares / (n - 3.0) * fit.inverse[1][1]).sqrt(),
        )?,
        robust: representable("the standard error", (meat * scale).sqrt())?,
    })
}

impl Explain for Adjusted {
    fn reading(&self) -> String {
        format!(
            "Adjusted for what was known before, the difference is {} ({}; {}); the covariate took away {} % of the variance.",
            short(self.ancova),
            self.ancova_interval.words(),
            counted(self.n, "observation"),
            short(100.0 * self.variance_reduction.max(0.0))
        )
    }
}
