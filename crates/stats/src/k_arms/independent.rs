//! Overview tests of independent arms: analysis of variance, its unequal-variance form, and Kruskal-Wallis.

use serde::Serialize;

use crate::descriptive::{Moments, sum};
use crate::dist::{chi_square, fisher_f};
use crate::rank::Midranks;
use crate::sample::{self, representable};
use crate::{Explain, Outcome, Undefined};
use fairtrial_text::count::counted;
use fairtrial_text::share::p_value;

use super::arms_checked;

/// One-way analysis of variance.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OneWay {
    /// What was computed.
    pub method: &'static str,
    /// Observations per arm.
    pub n: Vec<usize>,
    /// The statistic.
    pub f: f64,
    /// Degrees of freedom between the arms.
    pub df_between: f64,
    /// Degrees of freedom within the arms.
    pub df_within: f64,
    /// Mean square within the arms: the common variance.
    pub within: f64,
    /// The p value of "one mean".
    pub p: f64,
}

/// One-way analysis of variance of independent arms with one common variance.
pub fn one_way(arms: &[&[f64]]) -> Outcome<OneWay> {
    arms_checked("analysis of variance", arms, 1)?;
    let parts: Vec<Moments> = arms.iter().map(|arm| Moments::of(arm)).collect();
    let all: Vec<f64> = arms.concat();
    let grand = Moments::of(&all);
    let (df_between, df_within) = (parts.len() as f64 - 1.0, grand.n - parts.len() as f64);
    if df_within < 1.0 {
        return Err(Undefined::TooFew {
            method: "analysis of variance".into(),
            have: all.len(),
            need: arms.len() + 1,
        });
    }
    let within = sum(parts.iter().map(|p| p.squares)) / df_within;
    if sample::is_constant(within.sqrt(), grand.max_abs) {
        return Err(Undefined::ZeroVariance {
            what: "each arm".into(),
            value: parts[0].mean,
        });
    }
    let between = sum(parts.iter().map(|p| p.n * p.minus(&grand).powi(2))) / df_between;
    let f = representable("F", between / within)?;
    Ok(OneWay {
        method: "one-way analysis of variance",
        n: arms.iter().map(|arm| arm.len()).collect(),
        f,
        df_between,
        df_within,
        within,
        p: fisher_f::sf(f, df_between, df_within),
    })
}

impl Explain for OneWay {
    fn reading(&self) -> String {
        overview("means", self.n.len(), self.p, self.method)
    }
}

fn overview(what: &str, arms: usize, p: f64, method: &str) -> String {
    let verdict = if p < 0.05 {
        "do not all have the same"
    } else {
        "show no clear difference in their"
    };
    format!(
        "The {} {verdict} {what} ({}, {method}).",
        counted(arms, "arm"),
        p_value(p)
    )
}

/// The Alexander-Govern test.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AlexanderGovern {
    /// What was computed.
    pub method: &'static str,
    /// Observations per arm.
    pub n: Vec<usize>,
    /// The statistic, a chi-square.
    pub statistic: f64,
    /// The p value of "one mean".
    pub p: f64,
}

/// Equality of means without a common variance (Alexander and Govern 1994): Welch's idea for many arms.
pub fn alexander_govern(arms: &[&[f64]]) -> Outcome<AlexanderGovern> {
    arms_checked("the Alexander-Govern test", arms, 2)?;
    let parts: Vec<Moments> = arms.iter().map(|arm| Moments::of(arm)).collect();
    if let Some(part) = parts.iter().find(|p| p.is_constant()) {
        return Err(Undefined::ZeroVariance {
            what: "an arm".into(),
            value: part.mean,
        });
    }
    let weights: Vec<f64> = parts.iter().map(|p| p.standard_error().powi(-2)).collect();
    let centre =
        sum(parts.iter().zip(&weights).map(|(p, w)| p.mean * w)) / sum(weights.iter().copied());
    let deviates = parts
        .iter()
        .map(|p| normal_deviate((p.mean - centre) / p.standard_error(), p.n - 1.0));
    let statistic = representable("the statistic", sum(deviates.map(|z| z * z)))?;
    Ok(AlexanderGovern {
        method: "Alexander-Govern",
        n: arms.iter().map(|arm| arm.len()).collect(),
        statistic,
        p: chi_square::sf(statistic, parts.len() as f64 - 1.0),
    })
}

/// The normal deviate of a t, as Alexander and Govern define it.
fn normal_deviate(t: f64, df: f64) -> f64 {
    let a = df - 0.5;
    let b = 48.0 * a * a;
    let c = (a * (t * t / df).ln_1p()).sqrt();
    c + (c.powi(3) + 3.0 * c) / b
        - (4.0 * c.powi(7) + 33.0 * c.powi(5) + 240.0 * c.powi(3) + 855.0 * c)
            / (10.0 * b * b + 8.0 * b * c.powi(4) + 1000.0 * b)
}

impl Explain for AlexanderGovern {
    fn reading(&self) -> String {
        overview("means", self.n.len(), self.p, self.method)
    }
}

/// The Kruskal-Wallis test.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Kruskal {
    /// What was computed.
    pub method: &'static str,
    /// Observations per arm.
    pub n: Vec<usize>,
    /// The statistic, corrected for ties.
    pub h: f64,
    /// The p value of "one distribution".
    pub p: f64,
}

/// The Kruskal-Wallis rank test of independent arms.
pub fn kruskal(arms: &[&[f64]]) -> Outcome<Kruskal> {
    arms_checked("the Kruskal-Wallis test", arms, 1)?;
    let all: Vec<f64> = arms.concat();
    let ranks = Midranks::of(&all, 1e-12 * sample::max_abs(&all));
    let total = all.len() as f64;
    let correction = 1.0 - ranks.tie_term() / (total * total * total - total);
    if correction.is_nan() || correction <= 0.0 {
        return Err(Undefined::ZeroVariance {
            what: "the values of all arms".into(),
            value: all[0],
        });
    }
    let mut start = 0;
    let squares = arms.iter().map(|arm| {
        let mean: f64 = ranks.doubled[start..start + arm.len()]
            .iter()
            .map(|r| *r as f64 / 2.0)
            .sum::<f64>()
            / arm.len() as f64;
        start += arm.len();
        arm.len() as f64 * (mean - f64::midpoint(total, 1.0)).powi(2)
    });
    let h = 12.0 / (total * (total + 1.0)) * sum(squares) / correction;
    Ok(Kruskal {
        method: "Kruskal-Wallis",
        n: arms.iter().map(|arm| arm.len()).collect(),
        h,
        p: chi_square::sf(h, arms.len() as f64 - 1.0),
    })
}

impl Explain for Kruskal {
    fn reading(&self) -> String {
        overview("distribution", self.n.len(), self.p, self.method)
    }
}
