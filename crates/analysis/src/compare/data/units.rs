//! Trials into independent units: what counts as one observation, which observations belong together, what is missing.
//!
//! Everything below the unit is averaged first. A unit that only one side has, or that has no usable value on a side,
//! is a broken pair; it is dropped from the analysis by name, and its failures are kept for the worst case.

use crate::compare::data::fill::{Fill, FillByTask};
use crate::compare::data::pairing::{join, tallies};
use crate::compare::data::sample::{Sample, Stratum};
use crate::compare::data::tally::Tally;
use crate::compare::data::trials::{TrialOfSide, TrialsOfBoth};
use crate::compare::data::unit::{Missing, Pairing, TaskRole, UnitKind, UnitRow, UnitRules};
use crate::compare::data::unit_shape::{Shape, reported_tasks};
use crate::trial_set::TrialSet;
use std::collections::BTreeSet;

/// The units of one contrast and metric.
#[derive(Debug, Clone)]
pub(crate) struct Units {
    pub(crate) kind: UnitKind,
    pub(crate) paired: bool,
    /// Whether tasks are strata that are averaged with equal weights.
    pub(crate) by_task: bool,
    pub(crate) rows: Vec<UnitRow>,
    pub(crate) task_names: Vec<String>,
    pub(crate) control_trials: TrialSet,
    pub(crate) candidate_trials: TrialSet,
    /// Seeds (units) that only one side has, where the sides share none at all.
    pub(crate) nothing_shared: bool,
    /// Tasks with one unit on a side, because of which every task is one unit.
    pub(crate) without_spread: Vec<String>,
}

impl Units {
    /// Forms the units of both sides.
    pub(crate) fn form(sides: &TrialsOfBoth, rules: UnitRules) -> Self {
        let tasks = reported_tasks(sides);
        let shape = Shape::of(sides, &tasks, rules);
        let mut units = Self::with_kind(sides, &tasks, shape, rules);
        // Where nothing can be compared there is no spread to miss either: what is left out are the units themselves.
        if units.by_task && units.has_sample() && !units.strata_are_usable() {
            let each_task = Shape {
                kind: UnitKind::Task,
                by_task: false,
            };
            let without_spread = units.tasks_without_spread();
            units = Self::with_kind(sides, &tasks, each_task, rules);
            units.without_spread = without_spread;
        } else if rules.tasks == TaskRole::Fixed && units.kind == UnitKind::Task {
            units.without_spread = units.used_task_names().map(str::to_owned).collect();
        }
        units
    }

    fn with_kind(sides: &TrialsOfBoth, tasks: &[bool], shape: Shape, rules: UnitRules) -> Self {
        let scale = |x: f64| if rules.logarithms { x.ln() } else { x };
        let control = tallies(&sides.control, tasks, shape.kind, scale);
        let candidate = tallies(&sides.candidate, tasks, shape.kind, scale);
        let rows = join(control, candidate);
        let shared = rows
            .iter()
            .any(|row| row.control != Tally::default() && row.candidate != Tally::default());
        let paired = match rules.pairing {
            Pairing::Paired => true,
            Pairing::Unpaired => false,
            // Repetitions under one seed have numbers, but nothing in common.
            Pairing::Auto => {
                let numbers_pair = match shape.kind {
                    UnitKind::Task => true,
                    UnitKind::Seed => sides.seeds_pair,
                    UnitKind::Rollout | UnitKind::Iteration => false,
                };
                shared && numbers_pair
            }
        };
        let used = |rows: &[TrialOfSide]| {
            let used = rows
                .iter()
                .filter(|row| tasks[row.task as usize] && row.value.is_some_and(f64::is_finite));
            used.map(|row| row.index).collect::<TrialSet>()
        };
        Self {
            kind: shape.kind,
            paired,
            by_task: shape.by_task,
            rows,
            task_names: sides.task_names.clone(),
            control_trials: used(&sides.control),
            candidate_trials: used(&sides.candidate),
            nothing_shared: !shared,
            without_spread: Vec::new(),
        }
    }

    /// Whether there is anything to compare.
    pub(crate) fn has_sample(&self) -> bool {
        self.used().any(|(_, used)| used)
    }

    /// Whether every task has the two units that a spread needs, and the tasks are the same on both sides.
    fn strata_are_usable(&self) -> bool {
        let sample = self.sample();
        sample.strata.len() > 1 && sample.strata.iter().all(has_spread)
    }

    /// The tasks that do not.
    fn tasks_without_spread(&self) -> Vec<String> {
        let sample = self.sample();
        let named = self.used_task_names().zip(&sample.strata);
        named
            .filter(|(_, stratum)| !has_spread(stratum))
            .map(|(task, _)| task.to_owned())
            .collect()
    }

    /// The usable values: complete pairs, or every value of two groups in the tasks that both have.
    pub(crate) fn sample(&self) -> Sample {
        self.sample_of(|row| row.control.mean(), |row| row.candidate.mean())
    }

    /// The values with failures counted as given.
    pub(crate) fn filled(&self, fill: &FillByTask) -> Sample {
        let value = |row: &UnitRow, tally: &Tally, side: fn(&Fill) -> f64| {
            let fill = fill[row.task as usize].as_ref();
            fill.map_or_else(|| tally.mean(), |fill| tally.filled(side(fill)))
        };
        self.sample_of(
            |row| value(row, &row.control, |fill| fill.control),
            |row| value(row, &row.candidate, |fill| fill.candidate),
        )
    }

