//! The numbering of a design: each trial's number stands for task, arm, point, seed and rollout.

use crate::error::{MOST_TRIALS, PlanError};
use crate::points;
use crate::points::{Allowed, Draws, Shortage};
use fairtrial_model::Params;
use fairtrial_spec::{Arm, Spec, Task};
use std::collections::HashMap;
use std::sync::Arc;

/// The design of a spec: how its trials are numbered, task by task.
#[derive(Debug)]
pub(crate) struct Design {
    spec: Arc<Spec>,
    /// Draws of the spec's sweep.
    draws: Draws,
    blocks: Vec<TaskBlock>,
    len: u32,
}

/// The trials of one task: `first .. first + arms × top × own × seeds × rollouts`, the last the fastest.
#[derive(Debug)]
struct TaskBlock {
    first: u32,
    /// Places in `spec.arms`; one `None` where the task is not in any arm.
    arms: Vec<Option<usize>>,
    /// Points of the spec's sweep and of the task's own.
    top: u32,
    own: u32,
    /// Draws of the task's own sweep.
    draws: Draws,
    seeds: u32,
    rollouts: u32,
    level: u32,
    /// Places in `spec.tasks` of what it needs.
    needs: Vec<usize>,
}

/// Where a trial stands, in places of the spec's lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Coordinates {
    pub(crate) task: usize,
    pub(crate) arm: Option<usize>,
    pub(crate) top: u32,
    pub(crate) own: u32,
    pub(crate) seed: u32,
    pub(crate) rollout: u32,
}

impl Design {
    pub(crate) fn new(spec: Arc<Spec>) -> Result<Self, PlanError> {
        let mut blocks = Vec::with_capacity(spec.tasks.len());
        let mut total: u128 = 0;
        let all = spec.tasks.iter().flat_map(|task| cases(&spec, task));
        let draws = Draws::of(&spec.sweep, spec.order_seed, &Allowed::of(&spec.sweep, all));
        let top = points::count(&spec.sweep, &draws);
        let mut needs = needed_places(&spec);
        let levels = levels(&needs);
        for (place, task) in spec.tasks.iter().enumerate() {
            let arms = arms_of(&spec, task);
            let allowed = Allowed::of(&task.sweep, cases(&spec, task));
            let own_draws = Draws::of(&task.sweep, spec.order_seed, &allowed);
            let own = points::count(&task.sweep, &own_draws);
            let seeds = spec.seeds_of(task).len() as u128;
            let sizes = [
                arms.len() as u128,
                top,
                own,
                seeds,
                u128::from(task.rollouts),
            ];
            let len = sizes
                .iter()
                .fold(1, |product: u128, size| product.saturating_mul(*size));
            let first = total;
            total = total.saturating_add(len);
            if total > MOST_TRIALS {
                continue;
            }
            blocks.push(TaskBlock {
                first: first as u32,
                arms,
                top: top as u32,
                own: own as u32,
                draws: own_draws,
                seeds: seeds as u32,
                rollouts: task.rollouts,
                level: levels[place],
                needs: std::mem::take(&mut needs[place]),
            });
        }
        if total > MOST_TRIALS {
            return Err(PlanError::TooMany(total));
        }
        let len = total as u32;
        Ok(Self {
            spec,
            draws,
            blocks,
            len,
        })
    }

    pub(crate) fn spec(&self) -> &Arc<Spec> {
        &self.spec
    }

    pub(crate) fn len(&self) -> u32 {
        self.len
    }

    /// Random sweeps that have fewer points than they ask for.
    pub(crate) fn shortages(&self) -> Vec<Shortage> {
        let own = self.spec.tasks.iter().zip(&self.blocks);
        let own = own.filter_map(|(task, block)| block.draws.shortage(&task.sweep));
        let top = self.draws.shortage(&self.spec.sweep);
        top.into_iter().chain(own).collect()
    }

    /// How deep the needs of a trial's task go: 0 for a task that needs nothing.
    pub(crate) fn level(&self, number: u32) -> u32 {
        self.block_of(number).1.level
    }

    pub(crate) fn coordinates(&self, number: u32) -> Coordinates {
        let (task, block) = self.block_of(number);
        let mut rest = number - block.first;
        let mut digit = |size: u32| {
            let digit = rest % size.max(1);
            rest /= size.max(1);
            digit
        };
        let rollout = digit(block.rollouts);
        let seed = digit(block.seeds);
        let own = digit(block.own);
        let top = digit(block.top);
        let arm = block.arms.get(rest as usize).copied().flatten();
        Coordinates {
            task,
            arm,
            top,
            own,
            seed,
            rollout,
        }
    }

    /// The block that a trial belongs to: one repetition across everything.
    pub(crate) fn replicate(&self, number: u32) -> u32 {
        let (_, block) = self.block_of(number);
        (number - block.first) % (block.seeds * block.rollouts).max(1)
    }

    /// Numbers of the trials that the given one needs.
    pub(crate) fn needs(&self, number: u32) -> Vec<u32> {
        let mine = self.coordinates(number);
        let tasks = self.blocks[mine.task].needs.iter();
        tasks.flat_map(|task| self.matching(*task, &mine)).collect()
    }

