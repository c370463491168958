//! Ratios: "candidate takes 0.93 of the control's time".

use serde::Serialize;

use crate::descriptive::{Moments, logarithms};
use crate::dist::student_t as t;
use crate::sample::representable;
use crate::words::{count, number};
use crate::{Explain, Interval, Level, Outcome, Undefined};

use super::contrast::Contrast;
use super::t_test::TTest;

/// A ratio candidate / control with its interval.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RatioInterval {
    /// What was computed.
    pub method: &'static str,
    /// Observations of the control (pairs, in a paired design).
    pub n_control: usize,
    /// Observations of the candidate.
    pub n_candidate: usize,
    /// The ratio.
    pub estimate: f64,
    /// The interval of the ratio.
    pub interval: Interval,
    /// Degrees of freedom.
    pub df: f64,
    /// The p value of "ratio 1", where the method gives one.
    pub p: Option<f64>,
}

/// The ratio of two independent means with Fieller's interval, Welch degrees of freedom.
///
/// Where the control's mean is not clearly away from zero, the set of plausible ratios has no bounds; that is said, not
/// hidden behind two numbers.
pub fn fieller_ratio(control: &[f64], candidate: &[f64], level: Level) -> Outcome<RatioInterval> {
    let level = level.checked()?;
    let contrast = Contrast::welch(control, candidate)?;
    let (a, b) = (Moments::of(control), Moments::of(candidate));
    if a.mean == 0.0 {
        return Err(Undefined::NoSolution(
            "the control's mean is 0: a ratio has no meaning, use the difference".into(),
        ));
    }
    let arms = FiellerArms {
        a: a.mean,
        va: a.variance() / a.n,
        b: b.mean,
        vb: b.variance() / b.n,
    };
    let end = |tail: Option<f64>, sign: f64, open: f64| {
        tail.map_or(Ok(open), |tail| {
            arms.end(t::inverse_sf(tail, contrast.df), sign)
        })
    };
    let interval = Interval {
        low: end(level.lower_tail(), -1.0, f64::NEG_INFINITY)?,
        high: end(level.upper_tail(), 1.0, f64::INFINITY)?,
        level,
    };
    Ok(RatioInterval {
        method: "ratio of means, Fieller interval with Welch degrees of freedom",
        n_control: control.len(),
        n_candidate: candidate.len(),
        estimate: representable("the ratio", b.mean / a.mean)?,
        interval: interval.representable()?,
        df: contrast.df,
        p: None,
    })
}

struct FiellerArms {
    a: f64,
    va: f64,
    b: f64,
    vb: f64,
}

impl FiellerArms {
    /// A root of `(b - r a)^2 = q^2 (vb + r^2 va)`.
    fn end(&self, q: f64, sign: f64) -> Outcome<f64> {
        // Everything over a^2: g is the squared relative error of the control's mean.
        let g = q * q * self.va / self.a / self.a;
        let ratio = self.b / self.a;
        let inside =
            self.vb / self.a / self.a * (1.0 - g) + ratio * ratio * (self.va / self.a / self.a);
        if !(g < 1.0 && inside >= 0.0) {
            return Err(Undefined::NoSolution(
                "the control's mean is not clearly away from 0, so that the ratio has no bounded interval (Fieller)".into(),
            ));
        }
        Ok((ratio + sign * q * inside.sqrt()) / (1.0 - g))
    }
}

/// The ratio of geometric means of two independent arms: Welch's t on the logarithms.
pub fn geometric_ratio(control: &[f64], candidate: &[f64], level: Level) -> Outcome<RatioInterval> {
    let level = level.checked()?;
    let (a, b) = both_logarithms(control, candidate)?;
    from_logs(
        &TTest::of(&Contrast::welch(&a, &b)?, level)?,
        "ratio of geometric means (Welch t on logarithms)",
    )
}

/// The geometric mean of the ratios within pairs: a paired t on the logarithms.
pub fn paired_geometric_ratio(
    control: &[f64],
    candidate: &[f64],
    level: Level,
) -> Outcome<RatioInterval> {
    let level = level.checked()?;
    let (a, b) = both_logarithms(control, candidate)?;
    from_logs(
        &TTest::of(&Contrast::paired(&a, &b)?, level)?,
        "ratio of geometric means (paired t on logarithms)",
    )
}

fn both_logarithms(control: &[f64], candidate: &[f64]) -> Outcome<(Vec<f64>, Vec<f64>)> {
    Ok((
        logarithms("a ratio", control)?,
        logarithms("a ratio", candidate)?,
    ))
}

fn from_logs(test: &TTest, method: &'static str) -> Outcome<RatioInterval> {
    Ok(RatioInterval {
        method,
        n_control: test.n_control,
        n_candidate: test.n_candidate,
        estimate: representable("the ratio", test.estimate.exp())?,
        interval: test.interval.map(f64::exp).representable()?,
        df: test.df,
        p: Some(test.p),
    })
}

impl Explain for RatioInterval {
    fn reading(&self) -> String {
        let change = 100.0 * (self.estimate - 1.0);
        let direction = if change < 0.0 { "less" } else { "more" };
        format!(
            "The candidate is at {} of the control, {} % {direction} ({}; {}, {}).",
            number(self.estimate),
            number(change.abs()),
            self.interval.words(),
            self.method,
            count(self.n_candidate + self.n_control, "observation")
        )
    }
}
