//! What a resumed run looks with: what it began with. Looks by two rules under one error rate would keep neither.

use super::plan::SequentialPlan;
use crate::error::AnalysisError;
use crate::registration::{Deviation, differences};
use crate::validity::Floor;
use fairtrial_spec::{LookPromise, Spec, StopRule};
use serde_json::{Value, json};

/// The stopping rule that a resumed run goes on by: the one that it began with, else today's. Everything else that its
/// looks are made with must be as it was.
pub fn resumed_rule(recorded: &Spec, now: &Spec) -> Result<Option<StopRule>, AnalysisError> {
    let before = recorded.analysis.stop.as_ref();
    let Some(rule) = before.or(now.analysis.stop.as_ref()) else {
        return Ok(None);
    };
    let changed = differences(&looked_with(recorded, rule)?, &looked_with(now, rule)?);
    if changed.is_empty() {
        return Ok(Some(rule.clone()));
    }
    let changed: Vec<String> = changed.iter().map(words).collect();
    Err(AnalysisError::Question(format!(
        "the run has a sequential stopping rule, and what the rule rests on is not what it began with: {}",
        changed.join("; ")
    )))
}

/// Whether looks at these records may go on with the seeds of today: their error rate counts on no budget, and the seeds
/// are those of before and then more. Seeds before them would let somebody choose the order by the data.
pub fn may_add_seeds(recorded: &Spec, now: &Spec) -> bool {
    let at_any_time = |spec: &Spec| {
        let rule = spec.analysis.stop.as_ref();
        rule.is_some_and(|rule| rule.promise == LookPromise::Anytime)
    };
    at_any_time(recorded) && at_any_time(now) && now.seeds.starts_with(&recorded.seeds)
}

/// All that a look depends on beside the records.
fn looked_with(spec: &Spec, rule: &StopRule) -> Result<Value, AnalysisError> {
    let plan = SequentialPlan::new(spec, rule.clone())?;
    let declared = spec.metrics.iter();
    let declared = declared.filter(|metric| metric.name == plan.metric.name);
    let metric: Vec<Value> = declared
        .map(|metric| {
            let mut metric = metric.clone();
            // How it is shown changes no look.
            metric.precision = None;
            json!(metric)
        })
        .collect();
    Ok(json!({
        "alpha": plan.alpha,
        "control": plan.control,
        "metric": metric.first(),
        "valid": Floor::of(spec).map(|floor| floor.share),
    }))
}

/// `` `alpha` was 0.05 and is 0.1 ``.
fn words(change: &Deviation) -> String {
    let or_none = |value: &Option<String>| value.clone().unwrap_or_else(|| "not set".to_owned());
    let (before, now) = (or_none(&change.registered), or_none(&change.used));
    format!("`{}` was {before} and is {now}", change.what)
}
