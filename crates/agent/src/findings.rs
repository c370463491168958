//! What is found out about a task while it is read and looked at.

use serde::Serialize;

/// What was found out about a task.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Findings {
    /// What keeps it from running.
    pub errors: Vec<String>,
    /// What a reader should know.
    pub warnings: Vec<String>,
}

impl Findings {
    /// Something that keeps the task from running.
    pub fn error(&mut self, message: impl Into<String>) {
        self.errors.push(message.into());
    }

    /// Something to know.
    pub fn warn(&mut self, message: impl Into<String>) {
        self.warnings.push(message.into());
    }
}
