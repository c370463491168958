//! What Fairtrial asks of a scheduler. An engine places jobs and says what it knows of them; it never sees trials, and
//! its word counts less than a record or a heartbeat.

use super::command::CommandError;
use fairtrial_journal::{BatchInfo, JournalError, RunDir};
use fairtrial_model::{Sha256, hex};
use fairtrial_store::StoreError;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Why a scheduler did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum PlaceError {
    /// A command of the scheduler failed or did not end in time. Asking again later may help.
    #[error(transparent)]
    Command(#[from] CommandError),
    /// The scheduler answered something that is not understood.
    #[error("{engine}: {message}")]
    Answer {
        /// The engine.
        engine: &'static str,
        /// What it said.
        message: String,
    },
    /// The scheduler took a submission, and what it calls it is not known: submitting again would double it.
    #[error("{engine}: {message}")]
    Unnamed {
        /// The engine.
        engine: &'static str,
        /// What it said, or what to do.
        message: String,
    },
    /// The engine cannot do what the spec wants.
    #[error("{engine}: {message}")]
    Unfit {
        /// The engine.
        engine: &'static str,
        /// What is wrong, and what to do.
        message: String,
    },
    /// The scheduler would not take what the spec asks for.
    #[error("{engine}: {message}")]
    Refused {
        /// The engine.
        engine: &'static str,
        /// What it says, and what to do.
        message: String,
    },
    /// Files for the scheduler could not be written or read.
    #[error(transparent)]
    Files(#[from] JournalError),
    /// The object store did not do what it was asked.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl PlaceError {
    /// An engine that cannot do what the spec wants.
    pub(super) fn unfit(engine: &'static str, message: impl Into<String>) -> Self {
        let message = message.into();
        Self::Unfit { engine, message }
    }

    /// Whether a submission that gave this error may have gone through all the same: its answer was late or was lost.
    pub fn may_have_gone_through(&self) -> bool {
        matches!(
            self,
            Self::Command(CommandError::Late { .. } | CommandError::Unreachable { .. })
        ) || self.says(&[
            "timed out",
            "connection reset",
            "zero bytes were transmitted",
            "broken pipe",
            // kubectl and the cloud's own commands.
            "timeout",
            "deadline exceeded",
            "unexpected eof",
            ": eof",
        ])
    }

    /// Whether the same may work later: the scheduler is down, slow, or full.
    pub fn is_temporary(&self) -> bool {
        self.may_have_gone_through()
            || matches!(self, Self::Store(error) if error.may_pass())
            || self.says(&[
                "unable to contact",
                "temporarily",
                "connection refused",
                "standby mode",
                "submitjob",
                "try again",
                "unable to connect",
                "could not connect",
                "unable to handle the request",
                "too many requests",
                "toomanyrequests",
                "throttling",
                "rate exceeded",
                "leader changed",
            ])
    }

    /// Whether a command failed with one of these in its words.
    fn says(&self, signs: &[&str]) -> bool {
        let Self::Command(CommandError::Failed { message, .. }) = self else {
            return false;
        };
        let message = message.to_lowercase();
        signs.iter().any(|sign| message.contains(sign))
    }
}

/// What an engine says of itself before anything is submitted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Probe {
    /// The scheduler and its version.
    pub version: String,
    /// Most elements of one submission.
    pub max_elements: u64,
    /// Most elements that may wait and run at the same time.
    pub max_open: Option<u64>,
    /// Places where one job each can run, as far as known.
    pub places: Option<u64>,
    /// What the user should know.
    pub warnings: Vec<String>,
}

/// What one job takes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct JobNeeds {
    /// CPUs.
    pub cpus: Option<u32>,
    /// Bytes of memory.
    pub memory_bytes: Option<u64>,
    /// GPUs.
    pub gpus: u32,
    /// Whether it wants its node for itself.
    pub exclusive: bool,
    /// Seconds.
    pub time_s: Option<f64>,
    /// Seconds before its end at which a job must hear of that: its trials save their state.
    pub notice_s: Option<f64>,
}

/// Jobs to submit together: an array with one element per chunk.
#[derive(Debug, Clone)]
pub struct Batch {
    /// The name by which its jobs are found again: `[a-z0-9-]`.
    pub key: String,
    /// Numbers of its chunks; element 0 is the first of them.
    pub chunks: Range<u64>,
    /// What each of its jobs takes.
    pub needs: JobNeeds,
    /// Elements that may run at the same time.
    pub parallel: Option<u64>,
    /// Seconds between two signs of life of a job.
    pub beat_s: f64,
    /// The folder with the chunks.
    pub folder: PathBuf,
    /// The run's plan, for `exec`.
    pub plan: PathBuf,
    /// Where jobs start.
    pub workdir: PathBuf,
    /// Where nodes that see no folder of ours find their work. The paths above are then those of this machine alone.
    pub store: Option<StoreRef>,
}

