//! The t tests with their intervals.

use serde::Serialize;

use crate::dist::student_t as t;
use crate::sample::representable;
use crate::words::against;
use crate::{Explain, Interval, Level, Outcome, Side};
use fairtrial_text::count::counted;
use fairtrial_text::share::p_value;
use fairtrial_text::significant::short;

use super::contrast::Contrast;

/// How the two arms belong together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Design {
    /// Both arms ran on the same seeds or tasks, in the same order.
    Paired,
    /// Independent runs, each arm with its own variance (Welch).
    Unpaired,
}

impl Design {
    pub(super) fn contrast(self, control: &[f64], candidate: &[f64]) -> Outcome<Contrast> {
        match self {
            Self::Paired => Contrast::paired(control, candidate),
            Self::Unpaired => Contrast::welch(control, candidate),
        }
    }
}

/// A t test of a mean or a difference of means, with its interval.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TTest {
    /// What was computed.
    pub method: &'static str,
    /// Observations of the control (pairs, in a paired test).
    pub n_control: usize,
    /// Observations of the candidate (pairs, in a paired test).
    pub n_candidate: usize,
    /// Mean of candidate - control.
    pub estimate: f64,
    /// Its standard error.
    pub standard_error: f64,
    /// The statistic.
    pub t: f64,
    /// Degrees of freedom.
    pub df: f64,
    /// The p value of "no difference".
    pub p: f64,
    /// The interval of the difference.
    pub interval: Interval,
}

/// The t test that fits the design.
pub fn t_test(control: &[f64], candidate: &[f64], design: Design, level: Level) -> Outcome<TTest> {
    let level = level.checked()?;
    TTest::of(&design.contrast(control, candidate)?, level)
}

impl TTest {
    pub(super) fn of(contrast: &Contrast, level: Level) -> Outcome<Self> {
        let Contrast {
            estimate,
            standard_error,
            df,
            ..
        } = *contrast;
        let statistic = representable("t", estimate / standard_error)?;
        let interval = Interval::around(estimate, standard_error, level, |tail| {
            t::inverse_sf(tail, df)
        });
        Ok(Self {
            method: contrast.method,
            n_control: contrast.n_control,
            n_candidate: contrast.n_candidate,
            estimate,
            standard_error,
            t: statistic,
            df,
            p: p_of(level.side, statistic, df),
            interval: interval.representable()?,
        })
    }
}

fn p_of(side: Side, statistic: f64, df: f64) -> f64 {
    side.p_value(t::sf(statistic, df), t::cdf(statistic, df))
}

impl Explain for TTest {
    fn reading(&self) -> String {
        let runs = match self.method {
            "paired t" => counted(self.n_control, "pair"),
            "one-sample t" => counted(self.n_control, "value"),
            _ => format!("{} against {} runs", self.n_candidate, self.n_control),
        };
        format!(
            "The mean difference is {} ({}; {}, {}, {runs}): {}.",
            short(self.estimate),
            self.interval.words(),
            p_value(self.p),
            self.method,
            against(0.0, &self.interval)
        )
    }
}
