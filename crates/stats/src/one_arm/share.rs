//! The share of passes where outcomes come in groups: rollouts of one task, settings under one seed.
//!
//! A t interval of such a mean leaves [0, 1], has no width where all passed, and near the ends covers far less than it
//! says: of 10 groups at a share of 0.95 it held the truth in 50 to 94 % (simulated, at 95 %). Wilson's form with the
//! effective number of outcomes held it in 96 % or more.

use serde::Serialize;

use super::clustered::clustered_mean;
use super::proportion::{Proportion, ProportionMethod, proportion_interval};
use crate::dist::student_t;
use crate::sample::representable;
use crate::{Explain, Interval, Level, Outcome, Undefined};
use fairtrial_text::count::counted;
use fairtrial_text::significant::short;

/// A share with its interval over groups.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ShareInterval {
    /// What was computed.
    pub method: &'static str,
    /// Groups: the real sample size.
    pub groups: usize,
    /// The share of passes over all outcomes.
    pub estimate: f64,
    /// The number of independent outcomes that would say as much.
    pub effective: f64,
    /// The interval, inside [0, 1].
    pub interval: Interval,
}

/// The share of passes where each unit is one outcome, or the share of passes among its own.
pub fn share_interval(units: &[f64], level: Level) -> Outcome<ShareInterval> {
    let places: Vec<usize> = (0..units.len()).collect();
    clustered_share(units, &places, level)
}

/// The share of passes of outcomes (or of shares) in groups.
///
/// Single outcomes have Wilson's interval. In groups, it is Wilson's with p (1 - p) / se² outcomes, se being the
/// cluster-robust standard error, and the quantile of t with groups - 1 degrees of freedom (Korn and Graubard 1998,
/// Franco and others 2019). Where every outcome is the same, each group counts as one.
pub fn clustered_share<K: Ord>(
    values: &[f64],
    groups: &[K],
    level: Level,
) -> Outcome<ShareInterval> {
    if let Some(value) = values.iter().find(|value| !(0.0..=1.0).contains(*value)) {
        return Err(Undefined::BadArgument {
            name: "a share".into(),
            value: *value,
            expected: "between 0 and 1".into(),
        });
    }
    let mut different: Vec<&K> = groups.iter().collect();
    different.sort();
    different.dedup();
    let all = |end: f64| values.iter().all(|value| *value == end);
    let outcomes = values.iter().all(|value| *value == 0.0 || *value == 1.0);
    if all(0.0) || all(1.0) || (outcomes && different.len() == values.len()) {
        let passed = values.iter().filter(|value| **value == 1.0).count();
        return plain(passed.min(different.len()), different.len(), level);
    }
    let mean = clustered_mean(values, groups, level)?;
    let effective = representable(
        "the effective number of outcomes",
        mean.mean * (1.0 - mean.mean) / mean.standard_error.powi(2),
    )?;
    let end = |share: f64, tail: Option<f64>| {
        tail.map_or(0.0, |tail| {
            lower_end(share, effective, student_t::inverse_sf(tail, mean.df))
        })
    };
    Ok(ShareInterval {
        method: "Wilson, effective number of outcomes",
        groups: mean.clusters,
        estimate: mean.mean,
        effective,
        interval: Interval {
            low: end(mean.mean, level.lower_tail()).clamp(0.0, 1.0),
            high: (1.0 - end(1.0 - mean.mean, level.upper_tail())).clamp(0.0, 1.0),
            level,
        },
    })
}

fn plain(passed: usize, groups: usize, level: Level) -> Outcome<ShareInterval> {
    let counts = Proportion {
        successes: passed as u64,
        trials: groups as u64,
    };
    let found = proportion_interval(counts, ProportionMethod::Wilson, level)?;
    Ok(ShareInterval {
        method: found.method.name(),
        groups,
        estimate: found.estimate,
        effective: groups as f64,
        interval: found.interval,
    })
}

/// The smaller root of (share - x)² = q² x (1 - x) / n; the upper end is the mirror image.
fn lower_end(share: f64, n: f64, q: f64) -> f64 {
    let spread = q * (n * share * (1.0 - share) + q * q / 4.0).sqrt();
    (n * share + q * q / 2.0 - spread) / (n + q * q)
}

impl Explain for ShareInterval {
    fn reading(&self) -> String {
        format!(
            "{} % of the outcomes in {} passed ({}, {}).",
            short(100.0 * self.estimate),
            counted(self.groups, "group"),
            self.interval.map(|x| 100.0 * x).words(),
            self.method
        )
    }
}