/// What a node must be told to find a run's work in an object store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreRef {
    /// The store: `s3://bucket/prefix`.
    pub url: String,
    /// The run's key there.
    pub run: String,
}

impl Batch {
    /// How many elements.
    pub fn len(&self) -> u64 {
        self.chunks.end - self.chunks.start
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.chunks.is_empty()
    }

    /// A name that no other run's jobs have, in letters that every scheduler takes. The run's place is in it: its jobs
    /// write there, so that a copy of the folder is not theirs.
    pub(super) fn key_of(run: &RunDir, batch: u64) -> String {
        format!("{}-{batch}", Self::run_key(run))
    }

    /// What the names of all batches of a run begin with.
    pub(super) fn run_key(run: &RunDir) -> String {
        let path = run.path();
        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let hash = hex(&Sha256::digest(path.display().to_string())[..4]);
        let stamp: String = run.stamp().to_string().replace("__", "-");
        format!("ft-{stamp}-{hash}")
    }

    /// What a node is to run where its work comes from a store, without a shell: its chunk is the first one plus what the
    /// scheduler says in a variable.
    pub fn node_words(&self, program: &Path, element_in: &str) -> Option<Vec<String>> {
        let store = self.store.as_ref()?;
        let first = self.chunks.start.to_string();
        let program = program.display().to_string();
        let words = [
            program.as_str(),
            "exec",
            "--store",
            &store.url,
            "--run",
            &store.run,
            "--first",
            &first,
            "--element-in",
            element_in,
        ];
        Some(words.map(str::to_owned).to_vec())
    }

    /// A file of this batch beside the chunks.
    pub fn file(&self, extension: &str) -> PathBuf {
        self.folder.join(format!("{}.{extension}", self.key))
    }
}

/// A batch that was submitted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Submitted {
    /// Its key.
    pub key: String,
    /// What the scheduler calls it, where its word arrived.
    pub handle: Option<String>,
    /// Number of its first chunk.
    pub first: u64,
    /// Its elements, counted from 0.
    pub elements: u64,
    /// The folder with the chunks.
    pub folder: PathBuf,
}

impl Submitted {
    /// A submission as the journal knows it.
    pub(super) fn of(run: &RunDir, info: &BatchInfo) -> Self {
        Self {
            key: info.key.clone(),
            handle: info.handle.clone(),
            first: info.chunks.start,
            elements: info.chunks.end - info.chunks.start,
            folder: run.chunks(),
        }
    }
}

/// What a scheduler believes of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JobState {
    /// Waits for its turn, for this reason where the scheduler says one.
    Pending(String),
    /// Waits for somebody to release it.
    Held(String),
    /// Runs.
    Running,
    /// Was begun and stands still, until the scheduler lets it go on: no sign of life is due.
    Suspended,
    /// Ended well.
    Done,
    /// Ended with an error.
    Failed(String),
    /// Passed its time limit.
    TimedOut,
    /// Killed for memory.
    OutOfMemory,
    /// Cancelled by somebody.
    Cancelled,
    /// Had to make room.
    Preempted,
    /// Its node is gone.
    NodeLost,
    /// The scheduler knows nothing of it. That is not a failure.
    Missing,
}

impl JobState {
    /// Whether the scheduler believes that the job is over.
    pub fn is_over(&self) -> bool {
        !matches!(
            self,
            Self::Pending(_) | Self::Held(_) | Self::Running | Self::Suspended | Self::Missing
        )
    }

    /// Why the scheduler does not run it now, where it says so.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Self::Pending(reason) | Self::Held(reason) if !reason.is_empty() => Some(reason),
            _ => None,
        }
    }

    /// The word for people.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Pending(_) => "pending",
            Self::Held(_) => "held",
            Self::Running => "running",
            Self::Suspended => "suspended",
            Self::Done => "done",
            Self::Failed(_) => "failed",
            Self::TimedOut => "timed out",
            Self::OutOfMemory => "out of memory",
            Self::Cancelled => "cancelled",
            Self::Preempted => "preempted",
            Self::NodeLost => "node lost",
            Self::Missing => "not known to the scheduler",
        }
    }
}

/// What a scheduler says when it is asked for a submission by its key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Adopted {
    /// It has it, under this handle.
    Handle(String),
    /// It shows none.
    NotThere,
    /// It cannot be asked.
    CannotAsk,
}

/// What a scheduler knows, by key and element. What is not in it is missing.
pub type Sightings = BTreeMap<(String, u64), JobState>;

/// Places jobs. Every call is bounded in time and may be made again.
pub trait Engine: Send + Sync {
    /// Its name.
    fn name(&self) -> &'static str;

    /// Looks at the scheduler and refuses early what cannot work.
    fn probe(&self) -> Result<Probe, PlaceError>;

