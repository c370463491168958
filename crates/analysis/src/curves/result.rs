//! Everything that `analyze` found.

use super::beside::{Bootstrap, PowerPlan, TTestReport};
use super::pairs::Design;
use super::summary::SummaryRule;
use super::value::RunValue;
use crate::compare::result::MetricComparison;
use serde::Serialize;

/// Version of the JSON form.
pub const ANALYSIS_SCHEMA: u32 = 1;

/// Everything that `analyze` found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Analysis {
    /// [`ANALYSIS_SCHEMA`].
    pub schema: u32,
    /// The metric.
    pub metric: String,
    /// How a curve became a number.
    pub summary: SummaryRule,
    /// The same in words.
    pub summary_words: String,
    /// Run by run, or as groups.
    pub design: Design,
    /// The control's runs; in a paired design run i belongs to the candidate's run i.
    pub control: Vec<RunValue>,
    /// The candidate's runs.
    pub candidate: Vec<RunValue>,
    /// Runs whose seed only one side has, in a paired design.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub alone: Vec<RunValue>,
    /// The verdict, its interval, and what stands beside it.
    pub comparison: MetricComparison,
    /// The bootstrap of the mean difference.
    pub bootstrap: Bootstrap,
    /// The t test with its assumptions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ttest: Option<TTestReport>,
    /// How many runs the target effect needs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub power: Option<PowerPlan>,
    /// What a reader should know.
    pub notes: Vec<String>,
}
