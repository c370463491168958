//! What the index answers.

use super::failure::Failure;
use super::row::{self, COLUMNS, FileState, RunRow};
use crate::error::JournalError;
use crate::find_run::Selector;
use crate::lock::is_live;
use crate::root::DataRoot;
use crate::run_dir::RunDir;
use rusqlite::Connection;

impl RunRow {
    /// A run that was closed has no controller; of the others the lock tells.
    pub(super) fn with_liveness(mut self, root: &DataRoot) -> Result<Self, JournalError> {
        if self.status.is_none() {
            let run = RunDir::open(root, &self.name, Selector::Stamp(self.stamp));
            self.live = match run {
                Ok(run) => is_live(&run)?.is_live(),
                // Removed since the index caught up.
                Err(_) => false,
            };
        }
        Ok(self)
    }
}

/// Every run, oldest first, as if none were live, with the journal as it was read.
pub(super) fn rows(connection: &Connection) -> Result<Vec<(RunRow, FileState)>, Failure> {
    let all = format!("SELECT {COLUMNS}, sum FROM runs ORDER BY stamp, name");
    let mut statement = connection.prepare_cached(&all)?;
    let rows = statement.query_map([], row::read)?;
    rows.map(|row| row?.ok_or(Failure::Damaged)).collect()
}
