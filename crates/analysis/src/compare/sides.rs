//! Which trials stand on which side, and which sides are compared.

use super::CompareOptions;
use crate::AnalysisError;
use crate::dataset::{Dataset, Horizon, Origin, Repeat, Trial};
use crate::order;
use crate::validity::{Floor, SCORE};
use fairtrial_model::{Outcome, Params};
use serde::Serialize;
use std::borrow::Cow;
use std::collections::HashMap;

/// What is compared.
#[derive(Debug, Clone, Copy)]
pub enum Inputs<'a> {
    /// The arms of one source.
    Arms(&'a Dataset),
    /// Two sources: the first is the control.
    Two(&'a Dataset, &'a Dataset),
}

impl<'a> Inputs<'a> {
    /// The sources, the control's first.
    pub(crate) fn datasets(self) -> impl Iterator<Item = &'a Dataset> {
        match self {
            Self::Arms(data) => [Some(data), None],
            Self::Two(control, candidate) => [Some(control), Some(candidate)],
        }
        .into_iter()
        .flatten()
    }
}

/// One side of a contrast.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SideName {
    /// The source.
    pub source: String,
    /// Where the source came from.
    pub origin: Origin,
    /// The arm; absent where the source has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arm: Option<String>,
}

impl SideName {
    /// The arm, else the source.
    pub fn short(&self) -> &str {
        self.arm.as_deref().unwrap_or(&self.source)
    }
}

/// One contrast that is to be made: two sides at one sweep point.
#[derive(Debug, Clone)]
pub(crate) struct Planned<'a> {
    pub(crate) control: Selected<'a>,
    pub(crate) candidate: Selected<'a>,
    pub(crate) point: Params,
}

/// The trials of one arm of a source.
#[derive(Debug, Clone)]
pub(crate) struct Selected<'a> {
    pub(crate) data: &'a Dataset,
    pub(crate) arm: Option<String>,
}

/// One trial's part in one metric.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row {
    pub(crate) index: u64,
    pub(crate) task: u32,
    pub(crate) seed: u64,
    pub(crate) rollout: u32,
    pub(crate) outcome: Outcome,
    pub(crate) value: Option<f64>,
    /// The first and the last step of the series behind the value, where there is one.
    pub(crate) steps: Option<[f64; 2]>,
    /// Whether the value is only a bound, see [`Horizon`].
    pub(crate) not_reached: bool,
}

/// The rows of both sides for one metric, with common task numbers.
#[derive(Debug, Clone)]
pub(crate) struct SideRows {
    pub(crate) control: Vec<Row>,
    pub(crate) candidate: Vec<Row>,
    pub(crate) task_names: Vec<String>,
    /// Which of them are given to agents.
    pub(crate) of_agents: Vec<bool>,
    pub(crate) repeat: Repeat,
}

/// Which values of a metric count.
type ValuesOf = fn(&Dataset, &str) -> Vec<Option<f64>>;

/// A side at a sweep point.
type At<'a> = (&'a Selected<'a>, &'a Params);

impl Selected<'_> {
    pub(crate) fn name(&self) -> SideName {
        SideName {
            source: self.data.label.clone(),
            origin: self.data.origin.clone(),
            arm: self.arm.clone(),
        }
    }

    fn rows(
        &self,
        point: &str,
        (metric, values): (&str, ValuesOf),
        task_numbers: &mut TaskNumbers,
    ) -> Vec<Row> {
        let data = self.data;
        let values = values(data, metric).into_iter().zip(data.series(metric));
        let tasks: Vec<u32> = data
            .tasks
            .iter()
            .map(|name| task_numbers.of(name))
            .collect();
        let floor = data.floor.as_ref();
        let owes = |task: &String| floor.is_some_and(|floor| floor.owes(task, metric));
        let owing: Vec<bool> = data.tasks.iter().map(owes).collect();
        let zero = |trial: &Trial| {
            let failed = owing[trial.task as usize] && trial.outcome.is_arm_failure();
            failed.then_some(0.0)
        };
        let wanted: Vec<bool> = data.arms.iter().map(|arm| *arm == self.arm).collect();
        let at_point: Vec<bool> = data.points.iter().map(|name| name == point).collect();
        let numbered = data.trials.iter().zip(values);
        let mine = numbered
            .filter(|(trial, _)| wanted[trial.arm as usize] && at_point[trial.point as usize]);
        mine.map(|(trial, (value, behind))| Row {
            index: trial.index,
            task: tasks[trial.task as usize],
            seed: trial.seed,
            rollout: trial.rollout,
            outcome: trial.outcome,
            value: value.or_else(|| zero(trial)),
            steps: behind.map(|behind| [behind.first_step.0, behind.last_step.0]),
            not_reached: behind.is_some_and(|behind| behind.not_reached),
        })
        .collect()
    }

    /// Why too few trials at a point count for a verdict, where that is so.
    pub(crate) fn too_few(&self, point: &Params, options: &CompareOptions) -> Option<String> {
        let own = self.data.floor.as_ref();
        let floor = match options.valid {
            Some(share) => Cow::Owned(Floor::with(own, share)),
            None => Cow::Borrowed(own?),
        };
        let mut tasks = TaskNumbers::default();
        let rows = self.rows(&point.to_string(), (SCORE, Dataset::reported), &mut tasks);
        let name = |row: &Row| tasks.names[row.task as usize].as_str();
        let validity = floor.count(rows.iter().map(|row| (name(row), row.outcome, row.value)));
        (!validity.is_enough()).then(|| validity.why(self.name().short()))
    }

    /// The points that this side has trials at.
    pub(crate) fn points(&self) -> Vec<Params> {
        let mut seen = vec![false; self.data.point_values.len()];
        for trial in &self.data.trials {
            if *self.data.arms.get(trial.arm) == self.arm {
                seen[trial.point as usize] = true;
            }
        }
        let all = self.data.point_values.iter().zip(seen);
        all.filter(|(_, seen)| *seen)
            .map(|(point, _)| point.clone())
            .collect()
    }
}

