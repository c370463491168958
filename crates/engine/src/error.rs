//! What can keep a run from starting or going on.

use crate::remote::contract::PlaceError;
use fairtrial_journal::{JournalError, ResolvedSpecError};
use fairtrial_model::Stamp;
use fairtrial_plan::{PlanChange, PlanError};
use fairtrial_store::StoreError;
use fairtrial_trial::RunnerError;
use std::path::PathBuf;

/// Why a run could not start or go on.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// Reading or writing the run's files failed.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The object store did not do what it was asked.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A launcher could not be started.
    #[error(transparent)]
    Runner(#[from] RunnerError),
    /// The system gives no further thread.
    #[error(
        "no further thread can be started here ({0}): see `ulimit -u` and the container's limit of processes"
    )]
    NoThread(#[source] std::io::Error),
    /// What is to run before or after a trial failed.
    #[error("the command of `{what}` failed: {message}")]
    Around {
        /// `prepare` or `conclude`.
        what: &'static str,
        /// What it said.
        message: String,
    },
    /// The recorded plan could not be made again.
    #[error("the plan recorded with the run cannot be made again: {0}")]
    Plan(#[from] PlanError),
    /// A resumed run's spec is not the one it was started with.
    #[error("the spec changed since run {stamp} was started")]
    SpecChanged {
        /// The run.
        stamp: Stamp,
        /// What changed.
        change: Box<PlanChange>,
    },
    /// Scoring again did not come to its end, so that old and new scores stand side by side.
    #[error(
        "some rollouts of run {stamp} could not be scored again, so that old and new scores stand side by side: see \
         `fairtrial eval {name} --rollout {stamp}`"
    )]
    HalfScored {
        /// The benchmark.
        name: String,
        /// The run.
        stamp: Stamp,
    },
    /// Measuring again was cut off, so that old and new numbers stand side by side.
    #[error(
        "measuring run {stamp} again was cut off: `fairtrial remeasure {name} --rollout {stamp}` completes it"
    )]
    HalfMeasured {
        /// The benchmark.
        name: String,
        /// The run.
        stamp: Stamp,
    },
    /// Trials left nothing to measure any more, and numbers of two kinds must not stand side by side.
    #[error(
        "{} cannot be measured again, because the folders are gone: {}",
        fairtrial_text::count::counted(trials.len(), "trial"),
        fairtrial_text::count::first_of(trials, 5)
    )]
    NothingToMeasure {
        /// Their names.
        trials: Vec<String>,
    },
    /// The spec that the run keeps is not known.
    #[error(transparent)]
    Spec(#[from] ResolvedSpecError),
    /// A file of the run does not hold what it should.
    #[error("{path}: {message}")]
    Damaged {
        /// The file.
        path: String,
        /// What is wrong.
        message: String,
    },
    /// The scheduler refused.
    #[error(transparent)]
    Place(#[from] PlaceError),
    /// Jobs of another engine are still out.
    #[error(
        "{jobs} jobs of this run are with engine `{engine}`: continue with `--engine {engine}`, or `fairtrial cancel` first"
    )]
    OtherEngine {
        /// That engine.
        engine: String,
        /// How many jobs.
        jobs: usize,
    },
    /// Jobs of a cancelled run were not seen to end.
    #[error(
        "{jobs} jobs of the cancelled run may still be there: {words}. Their trials stay open; `fairtrial cancel` tries \
         again, and says when they are over"
    )]
    NotEnded {
        /// How many.
        jobs: usize,
        /// Which, and the commands that end them.
        words: String,
    },
    /// The run's folder is not where its jobs were submitted from.
    #[error(
        "{} was moved or copied: {jobs} of its jobs were submitted from another place and write there. Go on in the \
         original, or move the folder back. Where there is no original any more, end the jobs {names}, remove the \
         folder `chunks` in the run's, and `fairtrial run SPEC --resume` runs what has no record", path.display()
    )]
    Moved {
        /// How many jobs are open.
        jobs: usize,
        /// The run's folder.
        path: PathBuf,
        /// What they are called, and the commands that end them.
        names: String,
    },
    /// What was handed to a scheduler is not known.
    #[error(
        "{0}; its trials may be running: try again when it can be read, or end its jobs at the scheduler and remove its \
         folder"
    )]
    Unknown(JournalError),
    /// A node's binary must not run a chunk.
    #[error("chunk {chunk} is not for this binary: {message}")]
    Refused {
        /// The chunk.
        chunk: u64,
        /// Why, and what to do.
        message: String,
    },
    /// An environment variable that the spec refers to is not set, or a placeholder has no value.
    #[error("task `{task}`: {message}")]
    Unresolved {
        /// The task.
        task: String,
        /// What is missing.
        message: String,
    },
}

impl EngineError {
    /// Whether the user's input is at fault, rather than the machine.
    pub fn is_input(&self) -> bool {
        matches!(
            self,
            Self::SpecChanged { .. }
                | Self::HalfMeasured { .. }
                | Self::NothingToMeasure { .. }
                | Self::Unresolved { .. }
                | Self::Plan(_)
                | Self::OtherEngine { .. }
                | Self::Moved { .. }
                | Self::Place(PlaceError::Refused { .. })
        )
    }
}
