//! Executions as trials: each gets its task, arm, seed and number, and iterations inside a process stay below it.

use crate::collect::Collected;
use crate::execution::{Execution, MetricId};
use crate::roles::Roles;
use crate::rules::Subject;
use fairtrial_model::{Params, TrialKey};
use std::collections::HashMap;

/// What a row below a seed is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// An execution of its own.
    Execution,
    /// A measured iteration inside one process.
    Iteration,
}

/// What a seed is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SeedMeaning {
    /// The same on both sides: what has the same seed is a pair.
    Shared,
    /// The number of a process, which has nothing in common with that number on the other side.
    Process,
}

/// One observation: an execution, or an iteration inside it.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Its place in the design.
    pub key: TrialKey,
    /// The execution, by its place in [`Collected::executions`].
    pub execution: usize,
    /// The iteration inside it, where it has iterations.
    pub iteration: Option<usize>,
}

/// All observations.
#[derive(Debug)]
pub struct Rows {
    /// In the order of the executions.
    pub rows: Vec<Row>,
    /// What rows are.
    pub level: Level,
    /// What their seeds are.
    pub seeds: SeedMeaning,
}

/// Which executions are repetitions of one thing.
type Group = (String, Option<String>, Option<u64>);

impl Rows {
    /// Lays the executions out as trials.
    pub fn of(found: &Collected, roles: &Roles) -> Self {
        let keys: Vec<Group> = found
            .executions
            .iter()
            .map(|execution| {
                let arm = roles.arm_of(execution);
                (roles.task_of(execution), arm, roles.seed_of(execution))
            })
            .collect();
        let numbers = numbers(found, roles, &keys);
        let has_samples = |execution: &Execution| !execution.samples.is_empty();
        let level = if found.executions.iter().any(has_samples) {
            Level::Iteration
        } else {
            Level::Execution
        };
        // Several processes with iterations inside: the process is what is independent.
        let by_process = level == Level::Iteration
            && roles.seed.is_none()
            && numbers.iter().any(|number| number.executions > 0);
        let mut rows = Vec::new();
        for (place, (execution, group)) in found.executions.iter().zip(&keys).enumerate() {
            let before = numbers[place];
            let iterations = iterations(execution);
            for inside in 0..iterations.max(1) {
                let (seed, rollout) = if by_process {
                    (before.executions, inside as u64)
                } else {
                    (group.2.unwrap_or(0), before.rows + inside as u64)
                };
                rows.push(Row {
                    key: TrialKey {
                        index: rows.len() as u64,
                        task: group.0.clone(),
                        arm: group.1.clone(),
                        point: Params::new(),
                        seed,
                        rollout: u32::try_from(rollout).unwrap_or(u32::MAX),
                    },
                    execution: place,
                    iteration: (iterations > 0).then_some(inside),
                });
            }
        }
        let is_shared = roles.seed.is_some() && roles.subject != Subject::Timing;
        Self {
            rows,
            level,
            seeds: if is_shared {
                SeedMeaning::Shared
            } else {
                SeedMeaning::Process
            },
        }
    }
}

impl Row {
    /// The values of this observation. What was measured of a whole process stands with its first iteration.
    pub fn values<'a>(&self, found: &'a Collected) -> impl Iterator<Item = (MetricId, f64)> + 'a {
        let execution = &found.executions[self.execution];
        let iteration = self.iteration;
        let whole = execution
            .metrics
            .iter()
            .copied()
            .filter(move |_| iteration.unwrap_or(0) == 0);
        let inside = execution.samples.iter().filter_map(move |samples| {
            let value = samples.values.get(iteration?)?;
            Some((samples.metric, *value))
        });
        whole.chain(inside)
    }
}

/// How many executions of its group, and rows of them, come before one.
#[derive(Debug, Clone, Copy, Default)]
struct Before {
    executions: u64,
    rows: u64,
}

/// Numbers the executions of each group: by the field that numbers repetitions, else as they come.
fn numbers(found: &Collected, roles: &Roles, keys: &[Group]) -> Vec<Before> {
    let repeat = |execution: &Execution| {
        let value = execution.fields.get(roles.repeat.as_ref()?)?;
        value.as_i64().or_else(|| value.as_str()?.parse().ok())
    };
    let mut order: Vec<usize> = (0..keys.len()).collect();
    if roles.repeat.is_some() {
        order.sort_by_key(|place| repeat(&found.executions[*place]));
    }
    let mut next: HashMap<&Group, Before> = HashMap::new();
    let mut numbers = vec![Before::default(); keys.len()];
    for place in order {
        let before = next.entry(&keys[place]).or_default();
        numbers[place] = *before;
        before.executions += 1;
        // A failed process has no iterations, and is one observation all the same.
        before.rows += iterations(&found.executions[place]).max(1) as u64;
    }
    numbers
}

fn iterations(execution: &Execution) -> usize {
    let counts = execution.samples.iter().map(|samples| samples.values.len());
    counts.max().unwrap_or(0)
}
