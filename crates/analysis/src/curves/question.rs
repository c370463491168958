//! What is asked about the runs.

use super::summary::SummaryRule;
use crate::compare::data::unit::Pairing;
use crate::error::AnalysisError;
use fairtrial_model::{Direction, Margin};
use fairtrial_stats::{Level, bootstrap};
use serde::Serialize;

/// What is asked about the runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// The metric.
    pub metric: String,
    /// How a curve becomes a number.
    pub summary: SummaryRule,
    /// The bootstrap; its level's alpha is also that of the verdict.
    pub bootstrap: bootstrap::Plan,
    /// Whether its resamples are drawn; else all of them count, and there is neither a seed nor noise.
    pub drawn: bool,
    /// The level below which an assumption is called doubtful; `None` leaves the t test out.
    pub assumption_alpha: Option<f64>,
    /// The effect to plan for; `None` leaves the plan out.
    pub power: Option<PowerQuestion>,
    /// How runs belong together.
    pub pairing: Pairing,
    /// Which way is better, instead of what the runs' spec declares.
    pub direction: Option<Direction>,
    /// The smallest difference that matters, instead of what the runs' spec declares.
    pub margin: Option<Margin>,
}

/// An effect that the next experiment shall find.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PowerQuestion {
    /// The effect, in the metric's unit.
    pub target: f64,
    /// The chance to find it.
    pub power: f64,
}

impl Question {
    /// The documented defaults for a metric.
    pub fn new(metric: impl Into<String>) -> Self {
        Self {
            metric: metric.into(),
            summary: SummaryRule::default(),
            bootstrap: bootstrap::Plan::new(bootstrap::Method::Bca, 0),
            drawn: false,
            assumption_alpha: Some(0.05),
            power: None,
            pairing: Pairing::Auto,
            direction: None,
            margin: None,
        }
    }

    /// Refuses what means nothing.
    pub fn check(&self) -> Result<(), AnalysisError> {
        self.summary.check()?;
        let Level { alpha, .. } = self.bootstrap.level;
        chance("--bootstrap.alpha", alpha)?;
        if let Some(alpha) = self.assumption_alpha {
            chance("--ttest.assumption_alpha", alpha)?;
        }
        if let Some(asked) = self.power {
            chance("--power.beta", asked.power)?;
            if !(asked.target.is_finite() && asked.target != 0.0) {
                return Err(AnalysisError::Option {
                    name: "--power.target_effect_size",
                    value: asked.target.to_string(),
                    expected: "an effect other than 0, in the metric's unit",
                });
            }
        }
        Ok(())
    }
}

fn chance(name: &'static str, value: f64) -> Result<(), AnalysisError> {
    if value > 0.0 && value < 1.0 {
        return Ok(());
    }
    Err(AnalysisError::Option {
        name,
        value: value.to_string(),
        expected: "a chance between 0 and 1, both excluded",
    })
}
