//! The estimate, standard error and degrees of freedom that t tests and ratios share.

use crate::descriptive::Moments;
use crate::sample::{self, representable};
use crate::{Outcome, Undefined};

/// A difference with its standard error.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Contrast {
    pub(crate) method: &'static str,
    pub(crate) n_control: usize,
    pub(crate) n_candidate: usize,
    pub(crate) estimate: f64,
    pub(crate) standard_error: f64,
    pub(crate) df: f64,
}

impl Contrast {
    /// The mean of candidate - control over pairs.
    pub(crate) fn paired(control: &[f64], candidate: &[f64]) -> Outcome<Self> {
        sample::pairs("a paired t test", control, candidate, 2)?;
        let scale = sample::max_abs(control).max(sample::max_abs(candidate));
        let differences = sample::differences(control, candidate);
        Self {
            method: "paired t",
            ..Self::one_sample(&differences, scale, "the difference between the arms")?
        }
        .finite()
    }

    /// The mean of one sample against zero; `scale` is the size of the numbers that it was computed from.
    pub(crate) fn one_sample(xs: &[f64], scale: f64, what: &str) -> Outcome<Self> {
        sample::at_least("a t test", what, xs, 2)?;
        let moments = Moments::of(xs);
        if sample::is_constant(moments.sd(), scale.max(moments.max_abs)) {
            return Err(Undefined::ZeroVariance {
                what: what.into(),
                value: moments.mean,
            });
        }
        Self {
            method: "one-sample t",
            n_control: xs.len(),
            n_candidate: xs.len(),
            estimate: moments.mean,
            standard_error: moments.standard_error(),
            df: moments.n - 1.0,
        }
        .finite()
    }

    /// Means of two independent samples, each with its own variance (Welch).
    pub(crate) fn welch(control: &[f64], candidate: &[f64]) -> Outcome<Self> {
        let (a, b) = independent("Welch's t test", control, candidate)?;
        let (ea, eb) = (a.standard_error(), b.standard_error());
        let standard_error = ea.hypot(eb);
        // Shares of the whole, so that squares of tiny variances do not underflow.
        let share = |own: f64| (own / standard_error) * (own / standard_error);
        let (sa, sb) = (share(ea), share(eb));
        let df = 1.0 / (sa * sa / (a.n - 1.0) + sb * sb / (b.n - 1.0));
        Self {
            method: "Welch t",
            df,
            standard_error,
            ..Self::of(&a, &b)
        }
        .finite()
    }

    fn of(a: &Moments, b: &Moments) -> Self {
        Self {
            method: "",
            n_control: a.n as usize,
            n_candidate: b.n as usize,
            estimate: b.minus(a),
            standard_error: 0.0,
            df: 0.0,
        }
    }

    fn finite(self) -> Outcome<Self> {
        representable("the difference", self.estimate)?;
        representable("the standard error", self.standard_error)?;
        representable("the degrees of freedom", self.df)?;
        if self.standard_error == 0.0 {
            return Err(Undefined::ZeroVariance {
                what: "the difference".into(),
                value: self.estimate,
            });
        }
        Ok(self)
    }
}

fn independent(method: &str, control: &[f64], candidate: &[f64]) -> Outcome<(Moments, Moments)> {
    sample::at_least(method, "control", control, 2)?;
    sample::at_least(method, "candidate", candidate, 2)?;
    let (a, b) = (Moments::of(control), Moments::of(candidate));
    if a.is_constant() && b.is_constant() {
        return Err(Undefined::ZeroVariance {
            what: "the difference between the arms".into(),
            value: b.minus(&a),
        });
    }
    Ok((a, b))
}
