//! The Brunner-Munzel test: superiority without the assumption that both arms have one shape.

use serde::Serialize;

use crate::descriptive::Moments;
use crate::dist::{ln_binomial, student_t};
use crate::sample;
use crate::{Explain, Interval, Level, Outcome};
use fairtrial_text::share::p_value;
use fairtrial_text::significant::short;

use super::mann_whitney::pooled;
use super::midranks::Midranks;

/// The Brunner-Munzel test of candidate against control.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BrunnerMunzel {
    /// What was computed.
    pub method: &'static str,
    /// Observations of the control.
    pub n_control: usize,
    /// Observations of the candidate.
    pub n_candidate: usize,
    /// The chance that a run of the candidate beats one of the control, a tie counting one half.
    pub superiority: f64,
    /// Its interval; absent where the arms do not overlap at all.
    pub interval: Option<Interval>,
    /// The statistic; absent where the arms do not overlap at all.
    pub statistic: Option<f64>,
    /// Degrees of freedom.
    pub df: Option<f64>,
    /// The p value of "superiority one half".
    pub p: f64,
}

/// Brunner and Munzel (2000) with the t approximation. Arms that do not overlap have no estimated variance; their p value
/// is then the exact one of the rank permutation.
pub fn brunner_munzel(control: &[f64], candidate: &[f64], level: Level) -> Outcome<BrunnerMunzel> {
    let level = level.checked()?;
    sample::at_least("the Brunner-Munzel test", "control", control, 2)?;
    sample::at_least("the Brunner-Munzel test", "candidate", candidate, 2)?;
    let ranks = pooled(control, candidate);
    let tolerance = 1e-12 * sample::max_abs(control).max(sample::max_abs(candidate));
    let (m, n) = (control.len(), candidate.len());
    let (left, right) = (
        placements(&ranks.doubled[..m], control, tolerance),
        placements(&ranks.doubled[m..], candidate, tolerance),
    );
    // The mean placement of the candidate is the number of controls that it beats.
    let superiority = (right.mean / m as f64).clamp(0.0, 1.0);
    let variance = left.variance() / (m as f64) / (n as f64).powi(2)
        + right.variance() / (n as f64) / (m as f64).powi(2);
    let base = BrunnerMunzel {
        method: "Brunner-Munzel (t approximation)",
        n_control: m,
        n_candidate: n,
        superiority,
        interval: None,
        statistic: None,
        df: None,
        p: 1.0,
    };
    if variance == 0.0 {
        // Full separation is the one most extreme of all C(m + n, n) rank arrangements; all values tied is none.
        let one = (-ln_binomial((m + n) as f64, n as f64)).exp();
        let above = if superiority == 1.0 { one } else { 1.0 };
        let below = if superiority == 0.0 { one } else { 1.0 };
        let p = level.side.p_value(above, below);
        return Ok(BrunnerMunzel {
            method: "exact rank permutation (the arms do not overlap)",
            p,
            ..base
        });
    }
    let se = variance.sqrt();
    let statistic = (superiority - 0.5) / se;
    let df = satterthwaite((left.variance(), m as f64), (right.variance(), n as f64));
    let interval = Interval::around(superiority, se, level, |tail| {
        student_t::inverse_sf(tail, df)
    });
    Ok(BrunnerMunzel {
        interval: Some(interval.map(|x| x.clamp(0.0, 1.0))),
        statistic: Some(statistic),
        df: Some(df),
        p: level
            .side
            .p_value(student_t::sf(statistic, df), student_t::cdf(statistic, df)),
        ..base
    })
}

/// Rank among all minus rank within the arm: how many values of the other arm lie below.
fn placements(pooled_doubled: &[u64], arm: &[f64], tolerance: f64) -> Moments {
    let own = Midranks::of(arm, tolerance);
    let counts: Vec<f64> = pooled_doubled
        .iter()
        .zip(&own.doubled)
        .map(|(all, own)| (*all as f64 - *own as f64) / 2.0)
        .collect();
    Moments::of(&counts)
}

fn satterthwaite((va, na): (f64, f64), (vb, nb): (f64, f64)) -> f64 {
    // With the placements' variances, each arm's share is n_i S_i^2 (Brunner and Munzel's formula).
    let (a, b) = (na * va, nb * vb);
    (a + b).powi(2) / (a * a / (na - 1.0) + b * b / (nb - 1.0))
}

impl Explain for BrunnerMunzel {
    fn reading(&self) -> String {
        let interval = self
            .interval
            .map_or(String::new(), |i| format!(", {}", i.words()));
        format!(
            "A run of the candidate beats one of the control with chance {}{interval} ({}, {}).",
            short(self.superiority),
            p_value(self.p),
            self.method
        )
    }
}
