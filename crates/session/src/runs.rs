//! The runs there are.

use crate::error::SessionError;
use crate::session::Session;
use fairtrial_journal::{Index, RunRow};

impl Session {
    /// Every run of the data root, the oldest first.
    pub fn runs(&self) -> Result<Vec<RunRow>, SessionError> {
        let root = self.data_root();
        if !root.rollouts_dir().is_dir() {
            return Ok(Vec::new());
        }
        let mut index = Index::open(&root)?;
        index.catch_up()?;
        Ok(index.runs()?)
    }
}
