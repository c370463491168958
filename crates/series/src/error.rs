//! Why the points of a metric cannot be read.

use fairtrial_interop::InteropError;
use std::path::Path;

/// A file that cannot be read, or does not hold what it should.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {message}")]
pub struct FileError {
    /// The file or folder.
    pub place: String,
    /// What is wrong with it.
    pub message: String,
}

impl FileError {
    /// Something about a file or folder.
    pub(crate) fn at(path: &Path, message: impl Into<String>) -> Self {
        Self {
            place: path.display().to_string(),
            message: message.into(),
        }
    }
}

/// Why a metric of a trial has no points.
#[derive(Debug, thiserror::Error)]
pub enum SeriesError {
    /// It is a file of the trial.
    #[error(transparent)]
    File(#[from] FileError),
    /// It is what a tracker left.
    #[error(transparent)]
    Tracker(#[from] InteropError),
}