/// Task names of both sides with their common numbers.
#[derive(Default)]
struct TaskNumbers {
    names: Vec<String>,
    numbers: HashMap<String, u32>,
}

impl TaskNumbers {
    fn of(&mut self, name: &str) -> u32 {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let number = self.names.len() as u32;
        self.names.push(name.to_owned());
        self.numbers.insert(name.to_owned(), number);
        number
    }
}

impl SideRows {
    /// The rows of two sides, each at its sweep point, for a metric. Steps are counted up to the horizon of these two: what
    /// a third did not reach says nothing about them.
    pub(crate) fn of(control: At<'_>, candidate: At<'_>, metric: &str) -> Self {
        Self::made(control, candidate, (metric, Dataset::reported)).restricted()
    }

    /// The same of two among others, which all have one horizon.
    pub(crate) fn among(control: At<'_>, candidate: At<'_>, metric: &str) -> Self {
        Self::made(control, candidate, (metric, Dataset::values))
    }

    fn made(
        (control, at): At<'_>,
        (candidate, candidate_at): At<'_>,
        metric: (&str, ValuesOf),
    ) -> Self {
        let mut tasks = TaskNumbers::default();
        let floors = || {
            [control, candidate]
                .into_iter()
                .filter_map(|side| side.data.floor.as_ref())
        };
        let of_agents = |task: &String| floors().any(|floor| floor.rollouts.contains(task));
        Self {
            control: control.rows(&at.to_string(), metric, &mut tasks),
            candidate: candidate.rows(&candidate_at.to_string(), metric, &mut tasks),
            of_agents: tasks.names.iter().map(of_agents).collect(),
            task_names: tasks.names,
            repeat: control.data.repeat,
        }
    }

    /// The same with steps counted up to one horizon on both sides, which may be of two sources.
    fn restricted(mut self) -> Self {
        let all = self.control.iter().chain(&self.candidate);
        let not_reached = all.filter(|row| row.not_reached);
        let horizon = Horizon::of(not_reached.filter_map(|row| Some((row.task, row.value?))));
        for row in self.control.iter_mut().chain(&mut self.candidate) {
            let counted = |value| horizon.counted(row.task, value);
            row.value = row.value.map(counted);
        }
        self
    }

    /// How many trials of each side did not reach their threshold.
    pub(crate) fn not_reached(&self) -> [usize; 2] {
        let of = |rows: &[Row]| rows.iter().filter(|row| row.not_reached).count();
        [of(&self.control), of(&self.candidate)]
    }
}

impl Planned<'_> {
    /// Why too few trials of a side count for a verdict, where that is so.
    pub(crate) fn too_few(&self, options: &CompareOptions) -> Option<String> {
        let mut sides = [&self.control, &self.candidate].into_iter();
        sides.find_map(|side| side.too_few(&self.point, options))
    }

    /// The rows of both sides for a metric.
    pub(crate) fn rows(&self, metric: &str) -> SideRows {
        SideRows::of(
            (&self.control, &self.point),
            (&self.candidate, &self.point),
            metric,
        )
    }
}

