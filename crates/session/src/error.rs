//! Why a call could not give its answer. What to type about it is for the caller to say.

use crate::absent::Absent;
use crate::feature::Feature;
use crate::gate::recorded::Recorded;
use crate::gate::settled::SettledOption;
use crate::no_log::NoLog;
use crate::tables::error::TableError;
use crate::unusable_root::UnusableRoot;
use fairtrial_analysis::{AnalysisError, Unfinished};
use fairtrial_engine::agent_tasks::NotReady;
use fairtrial_engine::{CodeChange, EngineError, Missing};
use fairtrial_interop::InteropError;
use fairtrial_journal::{JournalError, ResolvedSpecError, RunDir};
use fairtrial_model::Stamp;
use fairtrial_plan::PlanError;
use fairtrial_spec::EngineLack;
use fairtrial_store::StoreError;
use fairtrial_text::count::{counted, first_of};
use std::fmt;
use std::path::PathBuf;

/// An error of this crate.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// The files of a run.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The spec that a run keeps.
    #[error(transparent)]
    RecordedSpec(#[from] ResolvedSpecError),
    /// The engine.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The plan.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The analysis.
    #[error(transparent)]
    Analysis(#[from] AnalysisError),
    /// Other tools' results.
    #[error(transparent)]
    Interop(#[from] InteropError),
    /// An import that reads the same fields as other things than the one before.
    #[error("{run} was imported with {before} as the {role}, and now it would be {now}")]
    OtherRoles {
        /// The run.
        run: RunLabel,
        /// `arm`, `task`, `seed` or `repeat`.
        role: &'static str,
        /// The fields it was.
        before: String,
        /// The fields it would be.
        now: String,
    },
    /// The object store.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The agents' tasks.
    #[error(transparent)]
    NotReady(#[from] NotReady),
    /// The data root.
    #[error(transparent)]
    DataRoot(#[from] UnusableRoot),
    /// A name that means nothing.
    #[error(transparent)]
    Absent(#[from] Absent),
    /// A file or folder that holds nothing we know.
    #[error("{} holds nothing that can be read here", .0.display())]
    NoKnownKind(PathBuf),
    /// A spec with errors; they were told of one by one.
    #[error("{} has {}; nothing was run", path.display(), counted(*errors, "problem"))]
    InvalidSpec {
        /// The spec's file.
        path: PathBuf,
        /// How many errors.
        errors: usize,
    },
    /// Agent tasks with errors; they were told of one by one.
    #[error("the agent tasks have {}; nothing was run", counted(*errors, "problem"))]
    InvalidTasks {
        /// How many.
        errors: usize,
    },
    /// A sandbox that is none.
    #[error("SANDBOX_BACKEND names no sandbox: `{0}`")]
    NoSandbox(String),
    /// What a run needs and is not here.
    #[error("{}", lines(.0))]
    Missing(Vec<Missing>),
    /// The engine needs something that the spec does not give.
    #[error("{}", lines(.0))]
    EngineLacks(Vec<EngineLack>),
    /// A part of the program that this build leaves out.
    #[error("this build of Fairtrial cannot {}: it lacks the feature `{}`", .0.what, .0.name)]
    LeftOut(Feature),
    /// There are no runs at all.
    #[error("there are no runs under {}", .0.display())]
    NoRuns(PathBuf),
    /// Nothing leaves trials on this machine without a controller.
    #[error("there is no scheduler to leave the trials with")]
    NoScheduler,
    /// Records that were looked at would be looked at again with another budget.
    #[error(
        "run {run} was looked at with a budget of {before} seeds, and taking over its records with {now} would look at \
         them again at a fresh error rate"
    )]
    OtherBudget {
        /// The earlier run.
        run: RunLabel,
        /// Its seeds.
        before: usize,
        /// The new plan's.
        now: usize,
    },
    /// A run would be resumed with other code than its trials ran so far.
    #[error(
        "{} of run {run} ran other code than would run now: {}",
        counted(change.trials.len() as u64, "trial"),
        first_of(&change.names, 5)
    )]
    CodeChanged {
        /// The run.
        run: RunLabel,
        /// What changed.
        change: Box<CodeChange>,
    },
    /// A run would be resumed with another form of its tasks.
    #[error(
        "{} of run {run} got another form of their task than there is now: {}",
        counted(change.tasks.len() as u64, "trial"),
        first_of(&change.names, 5)
    )]
    TaskChanged {
        /// The run.
        run: RunLabel,
        /// What changed.
        change: Box<CodeChange>,
    },
    /// The looks of an earlier run were made with another question.
    #[error("{0}")]
    OtherLooks(AnalysisError),
    /// The looks of a resumed run were made with another question.
    #[error("{0}")]
    ResumedLooks(AnalysisError),
    /// A part of a sweep cannot be confirmed.
    #[error("a filter left out a part of the sweep")]
    PartOfSweep,
    /// Nothing was chosen from a sweep.
    #[error("no point could be named best")]
    NothingChosen,
    /// Records could not be kept or read while a run went on.
    #[error("{0}")]
    Broken(String),
    /// A run that cannot be made again from what was kept.
    #[error("{run} cannot be made again from what was kept: {}", why.join("; "))]
    NotReproducible {
        /// The run.
        run: RunLabel,
        /// Why not.
        why: Vec<String>,
    },
    /// A run that was cut off.
    #[error("{run} was cut off")]
    CutOff {
        /// The run.
        run: RunLabel,
        /// The spec's file.
        spec: PathBuf,
        /// What was set over it.
        set: Vec<String>,
    },
    /// A run that must not be judged.
    #[error("{run} is {why}")]
    Unfinished {
        /// The run.
        run: RunLabel,
        /// Why.
        why: Unfinished,
        /// Whether old and new scores stand side by side.
        half_scored: bool,
    },
    /// A plan that is not changed after the fact.
    #[error("{} is there already", .0.display())]
    RegisteredAlready(PathBuf),
    /// A registered plan that cannot be read.
    #[error("the registered plan {} cannot be read: {why}; nothing was run", path.display())]
    BadRegistration {
        /// Its file.
        path: PathBuf,
        /// Why.
        why: String,
    },
    /// Nothing to compare with.
    #[error("{0} has no arms to compare")]
    NoArms(String),
    /// A run with a stopping rule was judged already, by what its spec declares.
    #[error(
        "{} cannot be chosen now: the run has a sequential stopping rule, and was judged by the metric, the pairs and \
         the error rate that its spec declares", .0.word()
    )]
    SettledBefore(SettledOption),
    /// No run was recorded there.
    #[error("no finished run of {name} was recorded {recorded}")]
    NotRecorded {
        /// The benchmark.
        name: String,
        /// Where.
        recorded: Recorded,
    },
    /// A baseline of other commands than those of a bench.
    #[error(
        "the baseline `{baseline}` is of {}, and not of {}; nothing was run",
        quoted(kept),
        quoted(commands)
    )]
    OtherCommands {
        /// The baseline.
        baseline: String,
        /// What it is of.
        kept: Vec<String>,
        /// What the bench is of.
        commands: Vec<String>,
    },
    /// A run with lost records is no baseline.
    #[error("{0}")]
    LostRecords(String),
    /// A name that no file can have.
    #[error("`{0}` is no name for a baseline")]
    BaselineName(String),
    /// Two arms were named as the control.
    #[error("the first arm, `{first}`, is the control, and `{other}` is named as the control, too")]
    TwoControls {
        /// The first arm.
        first: String,
        /// The other.
        other: String,
    },
    /// The spec that a run was started with is not there.
    #[error("the spec {} is not there", .0.display())]
    SpecGone(PathBuf),
    /// A run without rollouts.
    #[error("run {0} has no rollouts of agent tasks")]
    NoRollouts(Stamp),
    /// A reporter that the spec has not.
    #[error("the spec has no reporter `{unknown}`")]
    NoReporter {
        /// What was named.
        unknown: String,
        /// What there is.
        known: Vec<String>,
    },
    /// A trial that has written nothing.
    #[error(transparent)]
    NoLog(#[from] NoLog),
    /// Images that a run may need.
    #[error("a run is at work here, and it may need its images")]
    RunAtWork,
    /// A file or folder that is there and must not be.
    #[error("{} is there already", .0.display())]
    ThereAlready(PathBuf),
    /// A task that could not be made.
    #[error("{0}")]
    NoTask(String),
    /// A file that is no run's plan.
    #[error("{} is not the plan of a run", .0.display())]
    NoPlan(PathBuf),
    /// Nothing could be done with a table.
    #[error(transparent)]
    Table(#[from] TableError),
    /// A command of a bench failed before anything was measured.
    #[error("`{command}` {how}; nothing was measured{}", said_lines(said))]
    BenchFailed {
        /// The command.
        command: String,
        /// How it ended.
        how: String,
        /// What it said on standard error.
        said: String,
    },
    /// The user ended a bench before anything was measured.
    #[error("interrupted during the {during}: nothing was measured")]
    BenchInterrupted {
        /// `build`, `setup` or `warm-up`.
        during: &'static str,
    },
    /// The user's input is wrong.
    #[error("{0}")]
    Input(String),
    /// The machine failed.
    #[error("{0}")]
    Machine(String),
}

/// A run, as messages name it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunLabel {
    /// The benchmark.
    pub name: String,
    /// Its stamp.
    pub stamp: Stamp,
}

