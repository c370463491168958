//! What a bench is asked.

use super::command::{BenchCommand, ShellChoice};
use super::counter::Counter;
use super::parameter::BenchParameter;
use fairtrial_model::{Accepts, HardwareCounter, Quiet, TimedOutput};
use serde::Serialize;
use std::time::Duration;

/// What a bench is asked. [`BenchQuestion::new`] is the plain question: which of these commands is faster?
#[derive(Debug, Clone, Serialize)]
pub struct BenchQuestion {
    /// The commands; the first is what the others are compared with.
    pub commands: Vec<BenchCommand>,
    /// Parameters in them: each command is taken with every combination of their values.
    pub parameters: Vec<BenchParameter>,
    /// Revisions of the repository to run the one command in; one alone is compared with the files as they are.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub revisions: Vec<String>,
    /// What builds a revision, in its folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub build: Option<String>,
    /// When a shell runs them.
    pub shell: ShellChoice,
    /// What becomes of their standard output.
    pub output: TimedOutput,
    /// Whether what they write is shown as it comes.
    pub shows_output: bool,
    /// The file that is their standard input.
    pub input: Option<String>,
    /// Runs before the measured ones; absent for as many as it takes to be stable.
    pub warmup: Option<u32>,
    /// What runs before the first run of each command: one for all, or one per command.
    pub setup: Vec<String>,
    /// What runs before each run: one for all, or one per command.
    pub prepare: Vec<String>,
    /// What runs after each run: one for all, or one per command.
    pub conclude: Vec<String>,
    /// What runs after the last run of each command: one for all, or one per command.
    pub cleanup: Vec<String>,
    /// What counts instructions, where they are compared instead of times.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counter: Option<Counter>,
    /// Which exit codes besides 0 count as well.
    pub accepts: Accepts,
    /// How many runs of each command, and for how long.
    pub runs: Runs,
    /// What makes the commands less disturbed.
    #[serde(skip_serializing_if = "Quiet::is_default")]
    pub quiet: Quiet,
    /// What is compared.
    pub metric: BenchMetric,
    /// The smallest difference that matters, as a share.
    pub margin: f64,
    /// Whether its run is kept.
    pub saves: bool,
}

/// How many runs of each command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Runs {
    /// At least so many, whatever the time limit.
    pub least: Option<u32>,
    /// At most so many.
    pub most: Option<u32>,
    /// The answer is waited for so long.
    pub limit: Duration,
}

impl Runs {
    /// The time limit where none is named.
    pub const LIMIT: Duration = Duration::from_secs(30);

    /// Exactly so many, however long they take.
    pub const fn exactly(runs: u32) -> Self {
        Self {
            least: Some(runs),
            most: Some(runs),
            limit: Duration::ZERO,
        }
    }

    /// Whether their number is fixed beforehand.
    pub fn is_fixed(&self) -> bool {
        self.least.is_some() && self.least == self.most
    }
}

impl Default for Runs {
    fn default() -> Self {
        Self {
            least: None,
            most: None,
            limit: Self::LIMIT,
        }
    }
}

/// What is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum BenchMetric {
    /// The time from start to end.
    #[default]
    Wall,
    /// CPU time, user and system together: less in the way of a busy machine.
    Cpu,
    /// User CPU time.
    User,
    /// System CPU time.
    System,
    /// What the processor counts in user space.
    Counted(HardwareCounter),
}

impl BenchMetric {
    /// Its name in the run, and the field of the resource record.
    pub const fn field(self) -> &'static str {
        match self {
            Self::Wall => "wall",
            Self::Cpu => "cpu",
            Self::User => "user",
            Self::System => "sys",
            Self::Counted(counter) => counter.field(),
        }
    }

    /// What the processor counts for it, where it is no time.
    pub const fn counter(self) -> Option<HardwareCounter> {
        match self {
            Self::Counted(counter) => Some(counter),
            _ => None,
        }
    }

    /// As people say it.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Wall => "wall time",
            Self::Cpu => "CPU time",
            Self::User => "user time",
            Self::System => "system time",
            Self::Counted(counter) => counter.words(),
        }
    }
}

impl BenchQuestion {
    /// The name of what is compared.
    pub(super) const fn field(&self) -> &'static str {
        match self.counter {
            Some(Counter::Callgrind) => "instructions",
            None => self.metric.field(),
        }
    }

    /// The smallest difference that matters where none is named: 1 %.
    pub const MARGIN: f64 = 0.01;

    /// Which of these commands is faster?
    pub fn new(commands: Vec<BenchCommand>) -> Self {
        Self {
            commands,
            parameters: Vec::new(),
            revisions: Vec::new(),
            build: None,
            shell: ShellChoice::default(),
            output: TimedOutput::Discard,
            shows_output: false,
            input: None,
            warmup: None,
            setup: Vec::new(),
            prepare: Vec::new(),
            conclude: Vec::new(),
            cleanup: Vec::new(),
            counter: None,
            accepts: Accepts::Success,
            runs: Runs::default(),
            quiet: Quiet::default(),
            metric: BenchMetric::Wall,
            margin: Self::MARGIN,
            saves: true,
        }
    }
}

/// What belongs to a command out of a list with one for all or one for each.
pub(super) fn for_command(list: &[String], place: usize) -> Option<&str> {
    match list {
        [one] => Some(one),
        several => several.get(place).map(String::as_str),
    }
}
