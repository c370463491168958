//! Where the noise comes from: variance between groups and within them, by one-way analysis of variance.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::descriptive::{Moments, sum};
use crate::sample::{self, representable};
use crate::{Explain, Outcome, Undefined};
use fairtrial_text::count::counted;
use fairtrial_text::significant::short;

/// Between- and within-group variance of grouped observations.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct VarianceComponents {
    /// What was computed.
    pub method: &'static str,
    /// Observations.
    pub n: usize,
    /// Groups.
    pub groups: usize,
    /// The group size that an unbalanced design is worth.
    pub effective_group_size: f64,
    /// Variance between the groups' true means; a negative estimate is set to 0.
    pub between: f64,
    /// Variance within groups.
    pub within: f64,
    /// The moment estimate of the intraclass correlation; may be slightly negative by chance.
    pub icc: f64,
    /// `1 + (group size - 1) icc`, with a negative icc taken as 0.
    pub design_effect: f64,
    /// Whether the between-group variance came out negative and was set to 0.
    pub between_set_to_zero: bool,
}

/// One-way variance components of grouped observations.
pub fn variance_components<K: Ord>(values: &[f64], groups: &[K]) -> Outcome<VarianceComponents> {
    if values.len() != groups.len() {
        return Err(Undefined::UnequalLengths {
            left: values.len(),
            right: groups.len(),
        });
    }
    sample::finite("the observations", values)?;
    let grouped = collect(values, groups);
    let (n, g) = (values.len() as f64, grouped.len() as f64);
    if grouped.len() < 2 {
        return Err(Undefined::TooFew {
            method: "variance components (groups)".into(),
            have: grouped.len(),
            need: 2,
        });
    }
    if grouped.len() == values.len() {
        return Err(Undefined::TooFew {
            method: "variance components (observations in some group)".into(),
            have: 1,
            need: 2,
        });
    }
    let grand = Moments::of(values);
    let parts: Vec<Moments> = grouped.iter().map(|xs| Moments::of(xs)).collect();
    let within = sum(parts.iter().map(|p| p.squares)) / (n - g);
    let mean_square_between =
        sum(parts.iter().map(|p| p.n * (p.mean - grand.mean).powi(2))) / (g - 1.0);
    let effective = (n - sum(parts.iter().map(|p| p.n * p.n)) / n) / (g - 1.0);
    let between = (mean_square_between - within) / effective;
    if grand.is_constant() {
        return Err(Undefined::ZeroVariance {
            what: "the observations".into(),
            value: grand.mean,
        });
    }
    let icc = representable("the intraclass correlation", between / (between + within))?;
    Ok(VarianceComponents {
        method: "one-way analysis of variance",
        n: values.len(),
        groups: grouped.len(),
        effective_group_size: effective,
        between: representable("the variance between groups", between.max(0.0))?,
        within: representable("the variance within groups", within)?,
        icc,
        design_effect: 1.0 + (effective - 1.0) * icc.max(0.0),
        between_set_to_zero: between < 0.0,
    })
}

/// The values of each group, groups in key order.
pub(crate) fn collect<K: Ord>(values: &[f64], groups: &[K]) -> Vec<Vec<f64>> {
    let mut map: BTreeMap<&K, Vec<f64>> = BTreeMap::new();
    for (value, key) in values.iter().zip(groups) {
        map.entry(key).or_default().push(*value);
    }
    map.into_values().collect()
}

impl Explain for VarianceComponents {
    fn reading(&self) -> String {
        let share = 100.0 * self.icc.max(0.0);
        let advice = if share > 50.0 {
            "more groups help more than more observations per group"
        } else {
            "more observations per group help too"
        };
        format!(
            "{} % of the variance of one observation lies between the {} ({}): {advice}.",
            short(share),
            counted(self.groups, "group"),
            counted(self.n, "observation"),
        )
    }
}
