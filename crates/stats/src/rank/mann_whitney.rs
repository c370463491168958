//! The Mann-Whitney test with the probability of superiority (A12) and Cliff's delta.

use serde::Serialize;

use crate::dist::normal;
use crate::sample;
use crate::{Explain, Outcome, Side, Undefined};
use fairtrial_text::share::p_value;
use fairtrial_text::significant::short;

use super::counting::{subset_sum_distribution, tails};
use super::method::{Continuity, RankMethod};
use super::midranks::Midranks;

/// Up to this many values in both arms the exact count is the default.
const EXACT_LIMIT: usize = 60;
/// Beyond this the exact count takes too much time and memory.
const EXACT_MOST: usize = 200;

/// The Mann-Whitney test of candidate against control.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MannWhitney {
    /// What was computed.
    pub method: &'static str,
    /// Observations of the control.
    pub n_control: usize,
    /// Observations of the candidate.
    pub n_candidate: usize,
    /// Pairs (candidate, control) that the candidate wins, a tie counting one half.
    pub u: f64,
    /// The chance that a run of the candidate beats one of the control (A12).
    pub superiority: f64,
    /// Cliff's delta: `2 A12 - 1`.
    pub cliffs_delta: f64,
    /// The normal deviate, in the approximation.
    pub z: Option<f64>,
    /// The p value of "neither tends to be larger".
    pub p: f64,
    /// Which deviations count.
    pub side: Side,
}

/// The Mann-Whitney test; `Side::Greater` asks whether the candidate tends to be larger.
pub fn mann_whitney(
    control: &[f64],
    candidate: &[f64],
    method: RankMethod,
    side: Side,
) -> Outcome<MannWhitney> {
    sample::finite("control", control)?;
    sample::finite("candidate", candidate)?;
    if control.len() + candidate.len() > EXACT_MOST && method == RankMethod::Exact {
        return Err(Undefined::NoSolution(format!(
            "the exact Mann-Whitney test is offered up to {EXACT_MOST} values: use the approximation"
        )));
    }
    let ranks = pooled(control, candidate);
    let (n, m) = (candidate.len(), control.len());
    let sum: u64 = ranks.doubled[m..].iter().sum();
    let lowest = (n * (n + 1)) as u64;
    let u = (sum - lowest) as f64 / 2.0;
    let superiority = u / (n as f64 * m as f64);
    let (p, z) = match method {
        RankMethod::Asymptotic(continuity) => approximate(&ranks, (n, m), u, continuity, side),
        RankMethod::Auto if n + m > EXACT_LIMIT => {
            approximate(&ranks, (n, m), u, Continuity::Corrected, side)
        }
        _ => (exact(&ranks, n, sum, side), None),
    };
    Ok(MannWhitney {
        method: if z.is_some() {
            "Mann-Whitney (normal approximation)"
        } else {
            "Mann-Whitney (exact)"
        },
        n_control: m,
        n_candidate: n,
        u,
        superiority,
        cliffs_delta: 2.0 * superiority - 1.0,
        z,
        p,
        side,
    })
}

/// The ranks of control and candidate together, the control first.
pub(super) fn pooled(control: &[f64], candidate: &[f64]) -> Midranks {
    let all: Vec<f64> = control.iter().chain(candidate).copied().collect();
    Midranks::of(&all, 1e-12 * sample::max_abs(&all))
}

/// The exact p value of a doubled rank sum of `n` of the ranked values.
fn exact(ranks: &Midranks, n: usize, sum: u64, side: Side) -> f64 {
    let chance = subset_sum_distribution(&ranks.doubled, n);
    let (below, above) = tails(&chance, sum as usize);
    side.p_value(above, below)
}

fn approximate(
    ranks: &Midranks,
    (n, m): (usize, usize),
    u: f64,
    continuity: Continuity,
    side: Side,
) -> (f64, Option<f64>) {
    let (n, m) = (n as f64, m as f64);
    let total = n + m;
    let variance = n * m / 12.0 * ((total + 1.0) - ranks.tie_term() / (total * (total - 1.0)));
    if variance <= 0.0 {
        // Every value is tied: nothing speaks for either arm.
        return (1.0, Some(0.0));
    }
    let step = if continuity == Continuity::Corrected {
        0.5
    } else {
        0.0
    };
    let gap = u - n * m / 2.0;
    let upper = normal::sf((gap - step) / variance.sqrt());
    let lower = normal::sf((-gap - step) / variance.sqrt());
    (side.p_value(upper, lower), Some(gap / variance.sqrt()))
}

impl Explain for MannWhitney {
    fn reading(&self) -> String {
        format!(
            "A run of the candidate beats one of the control with chance {} ({}, {}, {} against {} runs).",
            short(self.superiority),
            p_value(self.p),
            self.method,
            self.n_candidate,
            self.n_control
        )
    }
}
