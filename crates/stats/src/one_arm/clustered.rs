//! A mean of items that come in groups (questions of one passage, rollouts of one task).
//!
//! Items of one group resemble each other, so that treating them as independent makes the error bar too small.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::descriptive::{Moments, sum};
use crate::dist::student_t;
use crate::sample::{self, representable};
use crate::variance_components::{VarianceComponents, variance_components};
use crate::{Explain, Interval, Level, Outcome, Undefined};
use fairtrial_text::count::counted;
use fairtrial_text::significant::short;

/// A mean with a cluster-robust standard error.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClusteredMean {
    /// What was computed.
    pub method: &'static str,
    /// Items.
    pub n: usize,
    /// Groups: the real sample size.
    pub clusters: usize,
    /// The mean over all items.
    pub mean: f64,
    /// Cluster-robust standard error with the CR1 correction.
    pub standard_error: f64,
    /// The same without a small-sample correction (Miller 2024).
    pub uncorrected_standard_error: f64,
    /// The standard error that pretends that the items are independent.
    pub naive_standard_error: f64,
    /// How many times the variance of the mean exceeds the naive one.
    pub design_effect: f64,
    /// Between- and within-group variance, where there is more than one item in some group.
    pub components: Option<VarianceComponents>,
    /// Degrees of freedom: groups - 1.
    pub df: f64,
    /// The interval.
    pub interval: Interval,
    /// Fewer than 10 groups: the standard error itself is badly known.
    pub few_clusters: bool,
}

/// The mean of clustered items: CR1 standard error, t interval with groups - 1 degrees of freedom.
pub fn clustered_mean<K: Ord>(
    values: &[f64],
    clusters: &[K],
    level: Level,
) -> Outcome<ClusteredMean> {
    let level = level.checked()?;
    if values.len() != clusters.len() {
        return Err(Undefined::UnequalLengths {
            left: values.len(),
            right: clusters.len(),
        });
    }
    sample::at_least("a clustered interval", "the items", values, 2)?;
    let moments = Moments::of(values);
    let groups = residual_sums(values, clusters, moments.mean);
    let g = groups.len() as f64;
    if groups.len() < 2 {
        return Err(Undefined::TooFew {
            method: "a clustered interval (groups)".into(),
            have: groups.len(),
            need: 2,
        });
    }
    if moments.is_constant() {
        return Err(Undefined::ZeroVariance {
            what: "the items".into(),
            value: moments.mean,
        });
    }
    let uncorrected = representable(
        "the clustered standard error",
        sum(groups.iter().map(|r| r * r)).sqrt() / moments.n,
    )?;
    let standard_error = uncorrected * (g / (g - 1.0)).sqrt();
    if sample::is_constant(standard_error, moments.max_abs) {
        return Err(Undefined::ZeroVariance {
            what: "the group totals".into(),
            value: moments.mean,
        });
    }
    let naive = moments.standard_error();
    let df = g - 1.0;
    let interval = Interval::around(moments.mean, standard_error, level, |tail| {
        student_t::inverse_sf(tail, df)
    });
    Ok(ClusteredMean {
        method: "cluster-robust mean (CR1), t interval with groups - 1 degrees of freedom",
        n: values.len(),
        clusters: groups.len(),
        mean: moments.mean,
        standard_error,
        uncorrected_standard_error: uncorrected,
        naive_standard_error: naive,
        design_effect: representable("the design effect", (standard_error / naive).powi(2))?,
        components: variance_components(values, clusters).ok(),
        df,
        interval: interval.representable()?,
        few_clusters: groups.len() < 10,
    })
}

/// The sum of deviations from the mean, per group.
fn residual_sums<K: Ord>(values: &[f64], clusters: &[K], mean: f64) -> Vec<f64> {
    let mut groups: BTreeMap<&K, Vec<f64>> = BTreeMap::new();
    for (value, key) in values.iter().zip(clusters) {
        groups.entry(key).or_default().push(value - mean);
    }
    groups.into_values().map(sum).collect()
}

impl Explain for ClusteredMean {
    fn reading(&self) -> String {
        let warn = if self.few_clusters {
            " With fewer than 10 groups the interval itself is uncertain."
        } else {
            ""
        };
        format!(
            "The mean of {} in {} is {} ({}); grouping makes its variance {} times the naive one.{warn}",
            counted(self.n, "item"),
            counted(self.clusters, "group"),
            short(self.mean),
            self.interval.words(),
            short(self.design_effect),
        )
    }
}
