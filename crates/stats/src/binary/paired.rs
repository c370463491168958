//! McNemar's test: only the tasks on which the arms disagree say which one is better.

use serde::Serialize;

use crate::dist::{binomial, chi_square, ln_binomial};
use crate::one_arm::MOST_TRIALS;
use crate::rank::Continuity;
use crate::{Explain, Outcome, Side, Undefined};
use fairtrial_text::count::counted;
use fairtrial_text::share::p_value;

use super::unconditional::Region;

/// Beyond this many tasks the maximum takes too long to be worth it, and the exact test is hardly timid any more.
const MOST_UNCONDITIONAL: u64 = 1_000;

/// The four outcomes of tasks that both arms tried once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct PairedCounts {
    /// Both arms passed.
    pub both_pass: u64,
    /// Only the candidate passed.
    pub candidate_only: u64,
    /// Only the control passed.
    pub control_only: u64,
    /// Both failed.
    pub both_fail: u64,
}

impl PairedCounts {
    /// Counts pairs of (control, candidate) outcomes.
    pub fn from_pairs(pairs: impl IntoIterator<Item = (bool, bool)>) -> Self {
        let mut counts = Self {
            both_pass: 0,
            candidate_only: 0,
            control_only: 0,
            both_fail: 0,
        };
        for pair in pairs {
            match pair {
                (true, true) => counts.both_pass += 1,
                (false, true) => counts.candidate_only += 1,
                (true, false) => counts.control_only += 1,
                (false, false) => counts.both_fail += 1,
            }
        }
        counts
    }

    /// All tasks.
    pub fn total(&self) -> u64 {
        self.both_pass
            .saturating_add(self.both_fail)
            .saturating_add(self.discordant())
    }

    /// Tasks on which the arms disagree.
    pub fn discordant(&self) -> u64 {
        self.candidate_only.saturating_add(self.control_only)
    }

    /// Share passed by the candidate minus share passed by the control.
    pub fn difference(&self) -> f64 {
        (self.candidate_only as f64 - self.control_only as f64) / self.total() as f64
    }

    pub(super) fn checked(self) -> Outcome<Self> {
        if self.total() == 0 {
            return Err(Undefined::Empty {
                what: "the tasks".into(),
            });
        }
        if self.total() > MOST_TRIALS {
            return Err(Undefined::BadArgument {
                name: "tasks".into(),
                value: self.total() as f64,
                expected: "at most 2^50".into(),
            });
        }
        Ok(self)
    }
}

/// How McNemar's p value is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Default)]
#[serde(rename_all = "kebab-case")]
pub enum McNemarMethod {
    /// The mid-p test: close to its level even with few disagreements; the default.
    #[default]
    MidP,
    /// The exact binomial test: never above its level, hence timid.
    Exact,
    /// Suissa and Shuster (1985), two-sided only: the score statistic's chance at the rate of disagreement that makes it
    /// largest. Never above its level either, and less timid.
    Unconditional,
    /// The chi-square approximation, two-sided only.
    ChiSquare(Continuity),
}

/// McNemar's test.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct McNemar {
    /// What was computed.
    pub method: &'static str,
    /// The counts.
    pub counts: PairedCounts,
    /// The chi-square statistic, in the approximation.
    pub statistic: Option<f64>,
    /// The p value of "each arm is as likely to be the only one that passes".
    pub p: f64,
    /// Which deviations count; `Greater` is "the candidate passes more".
    pub side: Side,
}

/// McNemar's test of paired pass/fail outcomes. Without any disagreement there is no evidence: p is 1.
pub fn mcnemar(counts: PairedCounts, method: McNemarMethod, side: Side) -> Outcome<McNemar> {
    let counts = counts.checked()?;
    let (name, statistic, p) = match method {
        McNemarMethod::Exact => ("McNemar (exact)", None, exact(&counts, side)),
        McNemarMethod::MidP => ("McNemar (mid-p)", None, mid_p(&counts, side)),
        McNemarMethod::Unconditional => (
            "McNemar (unconditional exact)",
            None,
            unconditional(&counts, side)?,
        ),
        McNemarMethod::ChiSquare(continuity) => {
            let statistic = chi_square_statistic(&counts, continuity, side)?;
            (
                "McNemar (chi-square)",
                Some(statistic),
                chi_square::sf(statistic, 1.0),
            )
        }
    };
    Ok(McNemar {
        method: name,
        counts,
        statistic,
        p,
        side,
    })
}

