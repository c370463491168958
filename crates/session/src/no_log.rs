//! Why a trial has no log.

use std::path::PathBuf;

/// Why there is no log.
#[derive(Debug, thiserror::Error)]
pub enum NoLog {
    /// The trial was not started.
    #[error("trial {trial} of {name} was not started")]
    NotStarted {
        /// Its place in the plan.
        trial: u64,
        /// The benchmark.
        name: String,
        /// How many trials there are.
        trials: u64,
    },
    /// The trial ended without being started.
    #[error("trial {trial} of {name} was {ended}")]
    NeverRan {
        /// Its place in the plan.
        trial: u64,
        /// The benchmark.
        name: String,
        /// How it ended, and why.
        ended: String,
    },
    /// No trial was named, and none failed.
    #[error("no trial of {name} failed")]
    NoneFailed {
        /// The benchmark.
        name: String,
    },
    /// The file cannot be read.
    #[error("cannot read {}: {error}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        error: std::io::Error,
    },
}
