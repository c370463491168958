//! What was tried of a sweep, with or without a value: what failed everywhere is still part of it.

use crate::dataset::Dataset;
use fairtrial_model::{Params, Reference};
use std::collections::{BTreeMap, BTreeSet};

/// The mean of one task's rollouts at one point under one seed.
pub(super) struct Cell<'a> {
    pub(super) task: u32,
    pub(super) point: &'a Params,
    pub(super) seed: u64,
    pub(super) value: f64,
}

/// What an arm tried.
pub(super) struct Tried<'a> {
    pub(super) cells: Vec<Cell<'a>>,
    /// The points of what has no value, once for each task and seed.
    pub(super) empty: Vec<&'a Params>,
}

/// The cells of an arm in the tasks that the metric is about, between their reference points where there are some.
pub(super) fn tried<'a>(
    data: &'a Dataset,
    arm: Option<&str>,
    (metric, between): (&str, Option<&Reference>),
    tasks: &BTreeSet<&str>,
) -> Tried<'a> {
    let on_scale = |value: f64, task: u32| match between {
        Some(reference) => Some(reference.points(data.tasks.get(task))?.normalised(value)),
        None => Some(value),
    };
    let mut sums: BTreeMap<(u32, u32, u64), (f64, f64)> = BTreeMap::new();
    for (trial, value) in data.trials.iter().zip(data.values(metric)) {
        let here = data.arms.get(trial.arm).as_deref() == arm;
        if !here || !tasks.contains(data.tasks.get(trial.task).as_str()) {
            continue;
        }
        let place = (trial.task, trial.point, trial.seed);
        let sum = sums.entry(place).or_default();
        let value = value.and_then(|value| on_scale(value, trial.task));
        if let Some(value) = value.filter(|value| value.is_finite()) {
            sum.0 += value;
            sum.1 += 1.0;
        }
    }
    let mut found = Tried {
        cells: Vec::new(),
        empty: Vec::new(),
    };
    for ((task, point, seed), (sum, n)) in sums {
        let point = &data.point_values[point as usize];
        if n == 0.0 {
            found.empty.push(point);
        } else {
            found.cells.push(Cell {
                task,
                point,
                seed,
                value: sum / n,
            });
        }
    }
    found
}