    fn sample_of(
        &self,
        control: impl Fn(&UnitRow) -> Option<f64>,
        candidate: impl Fn(&UnitRow) -> Option<f64>,
    ) -> Sample {
        let stratum_of = |row: &UnitRow| if self.by_task { row.task } else { 0 };
        let mut strata: Vec<(u32, Stratum)> = Vec::new();
        let on_both =
            self.on_both_sides(|row| control(row).is_some(), |row| candidate(row).is_some());
        for row in self.rows.iter().filter(|row| on_both[row.task as usize]) {
            let (left, right) = (control(row), candidate(row));
            if left.is_none() && right.is_none()
                || self.paired && (left.is_none() || right.is_none())
            {
                continue;
            }
            if strata
                .last()
                .is_none_or(|(task, _)| *task != stratum_of(row))
            {
                let empty = Stratum {
                    control: Vec::new(),
                    candidate: Vec::new(),
                };
                strata.push((stratum_of(row), empty));
            }
            if let Some((_, stratum)) = strata.last_mut() {
                stratum.control.extend(left);
                stratum.candidate.extend(right);
            }
        }
        let mut strata: Vec<Stratum> = strata.into_iter().map(|(_, stratum)| stratum).collect();
        if strata.is_empty() {
            strata.push(Stratum {
                control: Vec::new(),
                candidate: Vec::new(),
            });
        }
        Sample {
            paired: self.paired,
            strata,
        }
    }

    /// Which tasks can be used: of several, one that a single side has would be held against other tasks.
    fn on_both_sides(
        &self,
        control: impl Fn(&UnitRow) -> bool,
        candidate: impl Fn(&UnitRow) -> bool,
    ) -> Vec<bool> {
        let mut sides = vec![(false, false); self.task_names.len()];
        for row in &self.rows {
            let of = &mut sides[row.task as usize];
            *of = (of.0 || control(row), of.1 || candidate(row));
        }
        let several = self.has_several_tasks();
        let usable = sides
            .into_iter()
            .map(|(left, right)| left && right || !several);
        usable.collect()
    }

    /// Whether more than one task reports the metric.
    pub(crate) fn has_several_tasks(&self) -> bool {
        let mut rows = self.rows.iter();
        let first = rows.next().map(|row| row.task);
        rows.any(|row| Some(row.task) != first)
    }

    /// Whether the sample has something of each unit.
    pub(crate) fn used(&self) -> impl Iterator<Item = (&UnitRow, bool)> {
        let on_both = self.on_both_sides(
            |row| row.control.has_value(),
            |row| row.candidate.has_value(),
        );
        self.rows.iter().map(move |row| {
            let (left, right) = (row.control.has_value(), row.candidate.has_value());
            let enough = if self.paired {
                left && right
            } else {
                left || right
            };
            (row, enough && on_both[row.task as usize])
        })
    }

    /// Whether the sample has something of each task.
    pub(crate) fn used_tasks(&self) -> Vec<bool> {
        let mut found = vec![false; self.task_names.len()];
        for (row, used) in self.used() {
            found[row.task as usize] |= used;
        }
        found
    }

    /// Their names, in the order of the strata.
    pub(crate) fn used_task_names(&self) -> impl Iterator<Item = &str> {
        let named = self.task_names.iter().zip(self.used_tasks());
        named
            .filter(|(_, used)| *used)
            .map(|(task, _)| task.as_str())
    }

    /// Names of the units in the order of [`Sample::places`], for saying which one a result hangs on.
    pub(crate) fn place_names(&self) -> Vec<String> {
        let same_stratum = |a: &&UnitRow, b: &&UnitRow| !self.by_task || a.task == b.task;
        let used = self.used().filter(|(_, used)| *used);
        let used: Vec<&UnitRow> = used.map(|(row, _)| row).collect();
        let mut names = Vec::new();
        for stratum in used.chunk_by(same_stratum) {
            let having = |side: fn(&UnitRow) -> &Tally| {
                stratum.iter().copied().filter(move |row| side(row).n > 0)
            };
            if self.paired {
                let both = having(|row| &row.control).filter(|row| row.candidate.n > 0);
                names.extend(both.map(|row| self.name(row)));
            } else {
                names.extend(
                    having(|row| &row.control).map(|row| format!("control {}", self.name(row))),
                );
                names.extend(
                    having(|row| &row.candidate).map(|row| format!("candidate {}", self.name(row))),
                );
            }
        }
        names
    }

    /// The tasks in which trials of the control count.
    pub(crate) fn control_tasks(&self) -> BTreeSet<u32> {
        let counting = |row: &&UnitRow| row.control.n + row.control.charged > 0;
        self.rows
            .iter()
            .filter(counting)
            .map(|row| row.task)
            .collect()
    }

    /// The control's trials without a value.
    pub(crate) fn control_missing(&self) -> Missing {
        let mut missing = Missing::default();
        for tally in self.rows.iter().map(|row| &row.control) {
            missing.failed += u64::from(tally.charged);
            missing.without_value += u64::from(tally.charged + tally.excused);
            missing.trials += u64::from(tally.n + tally.charged + tally.excused);
        }
        missing
    }

    pub(crate) fn name(&self, row: &UnitRow) -> String {
        let task = self
            .task_names
            .get(row.task as usize)
            .map_or("", String::as_str);
        let inside = match self.kind {
            UnitKind::Task => return task.to_owned(),
            UnitKind::Seed => format!("seed {}", row.seed),
            UnitKind::Rollout => format!("rollout {}", row.rollout),
            UnitKind::Iteration => format!("iteration {}", row.rollout),
        };
        if self.task_names.len() > 1 {
            format!("{task} · {inside}")
        } else {
            inside
        }
    }
}

fn has_spread(stratum: &Stratum) -> bool {
    stratum.control.len() >= 2 && stratum.candidate.len() >= 2
}
