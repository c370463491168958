//! Why a rollout, or the preparation of its task, could not go on.

use fairtrial_process::ProcessError;
use std::io;
use std::path::{Path, PathBuf};

/// What went wrong outside of the agent.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    /// A file or folder could not be used.
    #[error("could not {action} {}: {source}", path.display())]
    Io {
        /// What was being done.
        action: &'static str,
        /// With what.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A task's file does not hold what it must.
    #[error("{}: {message}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        message: String,
    },
    /// A program of ours (git, the sandbox) did not do its work.
    #[error("`{program}` failed: {message}")]
    Program {
        /// The program with its first arguments.
        program: String,
        /// What it said.
        message: String,
    },
    /// A sandbox that this machine cannot give.
    #[error("{0}")]
    Sandbox(String),
    /// A sandbox that was to be built around a program and could not.
    #[error("the sandbox could not be built: {0}")]
    Unbuilt(String),
    /// A task's image could not be built.
    #[error("{0}")]
    Image(String),
    /// What comes before the agent failed.
    #[error("{message}")]
    Setup {
        /// How, and the last of what it said.
        message: String,
        /// Whether another attempt would end the same way.
        permanent: bool,
    },
    /// A file of results could not be written.
    #[error(transparent)]
    Journal(#[from] fairtrial_journal::JournalError),
    /// The judge gave no usable answer.
    #[error("the judge gave no score: {0}")]
    Judge(String),
}

impl From<ProcessError> for AgentError {
    fn from(error: ProcessError) -> Self {
        let is_git = error.program().starts_with("git ");
        let hint = if is_git && error.is_missing() {
            " (agent tasks need git)"
        } else {
            ""
        };
        Self::Program {
            program: error.program().to_owned(),
            message: format!("{}{hint}", error.reason()),
        }
    }
}

/// Puts the place to a system's error.
pub(crate) trait At<T> {
    /// The error with what was being done, and with what.
    fn at(self, action: &'static str, path: &Path) -> Result<T, AgentError>;
}

impl<T> At<T> for io::Result<T> {
    fn at(self, action: &'static str, path: &Path) -> Result<T, AgentError> {
        self.map_err(|source| AgentError::Io {
            action,
            path: path.to_owned(),
            source,
        })
    }
}
