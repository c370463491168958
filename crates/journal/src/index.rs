//! An SQLite index over all journals of a data root, for questions across runs: one row per run.
//!
//! It holds nothing of its own: a journal that is not as the index saw it last is folded anew, and a broken or older
//! file is thrown away and made again. Where it cannot be written (rights, a full disk, somebody who holds it),
//! the index lives in memory for the time of the command.

mod catch_up;
mod database;
mod query;

pub use query::RunRow;

use crate::error::JournalError;
use crate::root::DataRoot;
use crate::run_dir::{RunDir, list_runs};
use crate::state::RunState;
use database::{Database, cannot_write, is_broken};
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

    /// Reads the journals that have changed since, and forgets runs that are gone.
    pub fn catch_up(&mut self) -> Result<(), JournalError> {
        let runs = list_runs(&self.root)?;
        self.retried(|database| catch_up::catch_up(database, &runs))
    }

    /// Takes in a run whose journal was just folded, and is complete.
    pub fn take(&mut self, run: &RunDir, state: &RunState) -> Result<(), JournalError> {
        self.retried(|database| catch_up::take(database, run, state))
    }

    /// Every run, oldest first.
    pub fn runs(&self) -> Result<Vec<RunRow>, JournalError> {
        let rows = self.indexed(query::runs(&self.database.connection))?;
        rows.into_iter()
            .map(|row| row.with_liveness(&self.root))
            .collect()
    }

    /// Does something; where the file turns out to be broken, once more with a new one, and where it cannot be written,
    /// once more in memory.
    fn retried(
        &mut self,
        work: impl Fn(&mut Database) -> Result<(), catch_up::Failure>,
    ) -> Result<(), JournalError> {
        let other = match work(&mut self.database) {
            Err(catch_up::Failure::Sqlite(error)) if is_broken(&error) => {
                Database::anew(&Self::path(&self.root))
            }
            Err(catch_up::Failure::Sqlite(error)) if cannot_write(&error) => Database::memory(),
            done => return self.settle(done),
        };
        self.database = self.indexed(other)?;
        let again = work(&mut self.database);
        self.settle(again)
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
