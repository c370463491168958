//! A sweep that ends in a choice: the best point, honest about having been picked, and the plan to confirm it.
//!
//! Picking the best of k makes its own number too good. The interval given here is at level alpha / k (Bonferroni):
//! all k intervals hold together with chance 1 - alpha, so the one of the winner does too, whichever it is.

use crate::compare::data::contrasts::PlannedContrast;
use crate::compare::data::side::points_of;
use crate::compare::data::side::{ComparedSide, Inputs};
use crate::compare::judgement::judge;
use crate::compare::method::choose::Case;
use crate::compare::method::family::FamilyPlace;
use crate::compare::method::kind::Scale;
use crate::compare::objections::collect::About;
use crate::compare::objections::validity_floor;
use crate::compare::options::CompareOptions;
use crate::compare::question::{MetricQuestion, asked_metrics};
use crate::compare::ranking::standings::{RankingQuestion, Standing};
use crate::compare::result::MetricComparison;
use crate::dataset::Dataset;
use crate::error::AnalysisError;
use crate::order;
use fairtrial_model::{ParamValue, Params, documented_seeds, without_case};
use fairtrial_spec::{Spec, filter_word};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// The metrics by which the points of a sweep are ranked, each for itself: one, or the cases of one that is in cases alone.
pub fn ranked_by(data: &Dataset, options: &CompareOptions) -> Result<Vec<String>, AnalysisError> {
    let asked = asked_metrics(Inputs::Arms(data), options)?;
    let mut names: Vec<String> = asked.into_iter().map(|of| of.declaration.name).collect();
    let first = names[0].clone();
    let by_name = options.primary.iter().chain(&options.metrics);
    match without_case(&first) {
        (base, Some(_)) if by_name.into_iter().all(|name| *name != first) => {
            names.retain(|name| without_case(name).0 == base);
            Ok(names)
        }
        _ => Ok(vec![first]),
    }
}

/// What a sweep chose.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SweepChoice {
    /// The metric.
    pub metric: String,
    /// How many points (times arms) took part.
    pub contestants: usize,
    /// The points in order, best first.
    pub points: Vec<PointStanding>,
    /// The scale of the comparison; on that of ratios, means are geometric.
    pub scale: Scale,
    /// The pairs of points over which the p values are adjusted.
    pub pairs: usize,
    /// Points that took no part: none of their trials has a value.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub without_value: Vec<PointName>,
    /// The best one against the control at the same point, at the level that accounts for the choice; absent where
    /// there is no control.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub against_control: Option<Box<MetricComparison>>,
    /// How the choice can be confirmed.
    pub confirm: ConfirmPlan,
}

/// A point of an arm.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PointName {
    /// The point.
    pub point: Params,
    /// The arm; absent where there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arm: Option<String>,
}

/// One point in its place.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PointStanding {
    /// The point.
    pub point: Params,
    /// The arm; absent where there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arm: Option<String>,
    /// What it comes to; its interval is at the level that accounts for the choice.
    #[serde(flatten)]
    pub standing: Standing,
}

/// A run on fresh seeds of the chosen point (and the control, where there is one).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ConfirmPlan {
    /// Seeds that the sweep did not use.
    pub seeds: Vec<u64>,
    /// What to give to `--only`.
    pub only: String,
    /// What to give to `--set`.
    pub set: String,
    /// Whether tasks list seeds of their own, which `set` does not replace.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub own_seeds: bool,
}

/// Fresh seeds in the confirmation that is proposed where the spec asks for none.
const PROPOSED: usize = 15;

/// The choice as the spec declares it: its metric, its error rate, its confirmation.
pub fn choose_declared(data: &Dataset, spec: &Spec) -> Result<SweepChoice, AnalysisError> {
    let confirm = spec.analysis.confirm;
    let seeds = confirm.map_or(PROPOSED, |seeds| seeds as usize);
    let options = CompareOptions::declared(spec);
    match &ranked_by(data, &options)?[..] {
        [first, _, ..] => {
            let name = without_case(first).0;
            Err(AnalysisError::Question(format!(
                "`{name}` is reported per case only; `fairtrial sweep {} --metric {name}` ranks the points for each case",
                spec.name
            )))
        }
        _ => choose(data, &options, seeds),
    }
}

/// Names the best sweep point of a run and plans its confirmation on `confirm` fresh seeds.
pub fn choose(
    data: &Dataset,
    options: &CompareOptions,
    confirm: usize,
) -> Result<SweepChoice, AnalysisError> {
    options.check()?;
    let inputs = Inputs::Arms(data);
    let metric = asked_metrics(inputs, options)?.swap_remove(0);
    let direction = metric.declaration.direction.ok_or_else(|| {
        let name = &metric.declaration.name;
        AnalysisError::Question(format!(
            "which way is better is not declared for `{name}`, so no point is best"
        ))
    })?;
    let control = control_of(data, options);
    let entered = contestants(data, control.as_deref());
    if entered.len() < 2 {
        return Err(AnalysisError::Question(format!(
            "{} sweeps nothing: there is one point",
            data.label
        )));
    }
    same_tasks(data, control.as_deref())?;
    enough_of_each(&entered, options)?;
    let question = RankingQuestion {
        metric: &metric,
        options,
        direction,
        // A point that failed everywhere was looked at too.
        alpha: options.alpha / entered.len() as f64,
    };
    let name = &metric.declaration.name;
    let looked_at = entered.len();
    let (contestants, absent): (Vec<_>, Vec<_>) =
        entered.into_iter().partition(|one| question.has_value(one));
    let standings = question.standings(&contestants).ok_or_else(|| {
        AnalysisError::Question(if contestants.is_empty() {
            format!("no point has a usable value of `{name}`")
        } else {
            format!("at every point too many trials have no value of `{name}`, so no point is best")
        })
    })?;
    let best = &contestants[standings.order[0].place];
    let against_control = control.as_ref().map(|arm| {
        let control = ComparedSide {
            data,
            arm: Some(arm.clone()),
            point: best.point.clone(),
        };
        let contrast = PlannedContrast {
            control,
            candidate: best.clone(),
        };
        let about = About::new(inputs, options, &[]);
        Box::new(against(&contrast, &metric, &about, looked_at))
    });
    let points = standings.order.iter().map(|standing| PointStanding {
        point: contestants[standing.place].point.clone(),
        arm: contestants[standing.place].arm.clone(),
        standing: standing.clone(),
    });
    Ok(SweepChoice {
        metric: name.clone(),
        contestants: looked_at,
        points: points.collect(),
        scale: standings.scale,
        pairs: standings.pairs,
        without_value: absent
            .iter()
            .map(|one| PointName {
                point: one.point.clone(),
                arm: one.arm.clone(),
            })
            .collect(),
        against_control,
        confirm: confirm_plan(data, best, control.as_deref(), confirm),
    })
}

