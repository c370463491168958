//! What the analysis compares, and when it may stop a run.

use fairtrial_model::Method;
use serde::{Deserialize, Serialize};

/// What the analysis compares.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Analysis {
    /// The control arm; default: the arm named `control`, else the first.
    pub control: Option<String>,
    /// The primary metric.
    pub metric: Option<String>,
    /// Two-sided error rate, as it was written; [`Analysis::alpha`] is the one that counts.
    pub alpha: Option<f64>,
    /// The stopping rule.
    pub stop: Option<StopRule>,
    /// Fresh seeds on which the best point of a sweep is run again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirm: Option<u32>,
    /// The share of a side's trials that must count for a verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid: Option<f64>,
    /// How intervals are made, where a metric does not say it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<Method>,
}

/// The error rate of whoever does not name one.
pub const DEFAULT_ALPHA: f64 = 0.05;

impl Analysis {
    /// The two-sided error rate.
    pub fn alpha(&self) -> f64 {
        self.alpha.unwrap_or(DEFAULT_ALPHA)
    }
}

/// When a sequential run ends early.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StopRule {
    /// What to wait for; only `decided` so far.
    pub when: String,
    /// Pairs before the first look.
    pub min: u32,
    /// Pairs at most.
    pub max: u32,
    /// When the data are looked at, in pairs; empty where that is after every pair from `min` on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub looks: Vec<u32>,
    /// What the error rate counts on.
    #[serde(default, skip_serializing_if = "LookPromise::is_planned")]
    pub promise: LookPromise,
    /// Each look is at this many times the pairs of the one before; absent means after every pair.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub growth: Option<f64>,
}

/// What the error rate of a sequential run counts on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LookPromise {
    /// The looks and the budget are as planned.
    #[default]
    Planned,
    /// Nothing: one may look whenever one likes, and add seeds later.
    Anytime,
}

impl LookPromise {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
    fn is_planned(&self) -> bool {
        *self == Self::Planned
    }
}

impl StopRule {
    /// Until decided, with a look after every pair.
    pub fn decided(min: u32, max: u32) -> Self {
        Self {
            when: "decided".to_owned(),
            min,
            max,
            looks: Vec::new(),
            promise: LookPromise::Planned,
            growth: None,
        }
    }

    /// The same with looks at these numbers of pairs, the last of which is the budget.
    #[must_use]
    pub fn looking_at(self, looks: Vec<u32>) -> Self {
        Self {
            min: looks.first().copied().unwrap_or(self.min),
            max: looks.last().copied().unwrap_or(self.max),
            looks,
            ..self
        }
    }

    /// The same with looks whose error rate holds at any time.
    #[must_use]
    pub fn at_any_time(self) -> Self {
        Self {
            promise: LookPromise::Anytime,
            ..self
        }
    }

    /// What is wrong with the looks; they must grow.
    pub fn wrong_looks(looks: &[u32]) -> Option<String> {
        let grow = looks.windows(2).all(|two| two[0] < two[1]);
        let wrong = looks.is_empty() || looks.iter().any(|pairs| *pairs < 2) || !grow;
        wrong.then(|| {
            "looks are growing numbers of pairs from 2 on, as 5, 10, 20; the last one is the budget".to_owned()
        })
    }
}
