//! What a user may say about a comparison.

use crate::compare::data::unit::{Pairing, TaskRole};
use crate::dataset::FactKind;
use crate::error::AnalysisError;
use fairtrial_model::{Direction, EqualRule, Margin, Method, Reference};
use fairtrial_spec::{DEFAULT_ALPHA, Spec};
use serde::Serialize;

/// What a user may override.
#[derive(Debug, Clone, PartialEq)]
pub struct CompareOptions {
    /// Two-sided error rate.
    pub alpha: f64,
    /// The control arm; default: the spec's.
    pub control: Option<String>,
    /// The arms to compare with it; empty means all others.
    pub candidates: Vec<String>,
    /// The metrics, the first one primary; empty means the declared ones.
    pub metrics: Vec<String>,
    /// The primary metric, where `metrics` is empty; default: the first declared one.
    pub primary: Option<String>,
    /// How intervals are made, instead of what is declared.
    pub method: Option<Method>,
    /// How units belong together.
    pub pairing: Pairing,
    /// The smallest difference that matters, instead of the declared one.
    pub margin: Option<Margin>,
    /// Which way is better, instead of the declared one.
    pub direction: Option<Direction>,
    /// The unit of the first metric, where none is declared.
    pub unit: Option<String>,
    /// Which scores count as 0 and as 1, instead of the declared ones.
    pub reference: Option<Reference>,
    /// What tasks are.
    pub tasks: TaskRole,
    /// Differences between the sides that are accepted.
    pub accept: Vec<FactKind>,
    /// What both sides must share for the comparison to be fair.
    pub equal: Vec<EqualRule>,
    /// The share of each side's trials that must count, instead of what the sources say.
    pub valid: Option<f64>,
    /// Power of the plans that are made.
    pub power: f64,
    /// Seed of what is drawn.
    pub seed: u64,
    /// Which metrics decide.
    pub deciding: Deciding,
    /// What a difference must clear to be an improvement or a regression.
    pub beyond: Beyond,
}

/// Whether a metric decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Its verdict is the answer.
    Primary,
    /// Shown beside it; cannot gate.
    Secondary,
}

/// Which metrics decide.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Deciding {
    /// The first one; the others stand beside it.
    #[default]
    First,
    /// All of them, in one family.
    All,
}

/// What a difference must clear to be an improvement or a regression.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Beyond {
    /// The margin for timings, zero for everything else.
    #[default]
    ByKind,
    /// The margin, where there is one: what is declared too small to matter cannot block anything.
    Margin,
}

impl CompareOptions {
    /// The comparison that a spec declares.
    pub fn declared(spec: &Spec) -> Self {
        Self {
            alpha: spec.analysis.alpha(),
            primary: spec.analysis.metric.clone(),
            equal: spec.equal.clone(),
            ..Self::default()
        }
    }
}

impl Default for CompareOptions {
    fn default() -> Self {
        Self {
            alpha: DEFAULT_ALPHA,
            control: None,
            candidates: Vec::new(),
            metrics: Vec::new(),
            primary: None,
            method: None,
            pairing: Pairing::Auto,
            margin: None,
            direction: None,
            unit: None,
            reference: None,
            tasks: TaskRole::ByKind,
            accept: Vec::new(),
            equal: Vec::new(),
            valid: None,
            power: 0.8,
            seed: 0,
            deciding: Deciding::First,
            beyond: Beyond::ByKind,
        }
    }
}

impl CompareOptions {
    /// Refuses what means nothing.
    pub(crate) fn check(&self) -> Result<(), AnalysisError> {
        if let Some(valid) = self.valid.filter(|valid| !(0.0..=1.0).contains(valid)) {
            return Err(AnalysisError::Option {
                name: "valid",
                value: valid.to_string(),
                expected: "a share from 0 to 1",
            });
        }
        for (name, value) in [("alpha", self.alpha), ("power", self.power)] {
            if !(value > 0.0 && value < 1.0) {
                return Err(AnalysisError::Option {
                    name,
                    value: value.to_string(),
                    expected: "a chance between 0 and 1, both excluded",
                });
            }
        }
        Ok(())
    }
}
