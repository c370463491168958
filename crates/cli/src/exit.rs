//! Exit codes: a public contract (docs/reference/exit-codes.md).

use crate::run_names;
use std::io::ErrorKind;
use std::process::ExitCode;

/// How a command ended, as its caller sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Everything is as asked.
    Fine,
    /// Trials failed.
    Failed,
    /// The user's input is wrong.
    Input,
    /// The engine or the machine failed.
    Machine,
    /// A gate that the data leave open.
    Inconclusive,
    /// Interrupted.
    Interrupted,
}

impl Exit {
    /// The number that the system knows.
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Fine => 0,
            Self::Failed => 1,
            Self::Input => 2,
            Self::Machine => 3,
            Self::Inconclusive => 4,
            Self::Interrupted => 130,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        exit.code().into()
    }
}

/// A command that could not do its work: what to tell the user, and the code.
#[derive(Debug)]
pub(crate) struct Failure {
    /// How to end.
    pub(crate) exit: Exit,
    /// What is wrong.
    pub(crate) message: String,
    /// What to do about it.
    pub(crate) hint: Option<String>,
}

impl Failure {
    /// The user's input is wrong.
    pub(crate) fn input(message: impl Into<String>) -> Self {
        Self {
            exit: Exit::Input,
            message: message.into(),
            hint: None,
        }
    }

    /// The machine failed.
    pub(crate) fn machine(message: impl Into<String>) -> Self {
        Self {
            exit: Exit::Machine,
            message: message.into(),
            hint: None,
        }
    }

    /// Adds what to do.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

/// What to do about a run without its first files.
const NEVER_BEGAN: &str = "the run was ended before it began: `fairtrial run SPEC --resume` begins it, or remove its folder";

impl From<fairtrial_journal::JournalError> for Failure {
    fn from(error: fairtrial_journal::JournalError) -> Self {
        use fairtrial_journal::JournalError::{Io, Locked, Name, NoSuchRun};
        match &error {
            Name(_) => Self::input(error.to_string()),
            NoSuchRun { what, rollouts } => {
                Self::input(error.to_string()).hint(run_names::hint(what, rollouts))
            }
            Locked(_) => Self::machine(error.to_string())
                .hint("`fairtrial status` shows what it is doing, `fairtrial cancel` stops it"),
            Io { path, source, .. }
                if path.ends_with("journal.jsonl") && source.kind() == ErrorKind::NotFound =>
            {
                Self::machine(error.to_string()).hint(NEVER_BEGAN)
            }
            _ => Self::machine(error.to_string()),
        }
    }
}

impl From<fairtrial_journal::ResolvedSpecError> for Failure {
    fn from(error: fairtrial_journal::ResolvedSpecError) -> Self {
        use fairtrial_journal::ResolvedSpecError::{Absent, Unreadable};
        match error {
            Unreadable(error) => error.into(),
            Absent(_) => Self::machine(error.to_string()).hint(NEVER_BEGAN),
            _ => Self::machine(error.to_string()),
        }
    }
}

impl From<fairtrial_engine::EngineError> for Failure {
    fn from(error: fairtrial_engine::EngineError) -> Self {
        match error {
            fairtrial_engine::EngineError::Journal(error) => error.into(),
            fairtrial_engine::EngineError::Spec(error) => error.into(),
            error if error.is_input() => Self::input(error.to_string()),
            error => Self::machine(error.to_string()),
        }
    }
}

impl From<fairtrial_plan::PlanError> for Failure {
    fn from(error: fairtrial_plan::PlanError) -> Self {
        Self::input(error.to_string())
    }
}

impl From<fairtrial_analysis::AnalysisError> for Failure {
    fn from(error: fairtrial_analysis::AnalysisError) -> Self {
        use fairtrial_analysis::AnalysisError::{Git, Journal, Spec};
        match error {
            Journal(error) => error.into(),
            Spec(error) => error.into(),
            Git(_) => Self::machine(error.to_string()),
            _ => Self::input(error.to_string()),
        }
    }
}

/// What a command gives back.
pub(crate) type Done = Result<Exit, Failure>;
