//! Steps to a threshold that some trials did not reach. How much longer those take is not known, so that steps are counted
//! up to one horizon: the smallest last step of a trial that did not get there. Up to it every trial's steps are known,
//! and their mean (the restricted mean) is the same question to all.

use std::collections::BTreeMap;

/// Up to which step a task's steps are counted, where some trial of it did not reach its threshold.
#[derive(Debug, Default)]
pub(crate) struct Horizon(BTreeMap<u32, f64>);

impl Horizon {
    /// From the task and the last step of every trial that did not get there.
    pub(crate) fn of(not_reached: impl Iterator<Item = (u32, f64)>) -> Self {
        let mut horizon = Self::default();
        for (task, step) in not_reached {
            let known = horizon.0.entry(task).or_insert(step);
            *known = known.min(step);
        }
        horizon
    }

    /// A number of steps as far as it counts.
    pub(crate) fn counted(&self, task: u32, steps: f64) -> f64 {
        self.0
            .get(&task)
            .map_or(steps, |horizon| steps.min(*horizon))
    }
}