    /// Asks whether the scheduler would take such a batch, without submitting it. Gives what the user should know of one
    /// that it would take, and let wait.
    fn rehearse(&self, _batch: &Batch) -> Result<Option<String>, PlaceError> {
        Ok(None)
    }

    /// What [`Engine::submit`] would write and run, for people; asks nobody.
    fn preview(&self, batch: &Batch) -> Result<String, PlaceError>;

    /// Submits a batch and gives the scheduler's handle, or [`PlaceError::Unnamed`] where the scheduler took the batch and
    /// its answer has none. Who is not sure whether an earlier call went through asks [`Engine::adopt`] first.
    fn submit(&self, batch: &Batch) -> Result<String, PlaceError>;

    /// The handle of a batch by its key, after a crash between submitting and writing down, or an answer that did not come.
    fn adopt(&self, key: &str) -> Result<Adopted, PlaceError>;

    /// What the scheduler knows of these batches, in one question.
    fn poll(&self, batches: &[Submitted]) -> Result<Sightings, PlaceError>;

    /// What another source says of elements that a poll did not show. Where there is none, nothing.
    fn second_look(&self, _batches: &[(&Submitted, Vec<u64>)]) -> Result<Sightings, PlaceError> {
        Ok(Sightings::new())
    }

    /// Ends elements of a batch: asked, then by force. `None` means all of them.
    fn cancel(&self, batch: &Submitted, elements: Option<&[u64]>) -> Result<(), PlaceError>;

    /// Tells running elements of a batch that their end is near, so that trials save their state; says whether the
    /// scheduler can.
    fn announce_end(&self, _batch: &Submitted, _elements: &[u64]) -> Result<bool, PlaceError> {
        Ok(false)
    }

    /// Brings what nodes wrote into the chunks' folders. Nothing to do where the filesystem is shared.
    fn collect(&self, _batches: &[Submitted]) -> Result<(), PlaceError> {
        Ok(())
    }

    /// Whether what nodes wrote comes only through [`Engine::collect`]: no filesystem is shared.
    fn collects(&self) -> bool {
        false
    }

    /// Brings to the nodes what the folders of these elements' chunks say of being taken back. Nothing to do where the
    /// filesystem is shared.
    fn tell_nodes(&self, _batch: &Submitted, _elements: &[u64]) -> Result<(), PlaceError> {
        Ok(())
    }

    /// Whether a poll also shows jobs that have ended, so that one it does not show may still live.
    fn lists_all(&self) -> bool {
        false
    }

    /// Whether heartbeats of running jobs arrive here. Where they do not, the scheduler's word stands in for them.
    fn hears_nodes(&self) -> bool {
        true
    }

    /// The command by which a person releases jobs of a batch that are held for this reason, where there is one.
    fn release(&self, _batch: &Submitted, _reason: &str) -> Option<String> {
        None
    }

    /// The command by which a person ends elements of a batch, where one is known.
    fn cancel_line(&self, batch: &Submitted, elements: &[u64]) -> Option<String>;

    /// Whether the scheduler says in an element's log, and may say nowhere else, that it killed for memory.
    fn log_tells_of_memory(&self, _batch: &Submitted, _element: u64) -> bool {
        false
    }

    /// What an element wrote, for people.
    fn logs(&self, batch: &Submitted, element: u64) -> Result<String, PlaceError>;

    /// Removes what a batch needed only while it ran.
    fn cleanup(&self, _batch: &Submitted) -> Result<(), PlaceError> {
        Ok(())
    }
}

/// An engine that was looked at and is fit for the run.
pub(crate) struct ProbedEngine {
    pub(crate) engine: Box<dyn Engine>,
    pub(crate) probe: Probe,
}

#[cfg(test)]
mod tests {
    use super::{CommandError, PlaceError};

    fn said(words: &str) -> PlaceError {
        PlaceError::Command(CommandError::Failed {
            program: "kubectl".to_owned(),
            status: "exit status: 1".to_owned(),
            message: words.to_owned(),
        })
    }

    #[test]
    fn an_answer_that_was_lost_is_no_refusal() {
        for words in [
            "error when creating \"job.json\": Post \"http://h/apis/batch/v1/namespaces/b/jobs\": EOF",
            "Unable to connect to the server: net/http: TLS handshake timeout",
            "Zero Bytes were transmitted or received",
        ] {
            let error = said(words);
            assert!(
                error.may_have_gone_through() && error.is_temporary(),
                "{words}"
            );
        }
        let down = said(
            "Error from server (ServiceUnavailable): the server is currently unable to handle the request",
        );
        assert!(down.is_temporary() && !down.may_have_gone_through());
        let refused = said("Error from server (Forbidden): jobs.batch is forbidden");
        assert!(!refused.is_temporary() && !refused.may_have_gone_through());
    }
}
