//! Why a program did not do its work.

use std::io;
use std::process::ExitStatus;
use std::time::Duration;

/// A program that did not do its work.
#[derive(Debug, thiserror::Error)]
pub enum ProcessError {
    /// It could not be started.
    #[error("`{program}` cannot be started: {source}")]
    Start {
        /// The program.
        program: String,
        /// What the system said.
        source: io::Error,
    },
    /// It ended with an error.
    #[error("`{program}` ended with {status}{}", after_colon(.said))]
    Failed {
        /// The program.
        program: String,
        /// How.
        status: ExitStatus,
        /// The last of what it said.
        said: String,
    },
    /// Its time was over, and it was ended.
    #[error("`{program}` took longer than {} s and was ended{}", .limit.as_secs_f64(), after_colon(.said))]
    Late {
        /// The program.
        program: String,
        /// Its time.
        limit: Duration,
        /// The last of what it said.
        said: String,
    },
    /// It was not wanted any more.
    #[error("`{program}` was ended before it was done, because that was asked for")]
    Stopped {
        /// The program.
        program: String,
    },
    /// It printed more than it may, and was ended.
    #[error("`{program}` printed more than {most} bytes and was ended")]
    TooLong {
        /// The program.
        program: String,
        /// The most that it may print.
        most: usize,
    },
    /// The system did not let us follow it.
    #[error("`{program}` cannot be followed: {source}")]
    Follow {
        /// The program.
        program: String,
        /// What the system said.
        source: io::Error,
    },
}

impl ProcessError {
    /// The program.
    pub fn program(&self) -> &str {
        match self {
            Self::Start { program, .. }
            | Self::Failed { program, .. }
            | Self::Late { program, .. }
            | Self::Stopped { program }
            | Self::TooLong { program, .. }
            | Self::Follow { program, .. } => program,
        }
    }

    /// What went wrong, for a message that has named the program: what it said itself, where it said something.
    pub fn reason(&self) -> String {
        match self {
            Self::Start { source, .. } | Self::Follow { source, .. } => source.to_string(),
            Self::Failed { status, said, .. } if said.trim().is_empty() => status.to_string(),
            Self::Failed { said, .. } => said.trim().to_owned(),
            Self::Late { limit, .. } => {
                format!(
                    "it took longer than {} s and was ended",
                    limit.as_secs_f64()
                )
            }
            Self::Stopped { .. } => "it was ended, because that was asked for".to_owned(),
            Self::TooLong { most, .. } => format!("it printed more than {most} bytes"),
        }
    }

    /// Whether there is no such program.
    pub fn is_missing(&self) -> bool {
        matches!(self, Self::Start { source, .. } if source.kind() == io::ErrorKind::NotFound)
    }
}

fn after_colon(said: &str) -> String {
    match said.trim() {
        "" => String::new(),
        text => format!(": {text}"),
    }
}