impl From<&RunDir> for RunLabel {
    fn from(run: &RunDir) -> Self {
        Self {
            name: run.name().to_owned(),
            stamp: run.stamp(),
        }
    }
}

impl fmt::Display for RunLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.name, self.stamp)
    }
}

/// Who is to blame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Blame {
    /// The user's input.
    Input,
    /// The engine or the machine.
    Machine,
}

impl SessionError {
    /// Who is to blame.
    pub fn blame(&self) -> Blame {
        match self {
            Self::Journal(error) | Self::RecordedSpec(ResolvedSpecError::Unreadable(error)) => {
                of_journal(error)
            }
            Self::Engine(error) => of_engine(error),
            Self::Analysis(error) => of_analysis(error),
            Self::NotReady(NotReady::Cache(_))
            | Self::RecordedSpec(_)
            | Self::Broken(_)
            | Self::CutOff { .. }
            | Self::Unfinished { .. }
            | Self::LostRecords(_)
            | Self::Machine(_) => Blame::Machine,
            _ => Blame::Input,
        }
    }
}

impl Feature {
    /// Refuses where this build does not have it.
    pub fn need(self) -> Result<(), SessionError> {
        if self.built_in {
            Ok(())
        } else {
            Err(SessionError::LeftOut(self))
        }
    }
}

fn of_journal(error: &JournalError) -> Blame {
    match error {
        JournalError::Name(_) | JournalError::NoSuchRun { .. } | JournalError::Archived { .. } => {
            Blame::Input
        }
        _ => Blame::Machine,
    }
}

fn of_engine(error: &EngineError) -> Blame {
    match error {
        EngineError::Journal(error) => of_journal(error),
        error if error.is_input() => Blame::Input,
        _ => Blame::Machine,
    }
}

fn of_analysis(error: &AnalysisError) -> Blame {
    match error {
        AnalysisError::Journal(error)
        | AnalysisError::Spec(ResolvedSpecError::Unreadable(error)) => of_journal(error),
        AnalysisError::Spec(_) | AnalysisError::Git(_) => Blame::Machine,
        _ => Blame::Input,
    }
}

/// What a program said, under a sentence about it.
fn quoted(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    quoted.join(", ")
}

fn said_lines(said: &str) -> String {
    if said.is_empty() {
        return String::new();
    }
    format!(". It said:\n{said}")
}

fn lines(all: &[impl fmt::Display]) -> String {
    let lines: Vec<String> = all.iter().map(ToString::to_string).collect();
    lines.join("\n       ")
}
