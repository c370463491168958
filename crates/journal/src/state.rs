//! A run folded into what a controller needs to go on: which trials have an answer, and where it stands.

use crate::brief::Brief;
use crate::chain::{Chain, LineHash, Link};
use crate::error::{At, JournalError};
use crate::event::{Event, Opened, OutcomeCounts, RunStatus, TakeOver};
use crate::reader::{CorruptLine, Entry, JournalReader, Position, ReadError, ReadSummary};
use crate::run_dir::RunDir;
use crate::seal::Seal;
use crate::trial_states::{TrialState, TrialStates};
use fairtrial_model::{Outcome, UtcTime};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

/// Highest trial index that is believed.
const MAX_INDEX: u64 = 1 << 26;

/// How many problems are described; all are counted in the summary, but garbage must not fill the memory.
const MAX_PROBLEMS: usize = 1000;

/// A controller that had the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionInfo {
    /// Its process.
    pub pid: u32,
    /// Its machine.
    pub host: String,
    /// When it took the run.
    pub at: UtcTime,
    /// Whether it only scored rollouts again.
    pub scores: bool,
    /// Whether it came to the end of that.
    pub scored: bool,
    /// When and how it closed it; absent where it lives or died.
    pub closed: Option<(UtcTime, RunStatus)>,
}

/// Trials that were handed to a scheduler together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BatchInfo {
    /// Number of the submission in this run.
    pub number: u64,
    /// The engine.
    pub engine: String,
    /// The name by which the scheduler's jobs are found again.
    pub key: String,
    /// Numbers of its chunks.
    pub chunks: std::ops::Range<u64>,
    /// Whether the scheduler is known to have taken it.
    pub taken: bool,
    /// What the scheduler calls it; absent where its word did not reach the journal, or was not understood.
    pub handle: Option<String>,
}

/// Something in the journal that is not as it should be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// A damaged line; the rest was read.
    #[error("{0}")]
    Corrupt(CorruptLine),
    /// A line about a trial that the plan does not have.
    #[error("line {line}: there is no trial {index} in this run")]
    NoSuchTrial {
        /// The line.
        line: u64,
        /// The trial it names.
        index: u64,
    },
    /// A line does not carry the hash of the line before it.
    #[error(
        "line {line} does not follow the line before it: lines were removed, moved or changed there"
    )]
    Unlinked {
        /// The line.
        line: u64,
    },
    /// A line that no controller writes where the run is closed.
    #[error("line {line} was added to a run that was closed")]
    AfterClosed {
        /// The line.
        line: u64,
    },
    /// The run was closed with other outcomes than its records have.
    #[error(
        "line {line} closes the run with {said} trials done, and the lines before it hold {found}"
    )]
    Counts {
        /// The line.
        line: u64,
        /// Trials with an outcome, as it says.
        said: u64,
        /// Trials with an outcome, as the records have them.
        found: u64,
    },
    /// The first line is not the one that says what the run is.
    #[error("the journal does not begin with an `opened` line")]
    NotOpened,
}

/// How long attempts took, whatever came of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Times {
    /// Attempts whose time is known.
    pub count: u64,
    /// Their wall time together.
    pub total: Duration,
}

impl Times {
    fn add(&mut self, seconds: f64) {
        if let Ok(wall) = Duration::try_from_secs_f64(seconds) {
            self.count += 1;
            self.total = self.total.saturating_add(wall);
        }
    }

    /// Mean seconds, where there are any.
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.total.as_secs_f64() / self.count as f64)
    }
}

