//! What went wrong in an experiment, and where.

use crate::worker::Lost;
use fairtrial_journal::redact::Redactor;

/// What went wrong in an experiment.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub(crate) struct Trouble {
    /// In which part: `setup`, `warmup`, `measured`, `profiled`, `teardown`.
    pub(crate) phase: &'static str,
    /// What.
    pub(crate) message: String,
    /// The iteration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) iteration: Option<u64>,
    /// Where in the experiment's code.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) trace: String,
    /// Whether the worker can still be asked.
    #[serde(skip)]
    pub(crate) worker_lost: bool,
    /// Whether the trial was told to end.
    #[serde(skip)]
    pub(crate) stopped: bool,
}

impl Trouble {
    /// A worker that is gone.
    pub(crate) fn lost(phase: &'static str, lost: &Lost, iteration: Option<u64>) -> Self {
        Self {
            phase,
            message: lost.to_string(),
            iteration,
            trace: String::new(),
            worker_lost: true,
            stopped: *lost == Lost::Stopped,
        }
    }

    /// Takes values of secrets out of what the experiment said.
    pub(crate) fn redact(&mut self, environment: &[(String, String)]) {
        let redactor = Redactor::from_env(environment.iter().map(|(name, value)| (name, value)));
        self.message = redactor.redact(&self.message).into_owned();
        self.trace = redactor.redact(&self.trace).into_owned();
    }

    /// Everything, for the log: where it happened, and the one line last.
    pub(crate) fn whole(&self) -> String {
        let trace = self.trace.trim_end();
        if trace.is_empty() {
            return self.words();
        }
        format!("{trace}\n{}", self.words())
    }

    /// One line for people.
    pub(crate) fn words(&self) -> String {
        let place = match self.iteration {
            Some(iteration) => format!("{} iteration {iteration}", self.phase),
            None => self.phase.to_owned(),
        };
        format!("{place}: {}", self.message)
    }
}
