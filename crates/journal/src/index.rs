//! An SQLite index over all journals of a data root, for questions across runs: one row per run.
//!
//! It holds nothing of its own: a journal that is not as the index saw it last is folded anew, and a damaged or older
//! file is thrown away and made again, also where only one number in it is not what was stored. Where it cannot be written (rights, a full disk, somebody who holds it),
//! the index lives in memory for the time of the command.

mod catch_up;
mod database;
mod failure;
mod query;
mod row;

pub use row::RunRow;

use crate::error::JournalError;
use crate::root::DataRoot;
use crate::run_dir::{RunDir, list_runs};
use crate::state::RunState;
use catch_up::CaughtUp;
use database::{Database, cannot_write};
use failure::Failure;
use std::path::{Path, PathBuf};

/// The index of a data root.
#[derive(Debug)]
pub struct Index {
    root: DataRoot,
    database: Database,
    /// What it held when it last caught up.
    caught_up: Option<CaughtUp>,
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
            caught_up: None,
        })
    }

    /// Where a data root's index lies.
    pub fn path(root: &DataRoot) -> PathBuf {
        root.path().join("index.sqlite")
    }

    /// Reads the journals that have changed since, and forgets runs that are gone.
    pub fn catch_up(&mut self) -> Result<(), JournalError> {
        let runs = list_runs(&self.root)?;
        let caught_up = self.retried(|database| catch_up::catch_up(database, &runs))?;
        self.caught_up = Some(caught_up);
        Ok(())
    }

    /// Runs whose journals could not be read when it last caught up, and why.
    pub fn unreadable(&self) -> &[(RunDir, JournalError)] {
        let caught_up = self.caught_up.as_ref();
        caught_up.map_or(&[], |caught_up| &caught_up.unreadable)
    }

    /// Takes in a run whose journal was just folded, and is complete.
    pub fn take(&mut self, run: &RunDir, state: &RunState) -> Result<(), JournalError> {
        self.retried(|database| catch_up::take(database, run, state))
    }

    /// Every run, oldest first.
    pub fn runs(&mut self) -> Result<Vec<RunRow>, JournalError> {
        if self.rows().is_err() {
            self.database = self.indexed(Database::anew(&Self::path(&self.root)))?;
            self.catch_up()?;
        }
        if self.rows().is_err() {
            // A new file that cannot be read either.
            self.database = self.indexed(Database::memory())?;
            self.catch_up()?;
        }
        let rows = self.rows();
        let rows = self.settle(rows)?.into_iter();
        rows.map(|row| row.with_liveness(&self.root)).collect()
    }

    /// The rows, at least as many as there were when it caught up.
    fn rows(&self) -> Result<Vec<RunRow>, Failure> {
        let rows = query::rows(&self.database.connection)?;
        let caught_up = self.caught_up.as_ref();
        if caught_up.is_some_and(|caught_up| rows.len() < caught_up.runs) {
            return Err(Failure::Damaged);
        }
        Ok(rows.into_iter().map(|(row, _)| row).collect())
    }

    /// Does something; where the file turns out to be damaged, once more with a new one, and where it cannot be written,
    /// once more in memory.
    fn retried<T>(
        &mut self,
        work: impl Fn(&mut Database) -> Result<T, Failure>,
    ) -> Result<T, JournalError> {
        let path = Self::path(&self.root);
        for other in [Database::anew, |_: &Path| Database::memory()] {
            self.database = match work(&mut self.database) {
                Err(Failure::Sqlite(error)) if cannot_write(&error) => {
                    self.indexed(Database::memory())?
                }
                Err(Failure::Sqlite(_) | Failure::Damaged) => self.indexed(other(&path))?,
                done => return self.settle(done),
            };
        }
        let last = work(&mut self.database);
        self.settle(last)
    }

    fn indexed<T>(&self, result: rusqlite::Result<T>) -> Result<T, JournalError> {
        result.map_err(|source| JournalError::Index {
            path: Self::path(&self.root),
            source,
        })
    }

    fn settle<T>(&self, result: Result<T, Failure>) -> Result<T, JournalError> {
        match result {
            Ok(done) => Ok(done),
            Err(Failure::Sqlite(source)) => self.indexed(Err(source)),
            Err(Failure::Damaged) => self.indexed(Err(rusqlite::Error::InvalidQuery)),
            Err(Failure::Journal(error)) => Err(error),
        }
    }
}
