//! The run that confirms a sweep's choice: the chosen point, and the control at that point, on seeds the sweep did not
//! use. The best of several looks better than it is; only fresh seeds speak for it.

use crate::compare::ranking::sweep::SweepChoice;
use crate::dataset::Dataset;
use crate::error::AnalysisError;
use crate::summary::RunName;
use fairtrial_journal::{JournalError, ResolvedSpecError, RunDir, Selector, resolved_spec};
use fairtrial_model::{Params, Stamp};
use fairtrial_spec::{Axis, Budget, Spec, Strategy, Sweep};

/// What the sweep took from the budget of both.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spent {
    /// Wall seconds.
    pub wall_s: f64,
    /// Trials.
    pub trials: u64,
    /// Money.
    pub cost: f64,
}

impl Spent {
    /// What a run's trials took; the wall time is the caller's to know.
    pub fn of(data: &Dataset, spec: &Spec, wall_s: f64) -> Self {
        let metric = spec.budget.cost.as_ref().map(|cost| cost.metric.as_str());
        let costs = metric.map_or(Vec::new(), |metric| data.values(metric));
        Self {
            wall_s,
            trials: data.len() as u64,
            cost: costs.into_iter().flatten().sum(),
        }
    }
}

/// The name under which confirmations of a benchmark are kept.
pub fn confirm_name(name: &str) -> String {
    format!("{name}.confirm")
}

/// The tag by which a confirmation says which sweep it belongs to.
pub fn confirm_tag(sweep: Stamp) -> String {
    format!("confirms:{sweep}")
}

/// Whether a sweep's choice was run again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Confirmation {
    /// Nobody asked for it.
    NotAsked,
    /// The spec asks for it; whether it was done is not looked at, or it was not.
    Asked,
    /// In this run.
    By(RunName),
}

impl Confirmation {
    /// That of a sweep, as things stand now.
    pub fn of(sweep: &RunDir, spec: &Spec) -> Result<Self, AnalysisError> {
        let by = |run: RunDir| {
            Self::By(RunName {
                name: run.name().to_owned(),
                stamp: run.stamp(),
            })
        };
        Ok(confirming_run(sweep)?.map_or_else(|| Self::declared(spec), by))
    }

    /// What the spec says about it, which stays the same whatever happens later.
    pub fn declared(spec: &Spec) -> Self {
        match spec.analysis.confirm {
            Some(_) => Self::Asked,
            None => Self::NotAsked,
        }
    }
}

/// The newest confirmation of the benchmark, where it belongs to this sweep.
pub fn confirming_run(sweep: &RunDir) -> Result<Option<RunDir>, AnalysisError> {
    let name = confirm_name(sweep.name());
    let newest = match RunDir::open(sweep.root(), &name, Selector::Latest) {
        Err(JournalError::NoSuchRun { .. }) => return Ok(None),
        found => found?,
    };
    let spec = match resolved_spec(&newest) {
        // One that was cut off before it kept its spec has run nothing. This version read the sweep, so one that it
        // cannot read for its form confirms another.
        Err(ResolvedSpecError::Absent(_) | ResolvedSpecError::OtherVersion { .. }) => {
            return Ok(None);
        }
        // Whatever else it is, running it again would spend its budget twice.
        known => known?,
    };
    let is_its = spec.tags.contains(&confirm_tag(sweep.stamp()));
    Ok(is_its.then_some(newest))
}

/// The spec of the run that confirms `choice`; refused where nothing of the budget is left.
pub fn confirm_spec(
    spec: &Spec,
    sweep: Stamp,
    choice: &SweepChoice,
    spent: Spent,
) -> Result<Spec, AnalysisError> {
    let best = choice.points.first().ok_or_else(|| {
        AnalysisError::Question("no point was chosen, so there is nothing to confirm".to_owned())
    })?;
    let mut confirm = spec.clone();
    confirm.name = confirm_name(&spec.name);
    confirm.tags.push(confirm_tag(sweep));
    confirm.seeds.clone_from(&choice.confirm.seeds);
    confirm.analysis.confirm = None;
    confirm.analysis.stop = None;
    confirm.budget = left(&spec.budget, spent)?;
    confirm.sweep = at_point(&spec.sweep, &best.point);
    if let Some(arm) = &best.arm {
        let control = spec.control();
        let kept = |name: &str| name == arm || Some(name) == control;
        confirm.arms.retain(|arm| kept(&arm.name));
        confirm
            .tasks
            .retain(|task| task.arm.as_deref().is_none_or(kept));
    }
    for task in &mut confirm.tasks {
        task.seeds = None;
        task.sweep = at_point(&task.sweep, &best.point);
    }
    Ok(confirm)
}

/// The same axes, each at its one value of the point; an axis that the point does not have stays as it is.
fn at_point(sweep: &Sweep, point: &Params) -> Sweep {
    let at = |axis: &Axis| Axis {
        name: axis.name.clone(),
        values: point
            .get(&axis.name)
            .map_or_else(|| axis.values.clone(), |value| vec![value.clone()]),
    };
    Sweep {
        axes: sweep.axes.iter().map(at).collect(),
        strategy: Strategy::Cartesian,
    }
}

/// The caps of the spec hold for sweep and confirmation together.
fn left(budget: &Budget, spent: Spent) -> Result<Budget, AnalysisError> {
    let gone = |what: &str| {
        AnalysisError::Question(format!(
            "the sweep spent the whole budget of {what}, nothing is left to confirm its choice"
        ))
    };
    let mut left = budget.clone();
    if let Some(wall) = &mut left.wall_s {
        *wall -= spent.wall_s;
        if *wall <= 0.0 {
            return Err(gone("time"));
        }
    }
    if let Some(trials) = &mut left.trials {
        *trials = trials.saturating_sub(spent.trials);
        if *trials == 0 {
            return Err(gone("trials"));
        }
    }
    if let Some(cost) = &mut left.cost {
        cost.max -= spent.cost;
        if cost.max <= 0.0 {
            return Err(gone("money"));
        }
    }
    Ok(left)
}
