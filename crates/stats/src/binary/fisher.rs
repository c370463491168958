//! Fisher's exact test of two independent proportions.

use serde::Serialize;

use crate::descriptive::sum;
use crate::dist::hypergeometric::Urn;
use crate::one_arm::Proportion;
use crate::words::p_value;
use crate::{Explain, Outcome, Side, Undefined};

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
