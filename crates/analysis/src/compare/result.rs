//! What a comparison finds: plain data, made by its neighbours and shown by the report.
//!
//! The JSON form of [`Comparison`] is what `compare --json` prints.

use crate::compare::data::dropped::DroppedUnit;
use crate::compare::data::mismatch::Mismatch;
use crate::compare::data::side::SideName;
use crate::compare::data::unit::UnitKind;
use crate::compare::failures::Failures;
use crate::compare::method::choose::MethodNote;
use crate::compare::method::family::FamilyPlace;
use crate::compare::method::kind::{DataKind, Scale};
use crate::compare::method::relative::NoRelative;
use crate::compare::objections::fairness::Fairness;
use crate::compare::objections::objection::Objection;
use crate::compare::options::Role;
use crate::compare::ranged::Ranged;
use crate::compare::ranking::arms::Ranking;
use crate::compare::second_opinions::opinion::SecondOpinions;
use crate::compare::verdict::Verdict;
use crate::summary::Numbers;
use crate::trial_set::TrialSet;
use fairtrial_model::{Direction, Params};
use serde::Serialize;

/// Version of the comparison's JSON form.
pub const COMPARISON_SCHEMA: u32 = 2;

/// Everything that `compare` found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// [`COMPARISON_SCHEMA`].
    pub schema: u32,
    /// Two-sided error rate of the primary family, and of the secondary one.
    pub alpha: f64,
    /// In what the sides differ besides what is compared.
    pub mismatches: Vec<Mismatch>,
    /// The contrasts, one per candidate and sweep point.
    pub contrasts: Vec<Contrast>,
    /// Arms in order of the primary metric, one list per sweep point; only with three arms or more.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rankings: Vec<Ranking>,
    /// What is wrong with the sources.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
}

/// One candidate against the control, at one sweep point.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Contrast {
    /// The control.
    pub control: SideName,
    /// The candidate.
    pub candidate: SideName,
    /// The sweep point.
    #[serde(skip_serializing_if = "Params::is_empty")]
    pub point: Params,
    /// What speaks against a verdict about any metric of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub objections: Vec<Objection>,
    /// How often each side failed.
    pub failures: Failures,
    /// What the sides were asked to share, and whether they do.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fairness: Vec<Fairness>,
    /// The metrics, the primary one first.
    pub metrics: Vec<MetricComparison>,
    /// The metrics by task, where there is more than one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tasks: Vec<TaskLine>,
}

impl Comparison {
    /// The verdicts of the primary metric.
    pub fn primary(&self) -> impl Iterator<Item = &MetricComparison> {
        let metrics = self.contrasts.iter().flat_map(|contrast| &contrast.metrics);
        metrics.filter(|metric| metric.role == Role::Primary)
    }
}

impl Comparison {
    /// The same without a metric: what stands beside the answer of a run that stopped early by it.
    #[must_use]
    pub fn without_metric(mut self, metric: &str) -> Self {
        for contrast in &mut self.contrasts {
            contrast.metrics.retain(|found| found.metric != metric);
        }
        self
    }
}

/// One metric of one contrast, judged.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MetricComparison {
    /// The metric.
    pub metric: String,
    /// Whether it decides or stands beside.
    pub role: Role,
    /// Which way is better.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub direction: Option<Direction>,
    /// Unit for display.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// Decimals for display.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub precision: Option<u8>,
    /// The kind of data.
    pub kind: DataKind,
    /// The verdict.
    pub verdict: Verdict,
    /// The control's units.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub control: Option<Numbers>,
    /// The candidate's units.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub candidate: Option<Numbers>,
    /// The effect; absent where there is too little.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effect: Option<Effect>,
    /// What was counted.
    pub count: UnitCount,
    /// Units left out, by name.
    pub dropped: Vec<DroppedUnit>,
    /// How the interval was made; absent where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<MethodUsed>,
    /// Its place among the tests that were made.
    pub family: FamilyPlace,
    /// What other methods say.
    pub second_opinions: SecondOpinions,
    /// The control's trials behind the numbers.
    pub control_trials: TrialSet,
    /// The candidate's trials behind the numbers.
    pub candidate_trials: TrialSet,
    /// What stands for each side, also where an objection hides the effect.
    #[serde(skip)]
    pub(crate) centres: Centres,
}

/// What stands for each side, on the metric's own scale.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Centres {
    /// The control's and the candidate's.
    pub(crate) sides: Option<[f64; 2]>,
    /// Whether they are medians.
    pub(crate) medians: bool,
    /// Whether they lie between reference points.
    pub(crate) between_points: bool,
}

/// Candidate against control.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Effect {
    /// The scale of the verdict.
    pub scale: Scale,
    /// The control's mean (geometric, on the ratio scale); its median where ranks decide.
    pub control: f64,
    /// The same of the candidate.
    pub candidate: f64,
    /// Candidate - control in the metric's unit.
    pub absolute: Ranged,
    /// The same as a share of the control, whose own noise is in the interval; absent where that has no bounds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relative: Option<Ranged>,
    /// Why there is no `relative`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_relative: Option<NoRelative>,
    /// One minus the confidence of the interval.
    pub alpha: f64,
    /// The p value of "no difference", where the method has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p: Option<f64>,
    /// Degrees of freedom.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub df: Option<f64>,
    /// The smallest difference that matters, in the metric's unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub margin: Option<f64>,
    /// Whether the whole interval lies beyond the margin.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clears_margin: Option<bool>,
}

/// How an interval was made.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MethodUsed {
    /// The method.
    pub name: String,
    /// Whether it worked on logarithms.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub logarithms: bool,
    /// Whether it worked on scores between the reference points.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub between_points: bool,
    /// Whether the numbers of the sides are medians: ranks know no mean.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub medians: bool,
    /// Why it is not the one that a reader expects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<MethodNote>,
}

/// How many units stand behind a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct UnitCount {
    /// What one observation is.
    pub unit: UnitKind,
    /// Whether they are pairs.
    pub paired: bool,
    /// The control's (pairs, where paired).
    pub control: usize,
    /// The candidate's.
    pub candidate: usize,
    /// Tasks that are averaged with equal weights.
    pub tasks: usize,
}

/// One task of one metric.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TaskLine {
    /// The task.
    pub task: String,
    /// The metric.
    pub metric: String,
    /// The verdict of this task alone, adjusted for the number of tasks.
    pub verdict: Verdict,
    /// Means without an interval, where there is too little for one.
    pub control: Option<f64>,
    /// The candidate's.
    pub candidate: Option<f64>,
    /// Candidate - control, also where one value on a side allows no interval.
    pub difference: Option<f64>,
    /// The effect.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effect: Option<Effect>,
    /// What was counted.
    pub count: UnitCount,
    /// The p value, adjusted for the number of tasks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub adjusted_p: Option<f64>,
}
