//! Levene's test of equal variances, around the mean or the median (Brown-Forsythe).

use serde::Serialize;

use super::one_way::one_way;
use crate::descriptive::{Moments, median};
use crate::sample;
use crate::{Explain, Outcome, Undefined};
use fairtrial_text::share::p_value;

/// What the deviations are measured from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Default)]
#[serde(rename_all = "kebab-case")]
pub enum Centre {
    /// The median: robust, the usual choice today.
    #[default]
    Median,
    /// The mean: Levene's original.
    Mean,
}

/// Levene's test.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Levene {
    /// What was computed.
    pub method: &'static str,
    /// Observations per arm.
    pub n: Vec<usize>,
    /// The statistic, an F.
    pub statistic: f64,
    /// The p value of "equal variances".
    pub p: f64,
}

/// Tests whether the arms have one variance.
pub fn levene(arms: &[&[f64]], centre: Centre) -> Outcome<Levene> {
    for arm in arms {
        sample::at_least("Levene's test", "an arm", arm, 2)?;
    }
    let deviations: Vec<Vec<f64>> = arms
        .iter()
        .map(|arm| deviations(arm, centre))
        .collect::<Outcome<_>>()?;
    let slices: Vec<&[f64]> = deviations.iter().map(Vec::as_slice).collect();
    let found = one_way(&slices).map_err(|reason| match reason {
        Undefined::ZeroVariance { value, .. } => Undefined::ZeroVariance {
            what: "the size of the deviations within the arms".into(),
            value,
        },
        other => other,
    })?;
    Ok(Levene {
        method: match centre {
            Centre::Median => "Levene around the median (Brown-Forsythe)",
            Centre::Mean => "Levene around the mean",
        },
        n: arms.iter().map(|arm| arm.len()).collect(),
        statistic: found.f,
        p: found.p,
    })
}

fn deviations(arm: &[f64], centre: Centre) -> Outcome<Vec<f64>> {
    let middle = match centre {
        Centre::Median => median(arm)?,
        Centre::Mean => Moments::of(arm).mean,
    };
    Ok(arm.iter().map(|x| (x - middle).abs()).collect())
}

impl Explain for Levene {
    fn reading(&self) -> String {
        let verdict = if self.p < 0.05 {
            "differ in spread"
        } else {
            "show no clear difference in spread"
        };
        format!("The arms {verdict} ({}, {}).", self.method, p_value(self.p))
    }
}
