//! What can go wrong with the index.

use crate::error::JournalError;

/// What went wrong.
#[derive(Debug)]
pub(super) enum Failure {
    Sqlite(rusqlite::Error),
    /// A row is not as it was stored.
    Damaged,
    Journal(JournalError),
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

impl From<JournalError> for Failure {
    fn from(error: JournalError) -> Self {
        Self::Journal(error)
    }
}
