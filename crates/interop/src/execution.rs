//! What another tool recorded, in words that all tools share: an execution with its fields, its numbers and its end.

use fairtrial_model::{Cause, Direction, Outcome, Params, UtcTime};
use std::path::PathBuf;

/// A metric as its source has it.
#[derive(Debug, Clone, PartialEq)]
pub struct Metric {
    /// Its name.
    pub name: String,
    /// The unit that its numbers are given in here.
    pub unit: Option<String>,
    /// The unit that stands in the file, where that is another one.
    pub original_unit: Option<String>,
    /// Which way is better, where the tool's meaning of the number says so.
    pub direction: Option<Direction>,
    /// Whether it is what the tool is asked for; others are there for those who name them.
    pub headline: bool,
}

impl Metric {
    /// A metric of which only the name is known.
    pub fn named(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            unit: None,
            original_unit: None,
            direction: None,
            headline: false,
        }
    }

    /// Which way is better.
    #[must_use]
    pub fn better(mut self, direction: Direction) -> Self {
        self.direction = Some(direction);
        self
    }

    /// What the tool is asked for.
    #[must_use]
    pub fn headline(mut self) -> Self {
        self.headline = true;
        self
    }
}

/// A metric by its place among those of a sink.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MetricId(pub u32);

/// The numbers of one metric, one for each measured iteration inside an execution.
#[derive(Debug, Clone, PartialEq)]
pub struct Samples {
    /// Which metric.
    pub metric: MetricId,
    /// Its values in the order in which they were measured.
    pub values: Vec<f64>,
}

/// One execution: a process, a training run, an attempt at a task. Iterations inside it share its luck and its faults, so
/// that it is the cluster they belong to.
#[derive(Debug, Clone, PartialEq)]
pub struct Execution {
    /// The file it stands in.
    pub source: PathBuf,
    /// Everything that tells it from others or says how it was made (command, parameters, config, model, sample). Which
    /// of them is the arm, the task or the seed is decided later, see [`crate::Roles`].
    pub fields: Params,
    /// How it ended.
    pub outcome: Outcome,
    /// Why, where it is not `ok`.
    pub cause: Option<Cause>,
    /// Numbers of the whole.
    pub metrics: Vec<(MetricId, f64)>,
    /// Numbers of the iterations inside it.
    pub samples: Vec<Samples>,
    /// When it began.
    pub started_at: Option<UtcTime>,
    /// When it ended.
    pub ended_at: Option<UtcTime>,
    /// What a reader should know.
    pub notes: Vec<String>,
}

impl Execution {
    /// One that ended well, of which nothing else is known yet.
    pub fn of(source: impl Into<PathBuf>) -> Self {
        Self {
            source: source.into(),
            fields: Params::new(),
            outcome: Outcome::Ok,
            cause: None,
            metrics: Vec::new(),
            samples: Vec::new(),
            started_at: None,
            ended_at: None,
            notes: Vec::new(),
        }
    }

    /// Sets a field that has text.
    pub(crate) fn set(&mut self, field: &str, text: impl Into<String>) {
        self.fields.set(field, text.into().into());
    }

    /// Sets a field that has text, where it has.
    pub(crate) fn set_some(&mut self, field: &str, text: Option<impl Into<String>>) {
        if let Some(text) = text {
            self.set(field, text);
        }
    }

    /// It failed for this reason.
    pub(crate) fn fail(&mut self, outcome: Outcome, message: impl Into<String>) {
        self.outcome = outcome;
        self.cause = Some(Cause::Said {
            message: message.into(),
            permanent: false,
        });
    }

    /// It ended with this exit code.
    pub(crate) fn exit(&mut self, code: i32) {
        if code != 0 {
            self.outcome = Outcome::Failed;
            self.cause = Some(Cause::ExitCode { code });
        }
    }
}

/// What kind of thing a [`Fact`] is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FactKind {
    /// The machine.
    Machine,
    /// The state of the source that was measured.
    Source,
    /// The tool and how it was used.
    Tool,
}

/// Something about how a whole file was made, which two sides of a comparison should share.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fact {
    /// What it is about.
    pub kind: FactKind,
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
}
