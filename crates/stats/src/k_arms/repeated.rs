//! Overview tests of arms that ran on the same seeds: Friedman with Iman-Davenport, repeated-measures ANOVA.

use serde::Serialize;

use crate::descriptive::{Moments, sum};
use crate::dist::{chi_square, fisher_f};
use crate::rank::Midranks;
use crate::sample::{self, representable};
use crate::{Explain, Outcome, Undefined};
use fairtrial_text::count::counted;
use fairtrial_text::share::p_value;
use fairtrial_text::significant::short;

/// The Friedman test.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Friedman {
    /// What was computed.
    pub method: &'static str,
    /// Seeds (blocks).
    pub blocks: usize,
    /// Arms.
    pub arms: usize,
    /// The chi-square statistic, corrected for ties.
    pub chi_square: f64,
    /// Its p value.
    pub p: f64,
    /// Iman and Davenport's F, less timid than the chi-square; absent where every seed ranks the arms alike.
    pub iman_davenport_f: Option<f64>,
    /// Its p value.
    pub iman_davenport_p: Option<f64>,
    /// Mean rank of each arm; 1 is the best, higher values are better.
    pub mean_ranks: Vec<f64>,
}

/// Checks a table of blocks (rows) by arms (columns) and returns the number of arms.
fn table(method: &str, rows: &[Vec<f64>], arms_needed: usize) -> Outcome<usize> {
    let Some(first) = rows.first() else {
        return Err(Undefined::Empty {
            what: "the table of seeds".into(),
        });
    };
    for row in rows {
        if row.len() != first.len() {
            return Err(Undefined::UnequalLengths {
                left: first.len(),
                right: row.len(),
            });
        }
        sample::at_least(
            &format!("{method} (arms)"),
            "a seed's row",
            row,
            arms_needed,
        )?;
    }
    if rows.len() < 2 {
        return Err(Undefined::TooFew {
            method: format!("{method} (seeds)"),
            have: rows.len(),
            need: 2,
        });
    }
    Ok(first.len())
}

/// The Friedman test of arms that ran on the same seeds; each row holds one seed's values, one per arm.
pub fn friedman(rows: &[Vec<f64>]) -> Outcome<Friedman> {
    let arms = table("the Friedman test", rows, 3)?;
    let ranks: Vec<Midranks> = rows
        .iter()
        .map(|row| Midranks::of(row, 1e-12 * sample::max_abs(row)))
        .collect();
    let (n, k) = (rows.len() as f64, arms as f64);
    let rank_sum = |arm: usize| {
        ranks
            .iter()
            .map(|r| r.doubled[arm] as f64 / 2.0)
            .sum::<f64>()
    };
    let sums: Vec<f64> = (0..arms).map(rank_sum).collect();
    let correction =
        1.0 - ranks.iter().map(Midranks::tie_term).sum::<f64>() / (k * (k * k - 1.0) * n);
    if correction <= 0.0 {
        return Err(Undefined::ZeroVariance {
            what: "the arms within each seed".into(),
            value: rows[0][0],
        });
    }
    let squares: f64 = sums.iter().map(|s| s * s).sum();
    let statistic = (12.0 / (k * n * (k + 1.0)) * squares - 3.0 * n * (k + 1.0)) / correction;
    let rest = n * (k - 1.0) - statistic;
    let f = (rest > 1e-9 * n * k).then(|| (n - 1.0) * statistic / rest);
    Ok(Friedman {
        method: "Friedman with Iman-Davenport",
        blocks: rows.len(),
        arms,
        chi_square: statistic,
        p: chi_square::sf(statistic, k - 1.0),
        iman_davenport_f: f,
        iman_davenport_p: f.map(|f| fisher_f::sf(f, k - 1.0, (k - 1.0) * (n - 1.0))),
        // Ranks count from the smallest; mirrored, 1 is the best.
        mean_ranks: sums.iter().map(|s| k + 1.0 - s / n).collect(),
    })
}

impl Explain for Friedman {
    fn reading(&self) -> String {
        let p = self.iman_davenport_p.unwrap_or(self.p);
        let verdict = if p < 0.05 {
            "do not rank alike"
        } else {
            "show no clear order"
        };
        let ranks: Vec<String> = self.mean_ranks.iter().map(|r| short(*r)).collect();
        format!(
            "Over {} the {} {verdict} ({}, {}); mean ranks {} (1 is the best).",
            counted(self.blocks, "seed"),
            counted(self.arms, "arm"),
            p_value(p),
            self.method,
            ranks.join(", ")
        )
    }
}

/// Repeated-measures analysis of variance.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RepeatedMeasures {
    /// What was computed.
    pub method: &'static str,
    /// Seeds (blocks).
    pub blocks: usize,
    /// Arms.
    pub arms: usize,
    /// The statistic.
    pub f: f64,
    /// Degrees of freedom of the arms.
    pub df_arms: f64,
    /// Degrees of freedom of the error.
    pub df_error: f64,
    /// The p value of "one mean", assuming sphericity.
    pub p: f64,
}

/// Repeated-measures analysis of variance; each row holds one seed's values, one per arm.
pub fn repeated_measures(rows: &[Vec<f64>]) -> Outcome<RepeatedMeasures> {
    let arms = table("repeated-measures analysis of variance", rows, 2)?;
    let all: Vec<f64> = rows.concat();
    let grand = Moments::of(&all);
    let (n, k) = (rows.len() as f64, arms as f64);
    let row_effects: Vec<f64> = rows
        .iter()
        .map(|row| Moments::of(row).mean - grand.mean)
        .collect();
    let arm_effects: Vec<f64> = (0..arms)
        .map(|arm| {
            Moments::of(&rows.iter().map(|row| row[arm]).collect::<Vec<_>>()).mean - grand.mean
        })
        .collect();
    let between = n * sum(arm_effects.iter().map(|e| e * e)) / (k - 1.0);
    let residuals = rows.iter().zip(&row_effects).flat_map(|(row, r)| {
        row.iter()
            .zip(&arm_effects)
            .map(move |(x, a)| (x - grand.mean - r - a).powi(2))
    });
    let df_error = (n - 1.0) * (k - 1.0);
    let error = sum(residuals) / df_error;
    if sample::is_constant(error.sqrt(), grand.max_abs) {
        return Err(Undefined::ZeroVariance {
            what: "the differences between the arms".into(),
            value: arm_effects[0],
        });
    }
    let f = representable("F", between / error)?;
    Ok(RepeatedMeasures {
        method: "repeated-measures analysis of variance",
        blocks: rows.len(),
        arms,
        f,
        df_arms: k - 1.0,
        df_error,
        p: fisher_f::sf(f, k - 1.0, df_error),
    })
}

impl Explain for RepeatedMeasures {
    fn reading(&self) -> String {
        let verdict = if self.p < 0.05 {
            "do not all have the same mean"
        } else {
            "show no clear difference in their means"
        };
        format!(
            "Over {} the {} {verdict} ({}, {}).",
            counted(self.blocks, "seed"),
            counted(self.arms, "arm"),
            p_value(self.p),
            self.method
        )
    }
}
