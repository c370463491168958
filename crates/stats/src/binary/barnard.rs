//! Barnard's exact test: like Fisher's, but only the arms' sizes are held fixed, hence more powerful.

use serde::Serialize;

use crate::dist::ln_binomial;
use crate::one_arm::Proportion;
use crate::words::{number, p_value};
use crate::{Explain, Outcome, Side, Undefined};

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
    let rejected = Rejected::new(control, candidate, side);
    let (at_rate, p) = rejected.largest_chance();
    Ok(Barnard {
        method: "Barnard's exact test",
        control,
        candidate,
        p: p.min(1.0),
        at_rate,
        side,
    })
}

/// The tables at least as extreme, added up by their total number of successes.
struct Rejected {
    /// Logarithm of the number of arrangements, by total successes.
    log_counts: Vec<f64>,
}

impl Rejected {
    fn new(control: Proportion, candidate: Proportion, side: Side) -> Self {
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
        Self {
            log_counts: sums.iter().map(|logs| log_sum(logs)).collect(),
        }
    }

    fn chance(&self, rate: f64) -> f64 {
        let last = self.log_counts.len() - 1;
        let term = |(k, log): (usize, &f64)| {
            if *log == f64::NEG_INFINITY {
                return 0.0;
            }
            (log + k as f64 * rate.ln() + (last - k) as f64 * (-rate).ln_1p()).exp()
        };
        self.log_counts.iter().enumerate().map(term).sum()
    }

    /// The maximum over the common rate: a grid, then a golden-section search around its best points.
    fn largest_chance(&self) -> (f64, f64) {
        const GRID: u32 = 512;
        let at = |i: u32| f64::from(i) / f64::from(GRID);
        let values: Vec<f64> = (1..GRID).map(|i| self.chance(at(i))).collect();
        let value = |i: usize| values.get(i).copied().unwrap_or(0.0);
        let peaks = (0..values.len())
            .filter(|i| value(*i) >= value(i + 1) && (*i == 0 || value(*i) >= value(i - 1)))
            .map(|i| i as u32 + 1);
        peaks.map(|i| self.refine(at(i - 1), at(i + 1))).fold(
            (0.5, self.chance(0.5)),
            |best, new| {
                if new.1 > best.1 { new } else { best }
            },
        )
    }

    fn refine(&self, lo: f64, hi: f64) -> (f64, f64) {
        const GOLDEN: f64 = 0.618_033_988_749_894_9;
        let (mut lo, mut hi) = (lo.max(1e-12), hi.min(1.0 - 1e-12));
        for _ in 0..60 {
            let (a, b) = (hi - GOLDEN * (hi - lo), lo + GOLDEN * (hi - lo));
            if self.chance(a) < self.chance(b) {
                lo = a;
            } else {
                hi = b;
            }
        }
        let rate = 0.5 * (lo + hi);
        (rate, self.chance(rate))
    }
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

fn log_sum(logs: &[f64]) -> f64 {
    let top = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if top == f64::NEG_INFINITY {
        top
    } else {
        top + logs.iter().map(|l| (l - top).exp()).sum::<f64>().ln()
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
            number(self.at_rate)
        )
    }
}
