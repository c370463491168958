//! Intervals for the difference of two paired proportions: Tango's score interval and Bonett-Price.

use serde::Serialize;

use crate::dist::{increasing_root, normal};
use crate::{Explain, Interval, Level, Outcome};
use fairtrial_text::count::counted;
use fairtrial_text::significant::short;

use super::paired::PairedCounts;

/// How the interval is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Default)]
#[serde(rename_all = "kebab-case")]
pub enum PairedDifferenceMethod {
    /// Tango (1998): inverts the score test; finite even without any disagreement.
    #[default]
    Tango,
    /// Bonett and Price (2012): Wald after adding one to both disagreements.
    BonettPrice,
}

impl PairedDifferenceMethod {
    /// The name a report shows.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tango => "Tango score interval",
            Self::BonettPrice => "Bonett-Price interval",
        }
    }
}

/// The difference of two paired proportions with its interval.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PairedDifference {
    /// What was computed.
    pub method: PairedDifferenceMethod,
    /// The counts.
    pub counts: PairedCounts,
    /// Share passed by the candidate minus share passed by the control.
    pub estimate: f64,
    /// The interval, inside [-1, 1].
    pub interval: Interval,
}

/// The difference of the pass rates on the same tasks, candidate - control.
pub fn paired_proportion_difference(
    counts: PairedCounts,
    method: PairedDifferenceMethod,
    level: Level,
) -> Outcome<PairedDifference> {
    let level = level.checked()?;
    let counts = counts.checked()?;
    let (low, high) = match method {
        PairedDifferenceMethod::Tango => (
            level
                .lower_tail()
                .map_or(-1.0, |tail| tango_end(&counts, normal::inverse_sf(tail))),
            level
                .upper_tail()
                .map_or(1.0, |tail| tango_end(&counts, -normal::inverse_sf(tail))),
        ),
        PairedDifferenceMethod::BonettPrice => {
            let end =
                |tail: f64, sign: f64| bonett_price_end(&counts, sign * normal::inverse_sf(tail));
            (
                level.lower_tail().map_or(-1.0, |tail| end(tail, -1.0)),
                level.upper_tail().map_or(1.0, |tail| end(tail, 1.0)),
            )
        }
    };
    Ok(PairedDifference {
        method,
        counts,
        estimate: counts.difference(),
        interval: Interval { low, high, level },
    })
}

/// The difference at which the score statistic equals `z`.
fn tango_end(counts: &PairedCounts, z: f64) -> f64 {
    let n = counts.total() as f64;
    // No disagreement (and the extreme tables at their far end) have closed forms that the root only approaches.
    if z < 0.0 && counts.candidate_only == counts.total() {
        return 1.0;
    }
    if z > 0.0 && counts.control_only == counts.total() {
        return -1.0;
    }
    if counts.discordant() == 0 {
        return -z * z.abs() / (n + z * z);
    }
    // The statistic falls as the difference grows.
    increasing_root(-1.0, 1.0, |delta| (z - score(counts, delta), f64::NAN)).clamp(-1.0, 1.0)
}

/// Tango's score statistic at a hypothetical difference.
fn score(counts: &PairedCounts, delta: f64) -> f64 {
    let [n, b, c] = [counts.total(), counts.candidate_only, counts.control_only].map(|x| x as f64);
    let linear = (2.0 * n - b + c) * delta - b - c;
    let constant = -c * delta * (1.0 - delta);
    // The share of "only the control passes" that fits best under this difference.
    let q = ((linear * linear - 8.0 * n * constant).max(0.0).sqrt() - linear) / (4.0 * n);
    let variance = n * (2.0 * q + delta * (1.0 - delta));
    let gap = b - c - n * delta;
    if gap == 0.0 {
        0.0
    } else {
        gap / variance.max(0.0).sqrt()
    }
}

fn bonett_price_end(counts: &PairedCounts, z: f64) -> f64 {
    let n = counts.total() as f64 + 2.0;
    let (p, q) = (
        (counts.candidate_only as f64 + 1.0) / n,
        (counts.control_only as f64 + 1.0) / n,
    );
    (p - q + z * ((p + q - (p - q).powi(2)) / n).sqrt()).clamp(-1.0, 1.0)
}

impl Explain for PairedDifference {
    fn reading(&self) -> String {
        format!(
            "The candidate passes {} percentage points {} than the control ({}; {}, {}).",
            short(100.0 * self.estimate.abs()),
            if self.estimate < 0.0 { "less" } else { "more" },
            self.interval.map(|x| 100.0 * x).words(),
            self.method.name(),
            counted(self.counts.total() as usize, "task")
        )
    }
}
