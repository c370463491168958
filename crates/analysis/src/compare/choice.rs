//! A sweep that ends in a choice: the best point, honest about having been picked, and the plan to confirm it.
//!
//! Picking the best of k makes its own number too good. The interval given here is at level alpha / k (Bonferroni):
//! all k intervals hold together with chance 1 - alpha, so the one of the winner does too, whichever it is.

use super::assess::{MetricComparison, assess};
use super::case::{Asked, Case, Scale};
use super::contest::{Contest, Contestant};
use super::family::FamilyPlace;
use super::sides::{Inputs, Selected, SideRows};
use super::{CompareOptions, asked_metrics, check};
use crate::dataset::Dataset;
use crate::{AnalysisError, order};
use fairtrial_model::{ParamValue, Params, documented_seeds};
use fairtrial_spec::{Spec, filter_word};
use fairtrial_stats::Interval;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

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
    /// Why nobody's chance to be best is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_chance: Option<String>,
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
    /// The mean of the values it has.
    pub mean: f64,
    /// Its trials that failed.
    pub failed: u64,
    /// Its mean with every failure as the worst value seen, which the order goes by; absent where none failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worst_case: Option<f64>,
    /// Why it cannot be the best: too many of its trials have no value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub barred: Option<String>,
    /// The interval of its mean, at the level that accounts for the choice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<Interval>,
    /// Its units.
    pub n: usize,
    /// How often it comes out best when the units are drawn again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chance_best: Option<f64>,
    /// The chance of a difference to the best like this by accident, adjusted over all pairs of points, because the best
    /// was picked by the same data; absent for the best and where values that never vary leave chance no measure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p_against_best: Option<f64>,
    /// Whether the data cannot tell it from the best.
    pub not_separable: bool,
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
    choose(data, &CompareOptions::declared(spec), seeds)
}

/// Names the best sweep point of a run and plans its confirmation on `confirm` fresh seeds.
pub fn choose(
    data: &Dataset,
    options: &CompareOptions,
    confirm: usize,
) -> Result<SweepChoice, AnalysisError> {
    check(options)?;
    let asked = asked_metrics(Inputs::Arms(data), options)?.swap_remove(0);
    let direction = asked.declaration.direction.ok_or_else(|| {
        let name = &asked.declaration.name;
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
    let contest = Contest {
        asked: &asked,
        options,
        direction,
        // A point that failed everywhere was looked at too.
        alpha: options.alpha / entered.len() as f64,
    };
    let name = &asked.declaration.name;
    let looked_at = entered.len();
    let (contestants, absent): (Vec<_>, Vec<_>) =
        entered.into_iter().partition(|one| contest.has_value(one));
    let standings = contest.standings(&contestants).ok_or_else(|| {
        AnalysisError::Question(if contestants.is_empty() {
            format!("no point has a usable value of `{name}`")
        } else {
            format!("at every point too many trials have no value of `{name}`, so no point is best")
        })
    })?;
    let best = &contestants[standings.order[0].place];
    let against_control = control.as_ref().map(|arm| {
        let side = Selected {
            data,
            arm: Some(arm.clone()),
        };
        Box::new(against(&side, best, &asked, (options, looked_at)))
    });
    let points = standings.order.iter().map(|standing| PointStanding {
        point: contestants[standing.place].point.clone(),
        arm: contestants[standing.place].side.arm.clone(),
        mean: standing.mean,
        failed: standing.failed,
        worst_case: standing.worst_case,
        barred: standing.barred.clone(),
        interval: standing.interval,
        n: standing.n,
        chance_best: standing.chance_best,
        p_against_best: standing.p_against_best,
        not_separable: standing.not_separable,
    });
    Ok(SweepChoice {
        metric: name.clone(),
        contestants: looked_at,
        points: points.collect(),
        scale: standings.scale,
        pairs: standings.pairs,
        no_chance: standings.no_chance,
        without_value: absent
            .iter()
            .map(|one| PointName {
                point: one.point.clone(),
                arm: one.side.arm.clone(),
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
fn contestants<'a>(data: &'a Dataset, control: Option<&str>) -> Vec<Contestant<'a>> {
    let mut found: Vec<Contestant<'a>> = Vec::new();
    for arm in data
        .arms
        .iter()
        .filter(|arm| control.is_none() || arm.as_deref() != control)
    {
        let side = Selected {
            data,
            arm: arm.clone(),
        };
        found.extend(side.points().into_iter().map(|point| Contestant {
            side: side.clone(),
            point,
        }));
    }
    found.sort_by(|a, b| {
        order::points(&a.point, &b.point).then_with(|| a.side.arm.cmp(&b.side.arm))
    });
    found
}

/// A point of which the machine broke too much cannot be ranked, and neither can the others without it.
fn enough_of_each(
    entered: &[Contestant<'_>],
    options: &CompareOptions,
) -> Result<(), AnalysisError> {
    for one in entered {
        if let Some(why) = one.side.too_few(&one.point, options) {
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
    control: &Selected<'_>,
    best: &Contestant<'_>,
    asked: &Asked,
    (options, contestants): (&CompareOptions, usize),
) -> MetricComparison {
    let metric = &asked.declaration.name;
    let rows = SideRows::of((control, &best.point), (&best.side, &best.point), metric);
    let case = Case::new(rows, asked, options);
    let p = case.p(options.alpha);
    let place = FamilyPlace {
        method: "Bonferroni (best of the sweep)",
        size: contestants,
        adjusted_p: p.map(|p| (p * contestants as f64).min(1.0)),
        alpha: options.alpha / contestants as f64,
    };
    assess(&case, place, options.power)
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
    best: &Contestant<'_>,
    control: Option<&str>,
    confirm: usize,
) -> ConfirmPlan {
    let used: BTreeSet<u64> = data.trials.iter().map(|trial| trial.seed).collect();
    let fresh = (0..)
        .map(documented_seeds)
        .filter(|seed| !used.contains(seed));
    let seeds: Vec<u64> = fresh.take(confirm).collect();
    let listed: Vec<String> = seeds.iter().map(u64::to_string).collect();
    let arms = best.side.arm.as_ref().map(|arm| match control {
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