    /// Numbers of a task's trials with the arm, point and seed of `mine`, as far as the task has them.
    fn matching(&self, task: usize, mine: &Coordinates) -> Vec<u32> {
        let block = &self.blocks[task];
        let my_seed = self.seed_value(mine);
        let same_seed = self
            .spec
            .seeds_of(&self.spec.tasks[task])
            .iter()
            .position(|seed| *seed == my_seed);
        let seeds = same_seed.map_or(0..block.seeds, |seed| seed as u32..seed as u32 + 1);
        let same_arm = block.arms.iter().position(|arm| *arm == mine.arm);
        let arms = same_arm.map_or(0..block.arms.len() as u32, |arm| arm as u32..arm as u32 + 1);
        let mut found = Vec::new();
        for arm in arms {
            for own in 0..block.own {
                for seed in seeds.clone() {
                    let cell =
                        ((arm * block.top + mine.top) * block.own + own) * block.seeds + seed;
                    let first = block.first + cell * block.rollouts;
                    found.extend(first..first + block.rollouts);
                }
            }
        }
        found
    }

    pub(crate) fn seed_value(&self, at: &Coordinates) -> u64 {
        let seeds = self.spec.seeds_of(&self.spec.tasks[at.task]);
        seeds.get(at.seed as usize).copied().unwrap_or_default()
    }

    /// The swept parameters of a trial.
    pub(crate) fn point(&self, at: &Coordinates) -> Params {
        let mut point = Params::new();
        points::fill(&self.spec.sweep, &self.draws, at.top as usize, &mut point);
        let (sweep, block) = (&self.spec.tasks[at.task].sweep, &self.blocks[at.task]);
        points::fill(sweep, &block.draws, at.own as usize, &mut point);
        point
    }

    /// Names of every parameter that some trial has.
    pub(crate) fn parameter_names(&self) -> Vec<String> {
        let arms = self
            .spec
            .arms
            .iter()
            .flat_map(|arm| arm.params.iter().map(|(name, _)| name.to_owned()));
        let axes = self.spec.sweep.axes.iter().map(|axis| axis.name.clone());
        let tasks = self.spec.tasks.iter().flat_map(|task| {
            let own = task.sweep.axes.iter().map(|axis| axis.name.clone());
            task.params
                .iter()
                .map(|(name, _)| name.to_owned())
                .chain(own)
        });
        let mut names: Vec<String> = arms.chain(axes).chain(tasks).collect();
        names.sort();
        names.dedup();
        names
    }

    fn block_of(&self, number: u32) -> (usize, &TaskBlock) {
        let after = self.blocks.partition_point(|block| block.first <= number);
        // Empty blocks share their `first` with the next: the last one that begins at or before it holds it.
        let task = after.saturating_sub(1);
        (task, &self.blocks[task])
    }
}

/// A task with each arm that it runs in.
fn cases<'a>(spec: &'a Spec, task: &'a Task) -> impl Iterator<Item = (&'a Task, Option<&'a Arm>)> {
    let arms = arms_of(spec, task).into_iter();
    arms.map(move |arm| (task, arm.and_then(|arm| spec.arms.get(arm))))
}

fn arms_of(spec: &Spec, task: &Task) -> Vec<Option<usize>> {
    let places = spec.arms.iter().enumerate();
    let own: Vec<Option<usize>> = places
        .filter(|(_, arm)| task.runs_in(&arm.name))
        .map(|(place, _)| Some(place))
        .collect();
    if own.is_empty() { vec![None] } else { own }
}

/// The places of the tasks that each task needs. Tasks may share an id: all of them are needed.
fn needed_places(spec: &Spec) -> Vec<Vec<usize>> {
    let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
    for (place, task) in spec.tasks.iter().enumerate() {
        places.entry(&task.id).or_default().push(place);
    }
    let needed = |task: &Task| {
        let ids = task.needs.iter().filter_map(|id| places.get(id.as_str()));
        let mut needed: Vec<usize> = ids.flatten().copied().collect();
        needed.sort_unstable();
        needed.dedup();
        needed
    };
    spec.tasks.iter().map(needed).collect()
}

/// How deep the needs of each task go: every task once, after those that it needs. The spec has no cycles; tasks of one would
/// stay at 0.
fn levels(needs: &[Vec<usize>]) -> Vec<u32> {
    let mut dependents: Vec<Vec<usize>> = vec![Vec::new(); needs.len()];
    let mut open: Vec<usize> = needs.iter().map(Vec::len).collect();
    for (task, needed) in needs.iter().enumerate() {
        for place in needed {
            dependents[*place].push(task);
        }
    }
    let mut levels = vec![0; needs.len()];
    let mut ready: Vec<usize> = (0..needs.len()).filter(|task| open[*task] == 0).collect();
    while let Some(done) = ready.pop() {
        for dependent in &dependents[done] {
            levels[*dependent] = levels[*dependent].max(levels[done] + 1);
            open[*dependent] -= 1;
            if open[*dependent] == 0 {
                ready.push(*dependent);
            }
        }
    }
    levels
}