/// A whole run, folded.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunState {
    /// What the run is.
    pub opened: Option<Opened>,
    /// The controllers it had, in order.
    pub sessions: Vec<SessionInfo>,
    /// What was handed to schedulers, in order.
    pub batches: Vec<BatchInfo>,
    /// SHA-256 of the files that the run's answers rest on, by name.
    pub files: BTreeMap<String, String>,
    /// Effective outcomes.
    pub counts: OutcomeCounts,
    /// How long attempts took.
    pub times: Times,
    /// What is wrong with the journal: the first thousand of such things.
    pub problems: Vec<Problem>,
    /// How far it was read, and an unfinished last line.
    pub summary: ReadSummary,
    /// Lines that carry no hash of the line before them, as earlier versions wrote them.
    pub unchained: u64,
    /// The hash of the last line; absent where that is damaged, or there is none.
    pub last_line: Option<LineHash>,
    /// Whether the user accepted that trials of one run ran different code.
    pub accepts_code: bool,
    /// Whether its trials are known to have run different versions of the code.
    pub mixes_code: bool,
    trials: TrialStates,
    /// The chain as far as the journal was read.
    chain: Chain,
    /// Hash of the plan, where trials were measured by another spec than the one they were run with.
    measured_as: Option<String>,
    /// Measuring again was begun and did not come to its end.
    half_measured: Option<BeforeMeasuring>,
}

/// A run as it was before its trials were measured again.
#[derive(Debug, Clone, PartialEq, Eq)]
struct BeforeMeasuring {
    closed: Option<(UtcTime, RunStatus)>,
}

impl RunState {
    /// Reads and folds a journal.
    pub fn read(path: &Path) -> Result<Self, JournalError> {
        let mut state = Self::default();
        if Seal::holds(path) {
            state.chain = Chain::known();
        }
        state.read_on(path)?;
        Ok(state)
    }

    /// The same, following the chain whatever was found before.
    pub fn read_in_full(path: &Path) -> Result<Self, JournalError> {
        let mut state = Self::default();
        state.read_on(path)?;
        Ok(state)
    }

    /// The same of a run that was closed just now, which is then known to be whole if it is.
    pub fn read_and_seal(run: &RunDir) -> Result<Self, JournalError> {
        let path = run.journal();
        let seen = Seal::of(&path).at("read", &path)?;
        let state = Self::read_in_full(&path)?;
        let is_whole = state.problems.is_empty() && state.unchained == 0;
        if is_whole && state.summary.end == seen.size && !run.root().is_passing() {
            seen.keep(&path);
        }
        Ok(state)
    }

    /// Folds what was appended since; says whether there was anything. A journal that is shorter than what was read of it is
    /// another one, and read from its first line.
    pub fn read_on(&mut self, path: &Path) -> Result<bool, JournalError> {
        let size = std::fs::metadata(path).at("read", path)?.len();
        if size < self.summary.end {
            *self = Self::default();
        }
        let before = self.summary;
        let from = Position {
            offset: before.end,
            lines: before.intact + before.corrupt,
        };
        let mut reader = JournalReader::open(path, from)?.following(self.chain.clone());
        while let Some(next) = reader.brief() {
            match next {
                Ok(entry) => {
                    match reader.link() {
                        Link::Follows => {}
                        Link::Unchained => self.unchained += 1,
                        Link::Broken => self.report(Problem::Unlinked { line: entry.line }),
                    }
                    self.fold(entry);
                }
                Err(ReadError::Corrupt(corrupt)) => self.report(Problem::Corrupt(corrupt)),
                Err(ReadError::Io(error)) => return Err(error),
            }
        }
        self.summary = reader.summary().after(before);
        self.chain = reader.chain_so_far();
        self.chain.look();
        self.last_line = reader.last_line();
        if self.opened.is_none() && self.summary.intact > 0 && before.intact == 0 {
            self.report(Problem::NotOpened);
        }
        Ok(self.summary.end != before.end)
    }

    /// One trial; a trial of which nothing is known has the default state.
    pub fn trial(&self, index: u64) -> TrialState {
        usize::try_from(index)
            .map_or_else(|_| TrialState::default(), |place| self.trials.get(place))
    }

