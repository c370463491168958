//! The scores that suite metrics are made of.

use crate::{Outcome, Undefined};

/// The scores of one arm: for every task, one score per run. Tasks may have different numbers of runs.
#[derive(Debug, Clone, Copy)]
pub struct Scores<'a> {
    tasks: &'a [Vec<f64>],
}

impl<'a> Scores<'a> {
    /// Refuses empty suites, tasks without a run, and scores that are not finite.
    pub fn new(tasks: &'a [Vec<f64>]) -> Outcome<Self> {
        if tasks.is_empty() {
            return Err(Undefined::Empty {
                what: "the suite's tasks".into(),
            });
        }
        for (index, runs) in tasks.iter().enumerate() {
            crate::sample::finite(&format!("task {index}"), runs)?;
        }
        Ok(Self { tasks })
    }

    /// The tasks with their runs.
    pub fn tasks(&self) -> &'a [Vec<f64>] {
        self.tasks
    }

    /// How many scores there are in all.
    pub fn count(&self) -> usize {
        self.tasks.iter().map(Vec::len).sum()
    }

    /// The smallest and the largest number of runs of a task.
    pub fn runs(&self) -> [usize; 2] {
        let lengths = self.tasks.iter().map(Vec::len);
        [
            lengths.clone().min().unwrap_or(0),
            lengths.max().unwrap_or(0),
        ]
    }

    /// Whether every score is 0 or 1.
    pub(crate) fn is_pass_fail(&self) -> bool {
        self.tasks.iter().flatten().all(|&x| x == 0.0 || x == 1.0)
    }

    /// Resampling within a task needs two runs of it.
    pub(crate) fn resamplable(&self) -> Outcome<()> {
        match self.tasks.iter().position(|runs| runs.len() < 2) {
            None => Ok(()),
            Some(index) => Err(Undefined::TooFew {
                method: format!("resampling the runs of task {index}"),
                have: self.tasks[index].len(),
                need: 2,
            }),
        }
    }
}

/// Two arms over the same tasks, in the same order.
pub(crate) fn same_tasks(control: &Scores<'_>, candidate: &Scores<'_>) -> Outcome<()> {
    if control.tasks.len() == candidate.tasks.len() {
        return Ok(());
    }
    Err(Undefined::UnequalLengths {
        left: control.tasks.len(),
        right: candidate.tasks.len(),
    })
}

/// Pairs of runs: as many of one arm as of the other, in every task.
pub(crate) fn same_runs(control: &Scores<'_>, candidate: &Scores<'_>) -> Outcome<()> {
    let mut tasks = control.tasks.iter().zip(candidate.tasks);
    match tasks.find(|(left, right)| left.len() != right.len()) {
        None => Ok(()),
        Some((left, right)) => Err(Undefined::UnequalLengths {
            left: left.len(),
            right: right.len(),
        }),
    }
}
