//! What was found in an agent task.

use fairtrial_engine::agent_tasks::CheckedTask;

/// What was found in an agent task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskFinding {
    /// The task's id in the spec.
    pub task: String,
    /// Its folder.
    pub prepared_dir: String,
    /// What was found.
    pub message: String,
    /// Whether it keeps the task from running.
    pub is_error: bool,
}

impl TaskFinding {
    /// Everything that was found in these tasks.
    pub fn of(tasks: &[CheckedTask]) -> Vec<Self> {
        let of_task = |task: &CheckedTask| {
            let finding = |message: &String, is_error| Self {
                task: task.task.clone(),
                prepared_dir: task.prepared_dir.clone(),
                message: message.clone(),
                is_error,
            };
            let warnings = task
                .findings
                .warnings
                .iter()
                .map(|text| finding(text, false));
            let errors = task.findings.errors.iter().map(|text| finding(text, true));
            warnings.chain(errors).collect::<Vec<_>>()
        };
        tasks.iter().flat_map(of_task).collect()
    }
}
