//! What a spec declares about a sequential run: which arms, by which metric, on which scale, until when.

use super::judged_by::JudgedBy;
use crate::compare::data::scores::between_points;
use crate::compare::method::kind::Scale;
use crate::compare::method::kind::is_timing;
use crate::compare::options::Beyond;
use crate::compare::rule::Rule;
use crate::compare::rule::RuleFor;
use crate::error::AnalysisError;
use fairtrial_model::{Method, MetricDeclaration, Reference};
use fairtrial_spec::{LookPromise, Spec, StopRule};

/// The declared part of a sequential run.
#[derive(Debug, Clone, PartialEq)]
pub struct SequentialPlan {
    /// The control arm.
    pub control: String,
    /// The other arms.
    pub candidates: Vec<String>,
    /// The metric that decides.
    pub metric: MetricDeclaration,
    /// Two-sided error rate over all looks and arms together.
    pub alpha: f64,
    /// Pairs before the first look, and at most.
    pub rule: StopRule,
    /// The points that values are put between, where there are several tasks that have some.
    between: Option<Reference>,
}

impl SequentialPlan {
    /// Reads what the spec declares; `rule` is its stopping rule or that of the command line.
    pub fn new(spec: &Spec, rule: StopRule) -> Result<Self, AnalysisError> {
        let refuse = |why: &str| {
            Err(AnalysisError::Question(format!(
                "a run until decided {why}"
            )))
        };
        let Some(control) = spec.control().map(str::to_owned) else {
            return refuse("needs at least two arms: declare [arms.NAME]");
        };
        let candidates: Vec<String> = spec
            .arms
            .iter()
            .map(|arm| arm.name.clone())
            .filter(|arm| *arm != control)
            .collect();
        if candidates.is_empty() {
            return refuse("needs at least two arms: declare [arms.NAME]");
        }
        let mut metric = metric(spec)?.reduced();
        if metric.counts_steps() {
            return refuse(
                "cannot look at steps to a threshold: up to which step they count is known when all trials have ended",
            );
        }
        let tasks = spec.tasks.iter().map(|task| task.id.as_str()).collect();
        let between = between_points(&mut metric, &tasks)?;
        if metric.reference.is_some() && tasks.len() > 1 {
            return refuse("needs reference points for every task, or for none");
        }
        let axes = spec.sweep.axes.len()
            + spec
                .tasks
                .iter()
                .map(|task| task.sweep.axes.len())
                .sum::<usize>();
        if axes > 0 {
            return refuse("cannot sweep: every point would need its own answer");
        }
        if spec.tasks.iter().any(|task| task.seeds.is_some()) {
            return refuse("needs one list of seeds for all tasks");
        }
        if rule.when != "decided" || rule.max < 2 || rule.min > rule.max {
            return refuse("needs a rule like { when = \"decided\", min = 5, max = 30 }");
        }
        if rule.promise == LookPromise::Anytime && metric.method == Some(Method::SignFlip) {
            return refuse(
                "at any time goes by t: leave out `method = \"sign-flip\"`, or look at planned numbers of pairs",
            );
        }
        Ok(Self {
            control,
            candidates,
            metric,
            between,
            alpha: spec.analysis.alpha(),
            rule,
        })
    }

    /// The scale of its differences: timings are compared by ratio.
    pub(super) fn scale(&self) -> Scale {
        if self.between.is_none() && is_timing(&self.metric) {
            Scale::Ratio
        } else {
            Scale::Difference
        }
    }

    /// What a look judges by.
    pub(super) fn judged_by(&self) -> JudgedBy {
        JudgedBy {
            method: self.metric.method.unwrap_or_default(),
            deterministic: self.metric.deterministic,
        }
    }

    /// What an interval is held against, by the mean of the control on the scale of the differences.
    pub(super) fn rule(&self, control_mean: f64) -> Rule {
        let scale = self.scale();
        let (base, timing) = match scale {
            Scale::Ratio => (control_mean.exp(), true),
            Scale::Difference => (control_mean.abs(), false),
        };
        Rule::new(RuleFor {
            declaration: &self.metric,
            scale,
            timing,
            base,
            beyond: Beyond::ByKind,
        })
    }

    /// A value of a task as it is averaged and compared; a duration of 0 or less is none.
    pub(super) fn on_scale(&self, value: f64, task: &str) -> Option<f64> {
        let value = match &self.between {
            Some(reference) => reference.points(task)?.normalised(value),
            None => value,
        };
        let value = match self.scale() {
            Scale::Difference => value,
            Scale::Ratio => value.ln(),
        };
        value.is_finite().then_some(value)
    }

    /// 0 for the control, then the candidates.
    pub(super) fn place_of(&self, arm: &str) -> Option<usize> {
        let mut arms = std::iter::once(&self.control).chain(&self.candidates);
        arms.position(|known| known == arm)
    }
}

/// The metric by which a run of this spec would stop.
pub(crate) fn metric_name(spec: &Spec) -> Option<String> {
    metric(spec).ok().map(|metric| metric.name.clone())
}

fn metric(spec: &Spec) -> Result<&MetricDeclaration, AnalysisError> {
    spec.primary_declaration().ok_or_else(|| {
        AnalysisError::Question(
            "a run until decided needs a declared metric: [metrics.NAME] or `analysis.metric`"
                .to_owned(),
        )
    })
}
