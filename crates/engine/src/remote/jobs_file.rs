//! What the scheduler last said of a run's open jobs, where other terminals read it while a controller is at work.

use crate::events::JobGroup;
use fairtrial_journal::{Durability, JournalError, RunDir, write_atomic_bytes};
use fairtrial_model::UtcTime;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The file.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct JobsFile {
    /// When the scheduler was heard.
    pub at: UtcTime,
    /// What it said.
    pub jobs: Vec<JobGroup>,
}

impl JobsFile {
    /// What the controller of a run last wrote; absent where nothing was handed out.
    pub fn read(run: &RunDir) -> Option<Self> {
        let text = std::fs::read(path(run)).ok()?;
        serde_json::from_slice(&text).ok()
    }

    pub(super) fn write(&self, run: &RunDir) -> Result<(), JournalError> {
        let text = serde_json::to_vec(self).unwrap_or_default();
        write_atomic_bytes(&path(run), Durability::Process, &text)
    }
}

fn path(run: &RunDir) -> PathBuf {
    run.chunks().join("jobs.json")
}
