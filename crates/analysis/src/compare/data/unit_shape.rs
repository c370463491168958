//! Which shape the units of a contrast have: seeds, repetitions or tasks.

use crate::compare::data::trials::{TrialOfSide, TrialsOfBoth};
use crate::compare::data::unit::{TaskRole, UnitKind, UnitRules};
use crate::dataset::Repeat;

/// What one observation is, and whether tasks are averaged with equal weights.
#[derive(Clone, Copy)]
pub(crate) struct Shape {
    pub(crate) kind: UnitKind,
    pub(crate) by_task: bool,
}

impl Shape {
    /// As the rows and the rules have it; `tasks` are those that report the metric.
    pub(crate) fn of(sides: &TrialsOfBoth, tasks: &[bool], rules: UnitRules) -> Self {
        let repeat = match sides.repeat {
            Repeat::Rollout => UnitKind::Rollout,
            Repeat::Iteration => UnitKind::Iteration,
        };
        let several = |rows: &[TrialOfSide], key: fn(&TrialOfSide) -> u64| {
            let mut first: Vec<Option<u64>> = vec![None; tasks.len()];
            let mut mine = rows.iter().filter(|row| tasks[row.task as usize]);
            mine.any(|row| *first[row.task as usize].get_or_insert(key(row)) != key(row))
        };
        let seeds =
            several(&sides.control, |row| row.seed) || several(&sides.candidate, |row| row.seed);
        let inside = if seeds { UnitKind::Seed } else { repeat };
        let repeated = seeds
            || several(&sides.control, |row| row.rollout.into())
            || several(&sides.candidate, |row| row.rollout.into());
        if tasks.iter().filter(|reported| **reported).count() < 2 {
            return Self {
                kind: inside,
                by_task: false,
            };
        }
        let of_agents = tasks
            .iter()
            .zip(&sides.of_agents)
            .any(|(reported, of_agents)| *reported && *of_agents);
        let units = match rules.tasks {
            TaskRole::ByKind => rules.binary || of_agents,
            TaskRole::Fixed => false,
            TaskRole::Random => true,
        };
        let each_task = units || !repeated;
        Self {
            kind: if each_task { UnitKind::Task } else { inside },
            by_task: !each_task,
        }
    }
}

/// Which tasks have a value of the metric on either side; the others are not about it.
pub(crate) fn reported_tasks(sides: &TrialsOfBoth) -> Vec<bool> {
    let mut reported = vec![false; sides.task_names.len()];
    let rows = sides.control.iter().chain(&sides.candidate);
    for row in rows.filter(|row| row.value.is_some()) {
        reported[row.task as usize] = true;
    }
    reported
}