    /// Trials of which something is known: index and state, in index order.
    pub fn trials(&self) -> impl Iterator<Item = (u64, &TrialState)> {
        let known = |state: &TrialState| state.started > 0 || state.finished > 0;
        self.trials.iter().filter(move |(_, state)| known(state))
    }

    /// The trial whose failure was recorded last.
    pub fn last_failed(&self) -> Option<u64> {
        let failed = |state: &TrialState| {
            let outcome = state.outcome;
            outcome.is_some_and(|outcome| outcome != Outcome::Ok) && state.started > 0
        };
        let failed = self.trials().filter(|(_, state)| failed(state));
        let last = failed.max_by_key(|(_, state)| state.offset);
        last.map(|(index, _)| index)
    }

    /// How the run was closed, if the last controller did that.
    pub fn closed(&self) -> Option<(UtcTime, RunStatus)> {
        self.sessions.last().and_then(|session| session.closed)
    }

    /// Hash of the plan by which the run's trials are measured.
    pub fn plan_hash(&self) -> Option<&str> {
        let opened = self.opened.as_ref().map(|opened| &opened.plan_hash);
        self.measured_as.as_ref().or(opened).map(String::as_str)
    }

    /// Whether measuring again did not come to its end: some numbers are new, some are old. Such a run counts as cut off.
    pub fn is_half_measured(&self) -> bool {
        self.half_measured.is_some()
    }

    /// Whether the last controller scored rollouts again and did not come to an end: some scores are new, some are old.
    pub fn is_half_scored(&self) -> bool {
        let last = self.sessions.last();
        last.is_some_and(|session| session.scores && !session.scored && session.closed.is_none())
    }

    /// What the run may not have taken over in full: nothing starts before that is done, and no session ends well.
    pub fn open_take_over(&self) -> Option<&TakeOver> {
        let started = self.trials().any(|(_, trial)| trial.started > 0);
        let closed = self.sessions.iter().any(|session| session.closed.is_some());
        let opened = self.opened.as_ref().filter(|_| !started && !closed);
        opened.and_then(|opened| opened.takes_over.as_ref())
    }

    /// How the run was closed by the last controller that was to run it to its end.
    pub fn closed_before_scoring(&self) -> Option<RunStatus> {
        let mut sessions = self.sessions.iter().rev();
        let ran = sessions.find(|session| !session.scores || session.closed.is_some());
        ran.and_then(|session| session.closed)
            .map(|(_, status)| status)
    }

    /// What is wrong with the journal, for people who read of the run and not of its files.
    pub fn problem_sentences(&self) -> impl Iterator<Item = String> {
        let problems = self.problems.iter();
        let problems = problems.map(|problem| format!("Problem in the journal: {problem}"));
        let torn = self.summary.torn.map(|torn| {
            let bytes = torn.bytes;
            format!(
                "The last line of the journal is not finished ({bytes} bytes): its writer was cut off, or writes it now"
            )
        });
        problems.chain(torn)
    }

    fn fold(&mut self, entry: Entry<Brief>) {
        let (line, offset, len) = (entry.line, entry.offset, entry.len);
        // Notes are of whoever mends the file, before a session begins.
        let begins = matches!(&entry.event, Brief::Other(event)
            if matches!(**event, Event::Session { .. } | Event::Measuring { .. } | Event::Note { .. } | Event::Unknown));
        if self.closed().is_some() && !begins {
            self.report(Problem::AfterClosed { line });
        }
        match entry.event {
            Brief::Started { index, attempt } => {
                if let Some(trial) = self.slot(index, line) {
                    trial.started = trial.started.max(attempt);
                }
            }
            Brief::Finished {
                index,
                attempt,
                outcome,
                wall,
            } => {
                let Some(trial) = self.slot(index, line) else {
                    return;
                };
                // What was measured or scored again did not run again.
                let again = attempt == trial.finished && trial.outcome.is_some();
                if outcome.is_arm_failure() && !again {
                    trial.arm_failures = trial.arm_failures.saturating_add(1);
                }
                if !outcome.is_final() && !again {
                    trial.unanswered = trial.unanswered.saturating_add(1);
                }
                if let Some(seconds) = wall.filter(|_| !again) {
                    self.times.add(seconds);
                }
                let Some(trial) = self.slot(index, line) else {
                    return;
                };
                if attempt < trial.finished {
                    return;
                }
                let before = trial.outcome.replace(outcome);
                (trial.finished, trial.offset, trial.len) = (attempt, offset, len);
                if let Some(before) = before {
                    self.counts.remove(before);
                }
                self.counts.add(outcome);
            }
            Brief::Other(event) => self.fold_other(*event, line),
        }
    }

