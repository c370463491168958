//! Whether another attempt follows one that ended.

use super::Dispatch;
use super::retry::{allowed, is_permanent};
use fairtrial_model::{Checkpoint, Record};

impl Dispatch {
    /// Counts a retry; gives how many there were before.
    pub(super) fn count_retry(&mut self, index: u64) -> u32 {
        let count = self.retried.entry(index).or_default();
        *count += 1;
        *count - 1
    }

    /// How often in a row a trial that saves its state was interrupted before it saved anything; absent for what is no
    /// interruption. One that saved something goes on from there: that is no retry, however often it happens.
    pub(super) fn count_idle(&mut self, record: &Record) -> Option<u32> {
        if !record.is_interrupted() {
            return None;
        }
        let saved = record.checkpoint.as_ref().is_some_and(Checkpoint::saved);
        let idle = self.idle.entry(record.trial.index).or_default();
        *idle = if saved { 0 } else { *idle + 1 };
        Some(*idle)
    }

    /// Whether another attempt follows this one.
    pub(super) fn shall_retry(&self, record: &Record) -> bool {
        if self.stop.is_some() || self.budget.is_given_out() || is_permanent(record) {
            return false;
        }
        let Some(task) = self.plan.task(record.trial.index) else {
            return false;
        };
        let allowed = allowed(&task.retries, record.outcome);
        if let (true, Some(idle)) = (record.is_interrupted(), self.idle.get(&record.trial.index)) {
            return *idle <= allowed;
        }
        self.retried.get(&record.trial.index).copied().unwrap_or(0) < allowed
    }
}
