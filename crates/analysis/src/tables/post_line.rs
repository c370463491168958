//! The lines that a posted comparison judges, and how it judges them.

use super::evidence::Evidence;
use crate::dataset::FactKind;
use fairtrial_model::{MetricDeclaration, MetricSource};
use fairtrial_spec::DEFAULT_ALPHA;
use fairtrial_text::digits::Digits;
use serde::Serialize;

/// One line to judge. All numbers are in the unit of the column.
#[derive(Debug, Clone, PartialEq)]
pub struct PostLine {
    /// The experiment: the row's key.
    pub experiment: String,
    /// The column's title.
    pub title: String,
    /// What is declared about the metric; its margin is in the unit of the column.
    pub metric: MetricDeclaration,
    /// What the column shows of its numbers.
    pub digits: Digits,
    /// By what a share is multiplied to get the number in the column (100 for percent).
    pub share_scale: f64,
    /// The number to beat.
    pub baseline: Side,
    /// The new number.
    pub proposed: Side,
}

/// One side of a line.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Side {
    /// The number; absent where there is none.
    pub value: Option<f64>,
    /// Whether only the rounded text of the table is known.
    pub rounded: bool,
    /// What is known beyond it.
    pub evidence: Evidence,
}

/// How lines are judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MarkRule {
    /// Any difference counts.
    Exact,
    /// Only a difference beyond noise counts.
    #[default]
    Noise,
}

/// Options of [`post`](super::post()).
#[derive(Debug, Clone, PartialEq)]
pub struct PostOptions {
    /// The rule.
    pub rule: MarkRule,
    /// Two-sided error rate, for each metric over all experiments.
    pub alpha: f64,
    /// Differences between the sides that are accepted.
    pub accept: Vec<FactKind>,
}

impl Default for PostOptions {
    fn default() -> Self {
        Self {
            rule: MarkRule::Noise,
            alpha: DEFAULT_ALPHA,
            accept: Vec::new(),
        }
    }
}

impl PostLine {
    pub(super) fn delta(&self) -> Option<f64> {
        Some(self.proposed.value? - self.baseline.value?)
    }

    /// Where only the text of a side is known, both are compared as the column writes them: full precision against a
    /// rounded number would find differences that are none.
    pub(super) fn is_equal(&self) -> bool {
        let (Some(baseline), Some(proposed)) = (self.baseline.value, self.proposed.value) else {
            return false;
        };
        if self.baseline.rounded || self.proposed.rounded {
            return self.digits.write(baseline) == self.digits.write(proposed);
        }
        baseline == proposed
    }
}

/// Whether it counts episodes, which has no noise.
pub(super) fn is_count(metric: &MetricDeclaration) -> bool {
    match &metric.source {
        MetricSource::Episodes { measure, .. } => measure.is_count(),
        _ => false,
    }
}