/// The control, where there is another arm beside it.
fn control_of(data: &Dataset, options: &CompareOptions) -> Option<String> {
    let arms = data.arm_names();
    let named = options.control.clone().or_else(|| data.control.clone());
    named.filter(|arm| arms.len() > 1 && arms.contains(arm))
}

/// Every point of every arm but the control.
fn contestants<'a>(data: &'a Dataset, control: Option<&str>) -> Vec<ComparedSide<'a>> {
    let mut found: Vec<ComparedSide<'a>> = Vec::new();
    for arm in data
        .arms
        .iter()
        .filter(|arm| control.is_none() || arm.as_deref() != control)
    {
        let points = points_of(data, arm.as_deref()).into_iter();
        found.extend(points.map(|point| ComparedSide {
            data,
            arm: arm.clone(),
            point,
        }));
    }
    found.sort_by(|a, b| order::points(&a.point, &b.point).then_with(|| a.arm.cmp(&b.arm)));
    found
}

/// A point of which the machine broke too much cannot be ranked, and neither can the others without it.
fn enough_of_each(
    entered: &[ComparedSide<'_>],
    options: &CompareOptions,
) -> Result<(), AnalysisError> {
    for one in entered {
        if let Some(validity) = validity_floor::broken(one, options) {
            let why = validity.why(one.name().short());
            return Err(AnalysisError::Question(format!("at {}, {why}", one.point)));
        }
    }
    Ok(())
}

/// A point that was tried on one task and a point that was tried on another cannot be ranked.
fn same_tasks(data: &Dataset, control: Option<&str>) -> Result<(), AnalysisError> {
    let mut by_point: BTreeMap<(u32, u32), BTreeSet<u32>> = BTreeMap::new();
    for trial in &data.trials {
        if control.is_none() || data.arms.get(trial.arm).as_deref() != control {
            let place = (trial.arm, trial.point);
            by_point.entry(place).or_default().insert(trial.task);
        }
    }
    let sets: BTreeSet<BTreeSet<u32>> = by_point.into_values().collect();
    if sets.len() <= 1 {
        return Ok(());
    }
    let named = |set: &BTreeSet<u32>| -> String {
        let names: Vec<&str> = set
            .iter()
            .map(|task| data.tasks.get(*task).as_str())
            .collect();
        names.join(" and ")
    };
    let sets: Vec<String> = sets.iter().map(named).collect();
    Err(AnalysisError::Question(format!(
        "its points were not tried on the same tasks ({}), so they cannot be ranked together; name one task",
        sets.join("; ")
    )))
}

/// The chosen point against the control at the same point.
fn against(
    contrast: &PlannedContrast<'_>,
    metric: &MetricQuestion,
    about: &About<'_>,
    sides: usize,
) -> MetricComparison {
    let options = about.options;
    let case = Case::new(contrast.trials(&metric.declaration.name), metric, options)
        .among(sides, options.alpha);
    let p = case.p(options.alpha);
    let place = FamilyPlace {
        method: "Bonferroni (best of the sweep)",
        size: sides,
        adjusted_p: p.map(|p| (p * sides as f64).min(1.0)),
        alpha: options.alpha / sides as f64,
    };
    judge(&case, place, &about.of(contrast, &[]))
}

/// A point as conditions of `--only`.
pub(crate) fn conditions(point: &Params) -> Vec<String> {
    let condition = |(name, value): (&str, &ParamValue)| {
        let value = filter_word(&Params::display(value));
        format!("{}={value}", filter_word(name))
    };
    point.iter().map(condition).collect()
}

fn confirm_plan(
    data: &Dataset,
    best: &ComparedSide<'_>,
    control: Option<&str>,
    confirm: usize,
) -> ConfirmPlan {
    let used: BTreeSet<u64> = data.trials.iter().map(|trial| trial.seed).collect();
    let fresh = (0..)
        .map(documented_seeds)
        .filter(|seed| !used.contains(seed));
    let seeds: Vec<u64> = fresh.take(confirm).collect();
    let listed: Vec<String> = seeds.iter().map(u64::to_string).collect();
    let arms = best.arm.as_ref().map(|arm| match control {
        Some(control) => format!("arm={}|{}", filter_word(control), filter_word(arm)),
        None => format!("arm={}", filter_word(arm)),
    });
    let values = conditions(&best.point);
    let conditions: Vec<String> = arms.into_iter().chain(values).collect();
    ConfirmPlan {
        only: conditions.join(", "),
        set: format!("seeds=[{}]", listed.join(", ")),
        own_seeds: data.own_seeds,
        seeds,
    }
}
