//! Contrasts of independent arms that share one error rate: Dunnett against a control, Tukey for all pairs.

use serde::Serialize;

use crate::descriptive::Moments;
use crate::dist::{dunnett as dunnett_distribution, studentized_range};
use crate::{Explain, Interval, Level, Outcome, Side, Undefined};
use fairtrial_text::count::counted;
use fairtrial_text::share::p_value;
use fairtrial_text::significant::short;

use super::independent::{OneWay, one_way};

/// One arm against another.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ArmContrast {
    /// The arm that is compared, by its place.
    pub arm: usize,
    /// The arm it is compared with.
    pub against: usize,
    /// Difference of the means.
    pub estimate: f64,
    /// Adjusted p value.
    pub p: f64,
    /// Simultaneous interval.
    pub interval: Interval,
}

/// A family of contrasts with one error rate.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Contrasts {
    /// What was computed.
    pub method: &'static str,
    /// Observations per arm.
    pub n: Vec<usize>,
    /// Degrees of freedom of the common variance.
    pub df: f64,
    /// The contrasts.
    pub contrasts: Vec<ArmContrast>,
}

struct Pooled {
    means: Vec<f64>,
    sizes: Vec<f64>,
    anova: OneWay,
}

impl Pooled {
    fn new(arms: &[&[f64]], level: Level) -> Outcome<Self> {
        level.checked()?;
        if level.side != Side::TwoSided {
            return Err(Undefined::NoSolution(
                "simultaneous contrasts are two-sided".into(),
            ));
        }
        let anova = one_way(arms)?;
        let parts: Vec<Moments> = arms.iter().map(|arm| Moments::of(arm)).collect();
        Ok(Self {
            means: parts.iter().map(|p| p.mean).collect(),
            sizes: parts.iter().map(|p| p.n).collect(),
            anova,
        })
    }

    /// Difference, its t statistic and its standard error.
    fn difference(&self, arm: usize, against: usize) -> (f64, f64, f64) {
        let gap = self.means[arm] - self.means[against];
        let se = (self.anova.within * (1.0 / self.sizes[arm] + 1.0 / self.sizes[against])).sqrt();
        (gap, gap / se, se)
    }

    fn contrast(
        &self,
        arm: usize,
        against: usize,
        p: f64,
        reach: f64,
        level: Level,
    ) -> ArmContrast {
        let (estimate, _, se) = self.difference(arm, against);
        let interval = Interval {
            low: estimate - reach * se,
            high: estimate + reach * se,
            level,
        };
        ArmContrast {
            arm,
            against,
            estimate,
            p,
            interval,
        }
    }

    fn finish(self, method: &'static str, contrasts: Vec<ArmContrast>) -> Contrasts {
        Contrasts {
            method,
            n: self.anova.n,
            df: self.anova.df_within,
            contrasts,
        }
    }
}

/// Dunnett's test: every arm against the first one, the control.
pub fn dunnett(arms: &[&[f64]], level: Level) -> Outcome<Contrasts> {
    let pooled = Pooled::new(arms, level)?;
    let df = pooled.anova.df_within;
    let loadings: Vec<f64> = pooled.sizes[1..]
        .iter()
        .map(|n| (n / (n + pooled.sizes[0])).sqrt())
        .collect();
    let reach = dunnett_distribution::critical(level.alpha, &loadings, df);
    let contrasts = (1..arms.len())
        .map(|arm| {
            let (_, t, _) = pooled.difference(arm, 0);
            pooled.contrast(
                arm,
                0,
                dunnett_distribution::sf(t.abs(), &loadings, df),
                reach,
                level,
            )
        })
        .collect();
    Ok(pooled.finish("Dunnett", contrasts))
}

/// Tukey's honest significant difference (Tukey-Kramer for unequal sizes): all pairs of arms.
pub fn tukey(arms: &[&[f64]], level: Level) -> Outcome<Contrasts> {
    let pooled = Pooled::new(arms, level)?;
    let (k, df) = (arms.len() as u32, pooled.anova.df_within);
    let root = std::f64::consts::SQRT_2;
    let reach = studentized_range::critical(level.alpha, k, df) / root;
    let mut contrasts = Vec::new();
    for against in 0..arms.len() {
        for arm in against + 1..arms.len() {
            let (_, t, _) = pooled.difference(arm, against);
            contrasts.push(pooled.contrast(
                arm,
                against,
                studentized_range::sf(t.abs() * root, k, df),
                reach,
                level,
            ));
        }
    }
    Ok(pooled.finish("Tukey HSD", contrasts))
}

impl Explain for Contrasts {
    fn reading(&self) -> String {
        let lines: Vec<String> = self
            .contrasts
            .iter()
            .map(|c| {
                format!(
                    "arm {} - arm {}: {} ({}, {})",
                    c.arm,
                    c.against,
                    short(c.estimate),
                    c.interval.words(),
                    p_value(c.p)
                )
            })
            .collect();
        format!(
            "{} over {}: {}.",
            self.method,
            counted(self.n.len(), "arm"),
            lines.join("; ")
        )
    }
}