    fn fold_other(&mut self, event: Event, line: u64) {
        match event {
            Event::Opened(opened) if self.opened.is_none() => self.opened = Some(opened),
            Event::Session {
                pid,
                host,
                at,
                attends,
                scores,
                ..
            } => {
                if !attends {
                    for trial in self.trials.iter_mut() {
                        trial.unanswered = 0;
                    }
                }
                self.sessions.push(SessionInfo {
                    pid,
                    host,
                    at,
                    scores,
                    scored: false,
                    closed: None,
                });
            }
            Event::Submitting {
                batch,
                engine,
                key,
                first,
                chunks,
                ..
            } => self.batches.push(BatchInfo {
                number: batch,
                engine,
                key,
                chunks: first..first.saturating_add(chunks),
                taken: false,
                handle: None,
            }),
            Event::Submitted { batch, handle, .. } => {
                let of_batch = |known: &&mut BatchInfo| known.number == batch;
                if let Some(known) = self.batches.iter_mut().find(of_batch) {
                    known.taken = true;
                    known.handle = handle.or(known.handle.take());
                }
            }
            Event::CodeAccepted { .. } => {
                self.accepts_code = true;
                self.mixes_code = true;
            }
            Event::CodeChanged { .. } => self.mixes_code = true,
            Event::Files { sha256, .. } => self.files.extend(sha256),
            Event::Scored { .. } => {
                if let Some(session) = self.sessions.last_mut() {
                    session.scored = true;
                }
            }
            Event::Measuring { plan_hash, .. } => {
                let session = self.sessions.last_mut();
                let closed = session.and_then(|session| session.closed.take());
                self.half_measured.get_or_insert(BeforeMeasuring { closed });
                self.measured_as = Some(plan_hash);
            }
            Event::Measured { .. } => {
                let before = self.half_measured.take();
                let closed = before.and_then(|before| before.closed);
                if let Some(session) = self.sessions.last_mut() {
                    session.closed = closed;
                }
            }
            Event::Closed {
                at, status, counts, ..
            } => {
                // Where lines are damaged, that is told already.
                if counts != self.counts && self.problems.is_empty() {
                    let (said, found) = (counts.total(), self.counts.total());
                    self.report(Problem::Counts { line, said, found });
                }
                if let Some(session) = self.sessions.last_mut() {
                    session.closed = Some((at, status));
                }
            }
            _ => {}
        }
    }

    fn report(&mut self, problem: Problem) {
        if self.problems.len() < MAX_PROBLEMS {
            self.problems.push(problem);
        }
    }

    fn slot(&mut self, index: u64, line: u64) -> Option<&mut TrialState> {
        // An import that was made again has more trials than there were at first.
        if let Some(opened) = self.opened.as_mut().filter(|opened| opened.imported) {
            opened.trials = opened.trials.max(index.saturating_add(1).min(MAX_INDEX));
        }
        let limit = self
            .opened
            .as_ref()
            .map_or(MAX_INDEX, |opened| opened.trials.min(MAX_INDEX));
        if index >= limit {
            self.report(Problem::NoSuchTrial { line, index });
            return None;
        }
        Some(self.trials.entry(index as usize))
    }
}
