//! The runs there are.

use crate::error::SessionError;
use crate::session::Session;
use fairtrial_journal::{Index, RunRow};

impl Session {
    /// Every run of the data root, the oldest first. One whose journal cannot be read is told of and left out.
    pub fn runs(&self) -> Result<Vec<RunRow>, SessionError> {
        let root = self.data_root();
        if !root.rollouts_dir().is_dir() {
            return Ok(Vec::new());
        }
        let mut index = Index::open(&root)?;
        index.catch_up()?;
        let runs = index.runs()?;
        for (run, error) in index.unreadable() {
            self.warn(format!(
                "run {} {} is left out: {error}",
                run.name(),
                run.stamp()
            ));
        }
        Ok(runs)
    }
}
