//! Fisher's exact test of two independent proportions.

use serde::Serialize;

use crate::descriptive::sum;
use crate::dist::hypergeometric::Urn;
use crate::one_arm::Proportion;
use crate::{Explain, Outcome, Side, Undefined};
use fairtrial_text::share::p_value;

/// Beyond this many trials the sum over tables takes too long to be worth it.
const MOST_TABLES: u64 = 10_000_000;

/// Fisher's exact test.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Fisher {
    /// What was computed.
    pub method: &'static str,
    /// The control's counts.
    pub control: Proportion,
    /// The candidate's counts.
    pub candidate: Proportion,
    /// The p value of "one success rate".
    pub p: f64,
    /// Which deviations count; `Greater` is "the candidate succeeds more".
    pub side: Side,
}

/// Fisher's exact test; two-sided, it adds up every table that is at most as likely as the one observed.
pub fn fisher(control: Proportion, candidate: Proportion, side: Side) -> Outcome<Fisher> {
    let (control, candidate) = (control.checked("control")?, candidate.checked("candidate")?);
    if control.trials + candidate.trials > MOST_TABLES {
        return Err(Undefined::NoSolution(
            "Fisher's test would add up too many tables: use the Newcombe interval for arms of this size".into(),
        ));
    }
    let urn = Urn {
        total: control.trials + candidate.trials,
        marked: control.successes + candidate.successes,
        drawn: candidate.trials,
    };
    let here = candidate.successes;
    // The slack lets tables of mathematically equal chance count as equal.
    let limit = urn.pmf(here) * (1.0 + 1e-7);
    let counts = |k: u64, chance: f64| match side {
        Side::Greater => k >= here,
        Side::Less => k <= here,
        Side::TwoSided => chance <= limit,
    };
    let p = sum(urn
        .support()
        .map(|k| (k, urn.pmf(k)))
        .filter(|(k, chance)| counts(*k, *chance))
        .map(|(_, c)| c));
    Ok(Fisher {
        method: "Fisher's exact test",
        control,
        candidate,
        p: p.min(1.0),
        side,
    })
}

/// Beyond this many trials the sum over stratified tables takes too long to be worth it.
const MOST_STRATIFIED: u64 = 20_000;

/// Fisher's exact test over strata (tasks): one success rate in each of them, which need not be that of the others.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StratifiedFisher {
    /// What was computed.
    pub method: &'static str,
    /// How many strata.
    pub strata: usize,
    /// The p value of "one success rate in each stratum".
    pub p: f64,
}

/// The two-sided exact test of (control, candidate) in several strata: given the successes of each stratum, it adds up
/// every total of the candidate that is at most as likely as the one observed.
pub fn stratified_fisher(strata: &[(Proportion, Proportion)]) -> Outcome<StratifiedFisher> {
    let mut chances = vec![1.0];
    let (mut here, mut trials) = (0, 0);
    for (control, candidate) in strata {
        let (control, candidate) = (control.checked("control")?, candidate.checked("candidate")?);
        let urn = Urn {
            total: control.trials + candidate.trials,
            marked: control.successes + candidate.successes,
            drawn: candidate.trials,
        };
        trials += urn.total;
        if trials > MOST_STRATIFIED {
            return Err(Undefined::NoSolution(
                "the stratified exact test would add up too many tables".into(),
            ));
        }
        let support = urn.support();
        here += candidate.successes - support.start();
        let own: Vec<f64> = support.map(|k| urn.pmf(k)).collect();
        chances = convolved(&chances, &own);
    }
    if strata.is_empty() {
        return Err(Undefined::Empty {
            what: "the strata".into(),
        });
    }
    let limit = chances[here as usize] * (1.0 + 1e-7);
    let p = sum(chances.into_iter().filter(|chance| *chance <= limit));
    Ok(StratifiedFisher {
        method: "stratified exact test",
        strata: strata.len(),
        p: p.min(1.0),
    })
}

/// The distribution of a sum of two independent counts.
fn convolved(a: &[f64], b: &[f64]) -> Vec<f64> {
    let mut out = vec![0.0; a.len() + b.len() - 1];
    for (i, x) in a.iter().enumerate() {
        for (j, y) in b.iter().enumerate() {
            out[i + j] += x * y;
        }
    }
    out
}

impl Explain for StratifiedFisher {
    fn reading(&self) -> String {
        format!(
            "{} that both arms have one success rate in each of the {} strata ({}).",
            p_value(self.p),
            self.strata,
            self.method
        )
    }
}

impl Explain for Fisher {
    fn reading(&self) -> String {
        format!(
            "{} of {} against {} of {}: {} that both have one success rate ({}).",
            self.candidate.successes,
            self.candidate.trials,
            self.control.successes,
            self.control.trials,
            p_value(self.p),
            self.method
        )
    }
}
