//! Open-ended looks: the Gaussian-mixture t e-process and its confidence sequence (Wang and Ramdas 2023).
//!
//! E grows when the mean is not zero and has a mean of at most 1 when it is; at E >= 1/alpha one may stop at any time,
//! after any number of looks. The price is a wider interval than with a budget.

use serde::Serialize;

use crate::descriptive::Accumulator;
use crate::sample::{is_constant, open_chance, positive};
use crate::{Dropped, Explain, Interval, Level, Outcome};
use fairtrial_text::significant::short;

/// The logarithm of E for a t statistic from n values.
pub fn t_log_e(t: f64, n: usize, tau2: f64) -> f64 {
    let (size, df) = (n as f64, n as f64 - 1.0);
    if n < 2 {
        return 0.0;
    }
    let r = 1.0 + size * tau2;
    let t2 = t * t;
    // ln[(1 + t²/(r df)) / (1 + t²/df)], also for a t whose square overflows.
    let ratio = if t2.is_finite() {
        (t2 / (r * df)).ln_1p() - (t2 / df).ln_1p()
    } else {
        -r.ln()
    };
    -0.5 * r.ln() - 0.5 * size * ratio
}

/// How many standard errors the confidence sequence reaches to each side; infinite while n is too small.
pub fn t_multiplier(n: usize, tau2: f64, alpha: f64) -> f64 {
    let (size, df) = (n as f64, n as f64 - 1.0);
    let r = 1.0 + size * tau2;
    let k = ((r / (alpha * alpha)).ln() / size).exp();
    if n < 2 || k >= r {
        return f64::INFINITY;
    }
    (df * (k - 1.0) / (1.0 - k / r)).sqrt()
}

/// The state after one more value.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct AnytimeStep {
    /// Values so far.
    pub n: usize,
    /// The t statistic; none while nothing varies.
    pub t: Option<f64>,
    /// The logarithm of E.
    pub log_e: f64,
    /// The confidence sequence; without bounds while n is too small.
    pub interval: Interval,
}

/// An open-ended comparison.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AnytimeT {
    /// The method.
    pub method: &'static str,
    /// Values so far.
    pub n: usize,
    /// The spread of effects that the mixture expects, in squared standard deviations.
    pub tau2: f64,
    /// The error chance, whenever one stops.
    pub alpha: f64,
    /// Every step.
    pub steps: Vec<AnytimeStep>,
    /// The first n at which "no difference" was rejected; once rejected, it stays so.
    pub rejected_at: Option<usize>,
    /// What was left out.
    pub dropped: Vec<Dropped>,
}

impl Explain for AnytimeT {
    fn reading(&self) -> String {
        let last = self
            .steps
            .last()
            .map_or_else(String::new, |s| s.interval.words());
        match self.rejected_at {
            Some(n) => format!(
                "A difference was established after {n} values. Now {last}, valid whenever one looks."
            ),
            None => format!(
                "After {} values there is no answer (E = {}; it takes {}). Now {last}, valid whenever one looks.",
                self.n,
                short(self.steps.last().map_or(1.0, |s| s.log_e.exp())),
                short(1.0 / self.alpha)
            ),
        }
    }
}

/// Runs the process over the differences in the order of the declared pairs.
pub fn anytime_t(differences: &[f64], tau2: f64, alpha: f64) -> Outcome<AnytimeT> {
    crate::sample::finite("the differences", differences)?;
    positive("tau2", tau2)?;
    open_chance("alpha", alpha)?;
    let mut running = Accumulator::new();
    let mut largest = 0.0f64;
    let mut steps = Vec::with_capacity(differences.len());
    for &x in differences {
        running.push(x);
        largest = largest.max(x.abs());
        steps.push(step(&running, steps.len() + 1, largest, (tau2, alpha))?);
    }
    let rejected_at = steps.iter().find(|s| s.log_e >= -alpha.ln()).map(|s| s.n);
    Ok(AnytimeT {
        method: "t e-process",
        n: steps.len(),
        tau2,
        alpha,
        steps,
        rejected_at,
        dropped: Vec::new(),
    })
}

fn step(
    running: &Accumulator,
    n: usize,
    largest: f64,
    (tau2, alpha): (f64, f64),
) -> Outcome<AnytimeStep> {
    let level = Level::two_sided(alpha);
    let everything = Interval {
        low: f64::NEG_INFINITY,
        high: f64::INFINITY,
        level,
    };
    if n < 2 {
        return Ok(AnytimeStep {
            n,
            t: None,
            log_e: 0.0,
            interval: everything,
        });
    }
    let (mean, sd) = (running.mean()?, running.sd()?);
    if is_constant(sd, largest) {
        return Ok(AnytimeStep {
            n,
            t: None,
            log_e: 0.0,
            interval: everything,
        });
    }
    let error = crate::sample::representable("the standard error", sd / (n as f64).sqrt())?;
    let t = crate::sample::representable("t", mean / error)?;
    let multiplier = t_multiplier(n, tau2, alpha);
    let interval = if multiplier.is_finite() {
        Interval::around(mean, error, level, |_| multiplier)
    } else {
        everything
    };
    Ok(AnytimeStep {
        n,
        t: Some(t),
        log_e: t_log_e(t, n, tau2),
        interval,
    })
}
