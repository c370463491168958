//! Planning with tasks and rollouts: how many tasks, and how many rollouts of each.

use serde::Serialize;

/// The noise of a paired comparison over tasks with several rollouts each (Miller 2024, section 5).
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct TaskNoise {
    /// Variance of the true difference between the arms over tasks.
    pub between_tasks: f64,
    /// Variance of one rollout of the control within a task.
    pub control_rollout: f64,
    /// Variance of one rollout of the candidate within a task.
    pub candidate_rollout: f64,
    /// Rollouts per task of the control.
    pub control_rollouts: u32,
    /// Rollouts per task of the candidate.
    pub candidate_rollouts: u32,
}

impl TaskNoise {
    /// The variance of one task's observed difference.
    pub fn per_task(&self) -> f64 {
        self.between_tasks
            + self.control_rollout / f64::from(self.control_rollouts)
            + self.candidate_rollout / f64::from(self.candidate_rollouts)
    }
}
