//! The trials of both sides as one metric sees them.

use crate::compare::data::side::ComparedSide;
use crate::dataset::horizon::Horizon;
use crate::dataset::{Dataset, Repeat, Trial};
use fairtrial_model::Outcome;
use std::collections::HashMap;

/// One trial's part in one metric.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TrialOfSide {
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

/// The trials of both sides for one metric, with common task numbers.
#[derive(Debug, Clone)]
pub(crate) struct TrialsOfBoth {
    pub(crate) control: Vec<TrialOfSide>,
    pub(crate) candidate: Vec<TrialOfSide>,
    pub(crate) task_names: Vec<String>,
    /// Which of them are given to agents.
    pub(crate) of_agents: Vec<bool>,
    pub(crate) repeat: Repeat,
    /// Whether the same seed on both sides is a pair.
    pub(crate) seeds_pair: bool,
    /// Whether the trials of both sides are numbered in the order in which they ran.
    pub(crate) in_time_order: bool,
}

/// A metric and which of its values count.
#[derive(Clone, Copy)]
struct MetricValues<'a> {
    metric: &'a str,
    values: fn(&Dataset, &str) -> Vec<Option<f64>>,
}

/// What every trial of a side reported of a metric, with the names of its tasks by number.
pub(crate) fn reported(side: &ComparedSide<'_>, metric: &str) -> (Vec<TrialOfSide>, Vec<String>) {
    let mut tasks = TaskNumbers::default();
    let values = Dataset::reported;
    let trials = of_side(side, MetricValues { metric, values }, &mut tasks);
    (trials, tasks.names)
}

fn of_side(
    side: &ComparedSide<'_>,
    MetricValues { metric, values }: MetricValues<'_>,
    task_numbers: &mut TaskNumbers,
) -> Vec<TrialOfSide> {
    let data = side.data;
    let holds = side.holds();
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
    let numbered = data.trials.iter().zip(values);
    let mine = numbered.filter(|(trial, _)| holds(trial.arm, trial.point));
    mine.map(|(trial, (value, behind))| TrialOfSide {
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

impl TrialsOfBoth {
    /// The trials of two sides for a metric. Steps are counted up to the horizon of these two: what a third did not reach
    /// says nothing about them.
    pub(crate) fn of(
        control: &ComparedSide<'_>,
        candidate: &ComparedSide<'_>,
        metric: &str,
    ) -> Self {
        let values = Dataset::reported;
        Self::made(control, candidate, MetricValues { metric, values }).restricted()
    }

    /// The same of two among others, which all have one horizon.
    pub(crate) fn among(
        control: &ComparedSide<'_>,
        candidate: &ComparedSide<'_>,
        metric: &str,
    ) -> Self {
        let values = Dataset::values;
        Self::made(control, candidate, MetricValues { metric, values })
    }

    fn made(
        control: &ComparedSide<'_>,
        candidate: &ComparedSide<'_>,
        metric: MetricValues<'_>,
    ) -> Self {
        let mut tasks = TaskNumbers::default();
        let floors = || {
            [control, candidate]
                .into_iter()
                .filter_map(|side| side.data.floor.as_ref())
        };
        let of_agents = |task: &String| floors().any(|floor| floor.rollouts.contains(task));
        Self {
            control: of_side(control, metric, &mut tasks),
            candidate: of_side(candidate, metric, &mut tasks),
            of_agents: tasks.names.iter().map(of_agents).collect(),
            task_names: tasks.names,
            repeat: control.data.repeat,
            seeds_pair: control.data.pairs_with(candidate.data),
            in_time_order: [control, candidate]
                .iter()
                .all(|side| side.data.origin.is_in_time_order()),
        }
    }

    /// The same with steps counted up to one horizon on both sides, which may be of two sources.
    fn restricted(mut self) -> Self {
        let not_reached = self.all().filter(|trial| trial.not_reached);
        let horizon = Horizon::of(not_reached.filter_map(|trial| Some((trial.task, trial.value?))));
        for trial in self.control.iter_mut().chain(&mut self.candidate) {
            let counted = |value| horizon.counted(trial.task, value);
            trial.value = trial.value.map(counted);
        }
        self
    }

    /// Those of the control, then those of the candidate.
    pub(crate) fn all(&self) -> impl Iterator<Item = &TrialOfSide> {
        self.control.iter().chain(&self.candidate)
    }

    /// The finite values of both sides.
    pub(crate) fn finite(&self) -> impl Iterator<Item = f64> {
        let values = self.all().filter_map(|trial| trial.value);
        values.filter(|value| value.is_finite())
    }

    /// How many trials of each side did not reach their threshold.
    pub(crate) fn not_reached(&self) -> [usize; 2] {
        let of = |trials: &[TrialOfSide]| trials.iter().filter(|trial| trial.not_reached).count();
        [of(&self.control), of(&self.candidate)]
    }

    /// The trials of each task alone, by its number. One pass over all trials, whatever the number of tasks: a log may have
    /// a task for each of its samples.
    pub(crate) fn by_task(&self) -> impl Iterator<Item = Self> {
        let of_each = |trials: &[TrialOfSide]| {
            let mut of_each = vec![Vec::new(); self.task_names.len()];
            for trial in trials {
                of_each[trial.task as usize].push(TrialOfSide { task: 0, ..*trial });
            }
            of_each
        };
        let sides = of_each(&self.control)
            .into_iter()
            .zip(of_each(&self.candidate));
        let tasks = self.task_names.iter().zip(&self.of_agents);
        sides
            .zip(tasks)
            .map(|((control, candidate), (name, of_agents))| Self {
                control,
                candidate,
                task_names: vec![name.clone()],
                of_agents: vec![*of_agents],
                repeat: self.repeat,
                seeds_pair: self.seeds_pair,
                in_time_order: self.in_time_order,
            })
    }
}
