//! An SQLite index over all journals of a data root, for questions across runs.
//!
//! It holds nothing of its own: it catches up from the journals by offset, and a broken or older file is thrown away
//! and made again. Where the data root cannot be written, the index lives in memory for the time of the command.

mod catch_up;
mod database;
mod query;
mod trials;

pub use query::{RunRow, SummaryRow};

use crate::error::JournalError;
use crate::root::DataRoot;
use crate::run_dir::list_runs;
use database::{Database, is_broken};
use fairtrial_model::Stamp;
use std::path::PathBuf;

/// The index of a data root.
#[derive(Debug)]
pub struct Index {
    root: DataRoot,
    database: Database,
}

impl Index {
    /// Opens the index, or makes it where it is not there, broken, or of another version.
    pub fn open(root: &DataRoot) -> Result<Self, JournalError> {
        let path = Self::path(root);
        let database =
            Database::open(&path).map_err(|source| JournalError::Index { path, source })?;
        Ok(Self {
            root: root.clone(),
            database,
        })
    }

    /// Where a data root's index lies.
    pub fn path(root: &DataRoot) -> PathBuf {
        root.path().join("index.sqlite")
    }

    /// Whether the index lives in memory only, because the data root is not there or cannot be written.
    pub fn is_in_memory(&self) -> bool {
        self.database.in_memory
    }

    /// Takes in what the journals have gained since, reads replaced ones anew, and forgets runs that are gone.
    pub fn catch_up(&mut self) -> Result<(), JournalError> {
        let runs = list_runs(&self.root)?;
        match catch_up::catch_up(&mut self.database, &runs) {
            Err(catch_up::Failure::Sqlite(error)) if is_broken(&error) => {
                self.database = self.indexed(Database::anew(&Self::path(&self.root)))?;
                let again = catch_up::catch_up(&mut self.database, &runs);
                self.settle(again)
            }
            other => self.settle(other),
        }
    }

    /// Every run, oldest first.
    pub fn runs(&self) -> Result<Vec<RunRow>, JournalError> {
        let rows = self.indexed(query::runs(&self.database.connection))?;
        rows.into_iter()
            .map(|row| row.with_liveness(&self.root))
            .collect()
    }

    /// Hands every effective result of a run to `each`, in index order. Says whether the index knows the run.
    pub fn summary_rows(
        &self,
        name: &str,
        stamp: Stamp,
        each: impl FnMut(SummaryRow<'_>),
    ) -> Result<bool, JournalError> {
        self.indexed(query::summary_rows(
            &self.database.connection,
            (name, stamp),
            each,
        ))
    }

    fn indexed<T>(&self, result: rusqlite::Result<T>) -> Result<T, JournalError> {
        result.map_err(|source| JournalError::Index {
            path: Self::path(&self.root),
            source,
        })
    }

    fn settle(&self, result: Result<(), catch_up::Failure>) -> Result<(), JournalError> {
        match result {
            Ok(()) => Ok(()),
            Err(catch_up::Failure::Sqlite(source)) => self.indexed(Err(source)),
            Err(catch_up::Failure::Journal(error)) => Err(error),
        }
    }
}
