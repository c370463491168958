//! Exit codes: a public contract (docs/reference/exit-codes.md).

use fairtrial_analysis::gate::GateWord;
use fairtrial_session::RunEnd;
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

impl From<RunEnd> for Exit {
    fn from(end: RunEnd) -> Self {
        match end {
            RunEnd::Fine => Self::Fine,
            RunEnd::Failed => Self::Failed,
            RunEnd::Machine => Self::Machine,
            RunEnd::Interrupted => Self::Interrupted,
        }
    }
}

impl From<GateWord> for Exit {
    fn from(word: GateWord) -> Self {
        match word {
            GateWord::Improved | GateWord::Equivalent => Self::Fine,
            GateWord::Regressed => Self::Failed,
            GateWord::Invalid => Self::Machine,
            GateWord::Inconclusive => Self::Inconclusive,
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

/// What a command gives back.
pub(crate) type Done = Result<Exit, Failure>;
