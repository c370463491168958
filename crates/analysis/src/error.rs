//! Why an analysis could not be made at all. What the data do not allow is no error: it stands in the result.

use fairtrial_interop::InteropError;
use fairtrial_journal::{JournalError, ResolvedSpecError};
use fairtrial_series::{FileError, SeriesError};

/// An error of this crate.
#[derive(Debug, thiserror::Error)]
pub enum AnalysisError {
    /// A run's files could not be read.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The spec that a run keeps is not known.
    #[error(transparent)]
    Spec(#[from] ResolvedSpecError),
    /// Other tools' results.
    #[error(transparent)]
    Interop(#[from] InteropError),
    /// A file with a curve.
    #[error(transparent)]
    CurveFile(#[from] FileError),
    /// A trial's curve.
    #[error(transparent)]
    Series(#[from] SeriesError),
    /// An option outside its range.
    #[error("{name} = {value}: {expected}")]
    Option {
        /// Its name.
        name: &'static str,
        /// What was given.
        value: String,
        /// What it must be.
        expected: &'static str,
    },
    /// A file does not hold what it should.
    #[error("{label}: {message}")]
    Content {
        /// The file.
        label: String,
        /// What is wrong.
        message: String,
    },
    /// The question does not fit the data.
    #[error("{0}")]
    Question(String),
    /// The `git` program gave no answer.
    #[error("git: {0}")]
    Git(String),
}
