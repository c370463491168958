//! Equivalence (two one-sided tests) and non-inferiority against a declared margin.

use serde::Serialize;

use crate::dist::student_t as t;
use crate::sample;
use crate::{Explain, Interval, Level, Outcome, Side, Undefined};
use fairtrial_text::share::p_value;
use fairtrial_text::significant::short;

use super::contrast::Contrast;
use super::t_test::Design;

/// The differences that count as "the same", in the metric's unit.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Margin {
    /// The largest loss that still counts as the same (usually negative).
    pub low: f64,
    /// The largest gain that still counts as the same.
    pub high: f64,
}

impl Margin {
    /// The same margin in both directions.
    pub fn symmetric(size: f64) -> Self {
        Self {
            low: -size,
            high: size,
        }
    }

    fn checked(self) -> Outcome<Self> {
        if self.low.is_finite() && self.high.is_finite() && self.low < self.high {
            return Ok(self);
        }
        Err(Undefined::BadArgument {
            name: "margin".into(),
            value: self.high - self.low,
            expected: "two finite ends, the lower one first".into(),
        })
    }
}

/// One of the one-sided tests.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct OneSided {
    /// The statistic.
    pub t: f64,
    /// Its p value.
    pub p: f64,
    /// Degrees of freedom.
    pub df: f64,
}

/// The test of equivalence.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Equivalence {
    /// What was computed.
    pub method: String,
    /// Observations of the control (pairs, in a paired design).
    pub n_control: usize,
    /// Observations of the candidate.
    pub n_candidate: usize,
    /// The declared margin.
    pub margin: Margin,
    /// Mean of candidate - control.
    pub estimate: f64,
    /// Against "worse by the lower margin or more".
    pub lower: OneSided,
    /// Against "better by the upper margin or more".
    pub upper: OneSided,
    /// The larger of the two p values.
    pub p: f64,
    /// The 1 - 2 alpha interval; equivalent if it lies inside the margin.
    pub interval: Interval,
    /// Whether equivalence is shown at alpha.
    pub equivalent: bool,
}

/// TOST: is the difference inside the margin? `alpha` is the level of each one-sided test (usually 0.05).
pub fn equivalence(
    control: &[f64],
    candidate: &[f64],
    design: Design,
    margin: Margin,
    alpha: f64,
) -> Outcome<Equivalence> {
    let margin = margin.checked()?;
    let level = two_alpha(alpha)?;
    let contrast = design.contrast(control, candidate)?;
    let lower = one_sided(&contrast, margin.low, Side::Greater)?;
    let upper = one_sided(&contrast, margin.high, Side::Less)?;
    let interval = interval_of(&contrast, level)?;
    let p = lower.p.max(upper.p);
    Ok(Equivalence {
        method: format!("two one-sided tests ({})", contrast.method),
        n_control: contrast.n_control,
        n_candidate: contrast.n_candidate,
        margin,
        estimate: contrast.estimate,
        lower,
        upper,
        p,
        interval,
        equivalent: p < alpha,
    })
}

/// The 1 - 2 alpha level, for an alpha below one half.
fn two_alpha(alpha: f64) -> Outcome<Level> {
    sample::open_chance("alpha", alpha)?;
    if alpha >= 0.5 {
        return Err(Undefined::BadArgument {
            name: "alpha".into(),
            value: alpha,
            expected: "below 0.5".into(),
        });
    }
    Ok(Level::two_sided(2.0 * alpha))
}

fn interval_of(contrast: &Contrast, level: Level) -> Outcome<Interval> {
    Interval::around(contrast.estimate, contrast.standard_error, level, |tail| {
        t::inverse_sf(tail, contrast.df)
    })
    .representable()
}

fn one_sided(contrast: &Contrast, bound: f64, side: Side) -> Outcome<OneSided> {
    let statistic =
        sample::representable("t", (contrast.estimate - bound) / contrast.standard_error)?;
    let p = side.p_value(
        t::sf(statistic, contrast.df),
        t::cdf(statistic, contrast.df),
    );
    Ok(OneSided {
        t: statistic,
        p,
        df: contrast.df,
    })
}

impl Explain for Equivalence {
    fn reading(&self) -> String {
        let verdict = if self.equivalent {
            "the arms are equivalent"
        } else {
            "equivalence is not shown"
        };
        format!(
            "With a margin of {} to {}, {verdict}: difference {}, {}, {}.",
            short(self.margin.low),
            short(self.margin.high),
            short(self.estimate),
            self.interval.words(),
            p_value(self.p)
        )
    }
}

/// The test of "not worse by the margin or more".
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NonInferiority {
    /// What was computed.
    pub method: String,
    /// Observations of the control (pairs, in a paired design).
    pub n_control: usize,
    /// Observations of the candidate.
    pub n_candidate: usize,
    /// The loss that is tolerated, as a positive number.
    pub margin: f64,
    /// Mean of candidate - control; higher is better.
    pub estimate: f64,
    /// The test against "worse by the margin or more".
    pub test: OneSided,
    /// The one-sided lower bound of the difference.
    pub interval: Interval,
    /// Whether "not worse by more than the margin" is shown at alpha.
    pub not_worse: bool,
}

/// Non-inferiority, for a metric where higher is better (swap the arms where lower is better).
pub fn non_inferiority(
    control: &[f64],
    candidate: &[f64],
    design: Design,
    margin: f64,
    alpha: f64,
) -> Outcome<NonInferiority> {
    let margin = sample::positive("margin", margin)?;
    let level = Level {
        alpha,
        side: Side::Greater,
    }
    .checked()?;
    let contrast = design.contrast(control, candidate)?;
    let test = one_sided(&contrast, -margin, Side::Greater)?;
    Ok(NonInferiority {
        method: format!("one-sided test against a margin ({})", contrast.method),
        n_control: contrast.n_control,
        n_candidate: contrast.n_candidate,
        margin,
        estimate: contrast.estimate,
        test,
        interval: interval_of(&contrast, level)?,
        not_worse: test.p < alpha,
    })
}

impl Explain for NonInferiority {
    fn reading(&self) -> String {
        let verdict = if self.not_worse {
            "is not worse"
        } else {
            "is not shown to be no worse"
        };
        format!(
            "The candidate {verdict} than the control by more than {}: difference {}, {}, {}.",
            short(self.margin),
            short(self.estimate),
            self.interval.words(),
            p_value(self.test.p)
        )
    }
}
