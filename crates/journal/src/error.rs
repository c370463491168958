//! What can go wrong with a run's files, always with the path in it.

use fairtrial_model::Stamp;
use std::io;
use std::path::{Path, PathBuf};

/// An error of this crate.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The system refused something.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// On which path.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A name that cannot be a folder's.
    #[error(
        "`{0}` cannot name a run: use letters, digits, `.`, `_` and `-`, and do not start with `.`"
    )]
    Name(String),
    /// No run of that name and stamp.
    #[error("there is no run {what} under {}", rollouts.display())]
    NoSuchRun {
        /// Name, or name and stamp.
        what: String,
        /// Where it was looked for.
        rollouts: PathBuf,
    },
    /// A run that can be read and not changed.
    #[error("run {name} {stamp} is archived")]
    Archived {
        /// The benchmark's name.
        name: String,
        /// The run's stamp.
        stamp: Stamp,
    },
    /// A file of ours that does not hold what it should.
    #[error("{}: {message}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        message: String,
    },
    /// The journal could not be written, even after several tries.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// Another controller holds the run.
    #[error(transparent)]
    Locked(#[from] crate::holder::Locked),
    /// The index refused something.
    #[error("index {}: {source}", path.display())]
    Index {
        /// The database.
        path: PathBuf,
        /// What SQLite said.
        source: rusqlite::Error,
    },
}

/// The journal could not be written. What was appended since the last commit is not on disk.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot write {}: {message}", path.display())]
pub struct WriteError {
    /// The journal.
    pub path: PathBuf,
    /// The kind of refusal, for callers that treat a full disk differently.
    pub kind: io::ErrorKind,
    /// What the system said.
    pub message: String,
}

impl WriteError {
    pub(crate) fn new(path: &Path, source: &io::Error) -> Self {
        Self {
            path: path.to_owned(),
            kind: source.kind(),
            message: source.to_string(),
        }
    }
}

impl JournalError {
    pub(crate) fn io(action: &'static str, path: &Path, source: io::Error) -> Self {
        Self::Io {
            action,
            path: path.to_owned(),
            source,
        }
    }
}

impl From<JournalError> for io::Error {
    fn from(error: JournalError) -> Self {
        Self::other(error)
    }
}

/// Adds action and path to an [`io::Error`].
pub(crate) trait At<T> {
    fn at(self, action: &'static str, path: &Path) -> Result<T, JournalError>;
}

impl<T> At<T> for io::Result<T> {
    fn at(self, action: &'static str, path: &Path) -> Result<T, JournalError> {
        self.map_err(|source| JournalError::io(action, path, source))
    }
}
