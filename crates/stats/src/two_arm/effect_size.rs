//! Standardised effects: how large a difference is, measured in standard deviations.

use std::f64::consts::PI;

use serde::Serialize;

use crate::descriptive::{Moments, correlation};
use crate::dist::ln_beta;
use crate::sample::{self, representable};
use crate::{Explain, Outcome, Undefined};
use fairtrial_text::count::counted;
use fairtrial_text::significant::short;

/// The exact small-sample correction `J(df)` of Hedges (1981); it exists from 2 degrees of freedom on.
pub fn hedges_correction(df: f64) -> Outcome<f64> {
    if !(df > 1.0 && df.is_finite()) {
        return Err(Undefined::BadArgument {
            name: "df".into(),
            value: df,
            expected: "above 1".into(),
        });
    }
    // Γ(df/2) / Γ((df-1)/2) through the beta function, which does not cancel for large df.
    Ok((0.5 * PI.ln() - ln_beta(0.5 * (df - 1.0), 0.5)).exp() / (0.5 * df).sqrt())
}

/// Standardised effects of paired arms, and what pairing bought.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PairedEffect {
    /// What was computed.
    pub method: &'static str,
    /// Pairs.
    pub pairs: usize,
    /// Mean of candidate - control.
    pub mean_difference: f64,
    /// Standard deviation of the differences.
    pub sd_difference: f64,
    /// Mean difference over the sd of the differences; absent where the differences do not vary.
    pub d_z: Option<f64>,
    /// `d_z` with Hedges' correction (df = pairs - 1); from three pairs on.
    pub g_z: Option<f64>,
    /// Mean difference over the average sd of the arms; absent where neither arm varies.
    pub d_av: Option<f64>,
    /// `d_av` with Hedges' correction (df = 2 pairs - 2).
    pub g_av: Option<f64>,
    /// Correlation of the arms; absent where one arm does not vary.
    pub correlation: Option<f64>,
    /// Variance of the difference over what unpaired runs would have: below 1, pairing pays.
    pub variance_ratio: Option<f64>,
}

/// Standardised effects of candidate - control over pairs.
pub fn paired_effect(control: &[f64], candidate: &[f64]) -> Outcome<PairedEffect> {
    sample::pairs("a standardised effect", control, candidate, 2)?;
    let (a, b) = (Moments::of(control), Moments::of(candidate));
    let difference = Moments::of(&sample::differences(control, candidate));
    let scale = a.max_abs.max(b.max_abs);
    let mean_difference = representable("the mean difference", difference.mean)?;
    let sd_difference = representable("the spread of the differences", difference.sd())?;
    let total = representable("the spread of the arms", a.variance() + b.variance())?;
    let arms_vary = !(a.is_constant() && b.is_constant());
    let d_z = (!sample::is_constant(sd_difference, scale))
        .then(|| mean_difference / sd_difference)
        .and_then(finite);
    let d_av = arms_vary
        .then(|| mean_difference / (total / 2.0).sqrt())
        .and_then(finite);
    let corrected = |d: Option<f64>, df: f64| d.zip(hedges_correction(df).ok()).map(|(d, j)| d * j);
    Ok(PairedEffect {
        method: "standardised paired effect",
        pairs: control.len(),
        mean_difference,
        sd_difference,
        d_z,
        g_z: corrected(d_z, a.n - 1.0),
        d_av,
        g_av: corrected(d_av, 2.0 * a.n - 2.0),
        correlation: correlation(control, candidate).ok(),
        variance_ratio: arms_vary
            .then(|| difference.variance() / total)
            .and_then(finite),
    })
}

fn finite(x: f64) -> Option<f64> {
    x.is_finite().then_some(x)
}

impl Explain for PairedEffect {
    fn reading(&self) -> String {
        let size = self.d_z.map_or("no measurable spread".into(), |d| {
            format!("{} sd of the differences", short(d))
        });
        let pairing = match self.variance_ratio {
            Some(ratio) if ratio < 1.0 => {
                format!("; pairing cut the variance to {} %", short(100.0 * ratio))
            }
            Some(_) => "; pairing did not reduce the variance".into(),
            None => String::new(),
        };
        format!(
            "The effect is {size} over {}{pairing}.",
            counted(self.pairs, "pair")
        )
    }
}

/// Standardised effects of independent arms.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct UnpairedEffect {
    /// What was computed.
    pub method: &'static str,
    /// Observations of the control.
    pub n_control: usize,
    /// Observations of the candidate.
    pub n_candidate: usize,
    /// Mean of candidate minus mean of control.
    pub mean_difference: f64,
    /// Cohen's d with the pooled sd.
    pub d: f64,
    /// Hedges' g: d with the small-sample correction.
    pub g: f64,
    /// Glass' delta: the difference over the control's sd; absent where the control does not vary.
    pub glass_delta: Option<f64>,
}

/// Standardised effects of two independent arms.
pub fn unpaired_effect(control: &[f64], candidate: &[f64]) -> Outcome<UnpairedEffect> {
    sample::at_least("a standardised effect", "control", control, 2)?;
    sample::at_least("a standardised effect", "candidate", candidate, 2)?;
    let (a, b) = (Moments::of(control), Moments::of(candidate));
    let mean_difference = representable("the mean difference", b.minus(&a))?;
    if a.is_constant() && b.is_constant() {
        return Err(Undefined::ZeroVariance {
            what: "the difference between the arms".into(),
            value: mean_difference,
        });
    }
    let df = a.n + b.n - 2.0;
    let pooled = representable("the spread of the arms", (a.squares + b.squares) / df)?;
    let d = representable("the standardised effect", mean_difference / pooled.sqrt())?;
    Ok(UnpairedEffect {
        method: "standardised unpaired effect",
        n_control: control.len(),
        n_candidate: candidate.len(),
        mean_difference,
        d,
        g: d * hedges_correction(df)?,
        glass_delta: (!a.is_constant())
            .then(|| mean_difference / a.sd())
            .and_then(finite),
    })
}

impl Explain for UnpairedEffect {
    fn reading(&self) -> String {
        format!(
            "The candidate's mean lies {} pooled standard deviations from the control's (Hedges g; {} against {} runs).",
            short(self.g),
            self.n_candidate,
            self.n_control
        )
    }
}
