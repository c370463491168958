//! What the driver is given by its program, and why it may leave nothing.

use fairtrial_model::UtcTime;
use rustix::io::Errno;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// What the driver needs from its program.
pub struct Tools {
    /// This very program, which is the worker of its own experiments.
    pub program: PathBuf,
    /// Its version.
    pub version: String,
    /// The caller's environment.
    pub environment: Vec<(String, String)>,
    /// The clock for result files.
    pub now: fn() -> UtcTime,
    /// Becomes true when the trial is being ended.
    pub stop: Arc<AtomicBool>,
    /// Takes what workers and the driver say.
    pub say: fn(&str),
}

/// What keeps a trial from leaving results.
#[derive(Debug, thiserror::Error)]
pub enum DriveError {
    /// A file could not be written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The worker could not be started.
    #[error("the worker {program} could not be started: {source}")]
    Start {
        /// Its program.
        program: String,
        /// What the system said.
        source: io::Error,
    },
    /// Files of a run could not be written.
    #[error(transparent)]
    Journal(#[from] fairtrial_journal::JournalError),
}

impl DriveError {
    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self + '_ {
        move |source| Self::Io {
            path: path.to_owned(),
            source,
        }
    }

    /// Whether another attempt would end the same way: the same errors as for the programs of other trials.
    pub(crate) fn is_permanent(&self) -> bool {
        let Self::Start { source, .. } = self else {
            return false;
        };
        matches!(
            Errno::from_io_error(source),
            Some(
                Errno::NOENT
                    | Errno::ACCESS
                    | Errno::NOEXEC
                    | Errno::NOTDIR
                    | Errno::INVAL
                    | Errno::TOOBIG
            )
        )
    }
}
