//! What a format of agent tasks does.

use crate::error::AgentError;
use crate::findings::Findings;
use crate::task::AgentTask;
use std::path::Path;

/// A way in which tasks are written down.
pub trait TaskFormat: Sync {
    /// Its name for people.
    fn name(&self) -> &'static str;
    /// Whether a folder holds a task of this kind.
    fn recognises(&self, dir: &Path) -> bool;
    /// Reads the task; what is wrong but does not stop the reading goes to the findings.
    fn read(&self, dir: &Path, findings: &mut Findings) -> Result<AgentTask, AgentError>;
}