/// Chances of at least and of at most this many wins of the candidate among the disagreements.
fn win_tails(counts: &PairedCounts) -> (f64, f64) {
    let (wins, n) = (counts.candidate_only, counts.discordant());
    let at_least = if wins == 0 {
        1.0
    } else {
        binomial::sf(wins - 1, n, 0.5)
    };
    (at_least, binomial::cdf(wins, n, 0.5))
}

fn exact(counts: &PairedCounts, side: Side) -> f64 {
    let (above, below) = win_tails(counts);
    side.p_value(above, below)
}

fn mid_p(counts: &PairedCounts, side: Side) -> f64 {
    if counts.discordant() == 0 {
        return 1.0;
    }
    let here = binomial::pmf(counts.candidate_only, counts.discordant(), 0.5);
    if side == Side::TwoSided && counts.candidate_only == counts.control_only {
        // Fagerland, Lydersen and Laake (2013): a draw is not worth a full 1.
        return 1.0 - 0.5 * here;
    }
    let (above, below) = win_tails(counts);
    side.p_value(above - 0.5 * here, below - 0.5 * here)
}

fn unconditional(counts: &PairedCounts, side: Side) -> Outcome<f64> {
    if side != Side::TwoSided {
        return Err(Undefined::NoSolution(
            "the unconditional form of McNemar's test is two-sided only".into(),
        ));
    }
    let n = counts.total();
    if n > MOST_UNCONDITIONAL {
        return Err(Undefined::NoSolution(format!(
            "the unconditional form of McNemar's test takes too long for {n} tasks: use the exact one"
        )));
    }
    let gap = counts.candidate_only.abs_diff(counts.control_only);
    if gap == 0 {
        return Ok(1.0);
    }
    // Of m disagreements, a gap of d is as extreme where d^2 / m is at least what was seen: whole numbers compare exactly.
    let is_extreme = |d: u64, m: u64| d * d * counts.discordant() >= gap * gap * m;
    let log_count = |m: u64| {
        let least = (0..=m).find(|d| (m - d).is_multiple_of(2) && m > 0 && is_extreme(*d, m));
        least.map_or(f64::NEG_INFINITY, |d| {
            let tail = binomial::sf(u64::midpoint(m, d) - 1, m, 0.5);
            ln_binomial(n as f64, m as f64) + (2.0 * tail).ln()
        })
    };
    let log_counts: Vec<f64> = (0..=n).map(log_count).collect();
    Ok(Region::new(&log_counts).largest_chance().1.min(1.0))
}

fn chi_square_statistic(counts: &PairedCounts, continuity: Continuity, side: Side) -> Outcome<f64> {
    if counts.discordant() == 0 {
        return Err(Undefined::NoSolution(
            "the arms agree on every task: the chi-square statistic is 0 / 0".into(),
        ));
    }
    if side != Side::TwoSided {
        return Err(Undefined::NoSolution(
            "the chi-square form of McNemar's test is two-sided only".into(),
        ));
    }
    let gap = counts.candidate_only.abs_diff(counts.control_only) as f64;
    let step = if continuity == Continuity::Corrected {
        1.0
    } else {
        0.0
    };
    Ok((gap - step).powi(2) / counts.discordant() as f64)
}

impl Explain for McNemar {
    fn reading(&self) -> String {
        let counts = &self.counts;
        format!(
            "Of {}, the arms disagree on {}: the candidate alone passed {}, the control alone {} ({}, {}).",
            counted(counts.total() as usize, "task"),
            counts.discordant(),
            counts.candidate_only,
            counts.control_only,
            p_value(self.p),
            self.method
        )
    }
}
