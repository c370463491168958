//! Barnard's exact test: like Fisher's, but only the arms' sizes are held fixed, hence more powerful.

use serde::Serialize;

use crate::dist::ln_binomial;
use crate::one_arm::Proportion;
use crate::{Explain, Outcome, Side, Undefined};
use fairtrial_text::share::p_value;
use fairtrial_text::significant::short;

use super::unconditional::{Region, log_sum};

/// Beyond this many tables the maximum takes too long to be worth it.
const LARGEST: u64 = 1_000_000;

/// Barnard's exact test with the pooled score statistic.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Barnard {
    /// What was computed.
    pub method: &'static str,
    /// The control's counts.
    pub control: Proportion,
    /// The candidate's counts.
    pub candidate: Proportion,
    /// The p value: the largest over all common success rates.
    pub p: f64,
    /// The common success rate at which it is largest.
    pub at_rate: f64,
    /// Which deviations count; `Greater` is "the candidate succeeds more".
    pub side: Side,
}

/// Barnard's exact test of two independent proportions.
pub fn barnard(control: Proportion, candidate: Proportion, side: Side) -> Outcome<Barnard> {
    let (control, candidate) = (control.checked("control")?, candidate.checked("candidate")?);
    let tables = (control.trials + 1).saturating_mul(candidate.trials + 1);
    if tables > LARGEST {
        return Err(Undefined::NoSolution(format!(
            "Barnard's test would look at {tables} tables: use the score interval for arms of this size"
        )));
    }
    let (at_rate, p) = rejected(control, candidate, side).largest_chance();
    Ok(Barnard {
        method: "Barnard's exact test",
        control,
        candidate,
        p: p.min(1.0),
        at_rate,
        side,
    })
}

/// The tables at least as extreme, by their total number of successes.
fn rejected(control: Proportion, candidate: Proportion, side: Side) -> Region {
    let (m, n) = (control.trials, candidate.trials);
    let observed = statistic((control.successes, m), (candidate.successes, n));
    let extreme = |t: f64| match side {
        Side::Greater => t >= observed - 1e-12,
        Side::Less => t <= observed + 1e-12,
        Side::TwoSided => t.abs() >= observed.abs() - 1e-12,
    };
    let mut sums = vec![Vec::new(); (m + n + 1) as usize];
    for a in 0..=m {
        for b in (0..=n).filter(|b| extreme(statistic((a, m), (*b, n)))) {
            let log = ln_binomial(m as f64, a as f64) + ln_binomial(n as f64, b as f64);
            sums[(a + b) as usize].push(log);
        }
    }
    let log_counts: Vec<f64> = sums.iter().map(|logs| log_sum(logs)).collect();
    Region::new(&log_counts)
}

/// The pooled score statistic, candidate - control.
fn statistic((a, m): (u64, u64), (b, n): (u64, u64)) -> f64 {
    let [a, m, b, n] = [a, m, b, n].map(|x| x as f64);
    let gap = b / n - a / m;
    let pooled = (a + b) / (m + n);
    if gap == 0.0 {
        0.0
    } else {
        gap / (pooled * (1.0 - pooled) * (1.0 / m + 1.0 / n)).sqrt()
    }
}

impl Explain for Barnard {
    fn reading(&self) -> String {
        format!(
            "{} of {} against {} of {}: {} that both have one success rate, whatever it is ({}; worst at {}).",
            self.candidate.successes,
            self.candidate.trials,
            self.control.successes,
            self.control.trials,
            p_value(self.p),
            self.method,
            short(self.at_rate)
        )
    }
}