/// The contrasts that the inputs and options ask for.
pub(crate) fn plan<'a>(
    inputs: Inputs<'a>,
    options: &CompareOptions,
) -> Result<Vec<Planned<'a>>, AnalysisError> {
    let sides = match inputs {
        Inputs::Arms(data) => arms_of_one(data, options)?,
        Inputs::Two(control, candidate) => arms_of_two(control, candidate, options)?,
    };
    let mut planned = Vec::new();
    for (control, candidate) in sides {
        let theirs = candidate.points();
        let mut points: Vec<Params> = control
            .points()
            .into_iter()
            .filter(|point| theirs.contains(point))
            .collect();
        points.sort_by(order::points);
        planned.extend(points.into_iter().map(|point| Planned {
            control: control.clone(),
            candidate: candidate.clone(),
            point,
        }));
    }
    if planned.is_empty() {
        return Err(AnalysisError::Question(
            "the two sides have no sweep point in common".to_owned(),
        ));
    }
    Ok(planned)
}

type Sides<'a> = (Selected<'a>, Selected<'a>);

fn arms_of_one<'a>(
    data: &'a Dataset,
    options: &CompareOptions,
) -> Result<Vec<Sides<'a>>, AnalysisError> {
    let arms = data.arm_names();
    let known = |arm: &String| {
        let found = arms.contains(arm).then(|| arm.clone());
        found.ok_or_else(|| {
            AnalysisError::Question(format!(
                "{} has no arm `{arm}`; it has {}",
                data.label,
                listed(&arms)
            ))
        })
    };
    if arms.len() < 2 {
        let message = format!("{} has {}: nothing to compare", data.label, listed(&arms));
        return Err(AnalysisError::Question(message));
    }
    let named = options
        .control
        .as_ref()
        .or(data.control.as_ref())
        .filter(|arm| options.control.is_some() || arms.contains(arm));
    let control = named.map_or_else(|| Ok(arms[0].clone()), known)?;
    let candidates: Vec<String> = if options.candidates.is_empty() {
        arms.iter()
            .filter(|arm| **arm != control)
            .cloned()
            .collect()
    } else {
        options
            .candidates
            .iter()
            .map(known)
            .collect::<Result<_, _>>()?
    };
    if candidates.contains(&control) {
        return Err(AnalysisError::Question(format!(
            "`{control}` cannot be compared with itself"
        )));
    }
    let side = |arm: String| Selected {
        data,
        arm: Some(arm),
    };
    Ok(candidates
        .into_iter()
        .map(|arm| (side(control.clone()), side(arm)))
        .collect())
}

/// Arms that both sources have, each against itself; else the only arm of each.
fn arms_of_two<'a>(
    control: &'a Dataset,
    candidate: &'a Dataset,
    options: &CompareOptions,
) -> Result<Vec<Sides<'a>>, AnalysisError> {
    if let Some(arm) = &options.control {
        return Err(AnalysisError::Question(format!(
            "two sources are compared arm by arm and the first is the control, so that `{arm}` cannot be it; name one source"
        )));
    }
    let list = |data: &Dataset| -> Vec<Option<String>> {
        let mut arms: Vec<Option<String>> = data.arms.iter().cloned().collect();
        let place = |arm: &Option<String>| arm.clone().unwrap_or_default();
        arms.sort_by(|a, b| order::by_list(&data.arm_order, &place(a), &place(b)));
        arms
    };
    let (ours, theirs) = (list(control), list(candidate));
    let wanted = |arm: &Option<String>| {
        options.candidates.is_empty()
            || arm
                .as_ref()
                .is_some_and(|arm| options.candidates.contains(arm))
    };
    let side = |data: &'a Dataset, arm: &Option<String>| Selected {
        data,
        arm: arm.clone(),
    };
    let shared: Vec<Sides<'a>> = ours
        .iter()
        .filter(|arm| theirs.contains(arm) && wanted(arm))
        .map(|arm| (side(control, arm), side(candidate, arm)))
        .collect();
    match (&ours[..], &theirs[..]) {
        _ if !shared.is_empty() => Ok(shared),
        ([left], [right]) if options.candidates.is_empty() => {
            Ok(vec![(side(control, left), side(candidate, right))])
        }
        _ => {
            let names = |arms: &[Option<String>]| {
                listed(&arms.iter().flatten().cloned().collect::<Vec<_>>())
            };
            Err(AnalysisError::Question(format!(
                "no arm in common: {} has {}, {} has {}",
                control.label,
                names(&ours),
                candidate.label,
                names(&theirs)
            )))
        }
    }
}

fn listed(arms: &[String]) -> String {
    match arms {
        [] => "no arms".to_owned(),
        [one] => format!("one arm, `{one}`"),
        many => format!(
            "the arms {}",
            many.iter()
                .map(|arm| format!("`{arm}`"))
                .collect::<Vec<_>>()
                .join(", ")
        ),
    }
}
