//! Slots on this machine: each is a thread with a launcher of its own that asks the controller for work.

use crate::attempt::Attempts;
use crate::dispatch::{Dispatch, Next};
use crate::events::{Ending, RunEvent, StopReason};
use crate::job::{DEVICES, is_devices};
use crate::{EngineError, RunRequest, StopRule, Verbosity};
use fairtrial_journal::{Commit, DataRoot, Event, JournalWriter, Seq};
use fairtrial_model::{Cause, Outcome, Record, Stamp};
use fairtrial_trial::{AttemptTaken, KillHandle, OutputChunk, TrialJob, TrialRunner};
use std::collections::VecDeque;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// What the slots of a run share.
pub(crate) struct Floor<'a> {
    pub(crate) request: &'a RunRequest,
    pub(crate) attempts: Attempts,
    pub(crate) board: Arc<Board>,
    pub(crate) writer: JournalWriter,
    pub(crate) stamp: Stamp,
    pub(crate) events: Sender<RunEvent>,
}

/// The controller's state, and who waits for it to change.
pub(crate) struct Board {
    state: Mutex<BoardState>,
    changed: Condvar,
    events: Mutex<Sender<RunEvent>>,
}

/// Everything behind the board's lock.
pub(crate) struct BoardState {
    pub(crate) dispatch: Dispatch,
    /// Ends handed to the journal and not yet durable, oldest first.
    unsettled: VecDeque<Unsettled>,
    kills: Vec<KillHandle>,
    /// The journal is on disk up to here.
    durable: Seq,
}

/// An end on its way to the disk.
struct Unsettled {
    seq: Seq,
    ending: Ending,
    attempt: u32,
    /// For the stopping rule, where there is one.
    record: Option<Record>,
}

impl Board {
    pub(crate) fn new(dispatch: Dispatch, events: Sender<RunEvent>) -> Self {
        let state = BoardState {
            dispatch,
            unsettled: VecDeque::new(),
            kills: Vec::new(),
            durable: Seq::default(),
        };
        Self {
            state: Mutex::new(state),
            changed: Condvar::new(),
            events: Mutex::new(events),
        }
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, BoardState> {
        // Every change under the lock is complete in itself; a slot that panicked leaves a usable state.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether ends are still on their way to the disk.
    pub(crate) fn is_settled(&self) -> bool {
        self.lock().unsettled.is_empty()
    }

    /// Starts nothing more; with `Cancel`, ends what runs.
    pub(crate) fn stop(&self, reason: StopReason) {
        let mut state = self.lock();
        let kills = matches!(reason, StopReason::Cancel);
        if state.dispatch.stop(reason.clone()) {
            self.tell(RunEvent::Stopping(reason));
        }
        let handles = if kills {
            state.kills.clone()
        } else {
            Vec::new()
        };
        drop(state);
        self.changed.notify_all();
        handles.iter().for_each(KillHandle::kill);
    }

    /// News from the journal: records became durable, or cannot be written.
    pub(crate) fn committed(&self, commit: Commit, rule: Option<&Mutex<Box<dyn StopRule>>>) {
        let through = match commit {
            Commit::Durable { through } => through,
            Commit::Failed { error } => return self.stop(StopReason::Broken(error.to_string())),
        };
        let mut state = self.lock();
        state.durable = state.durable.max(through);
        let mut settled = Vec::new();
        while state
            .unsettled
            .front()
            .is_some_and(|first| first.seq <= through)
        {
            let Some(Unsettled {
                mut ending,
                attempt,
                record,
                ..
            }) = state.unsettled.pop_front()
            else {
                break;
            };
            state
                .dispatch
                .settled(ending.key.index, attempt, ending.outcome);
            ending.counts = state.dispatch.counts();
            settled.push((ending, record));
        }
        drop(state);
        self.changed.notify_all();
        for (ending, record) in settled {
            let retried = ending.retried;
            self.tell(RunEvent::Ended(Box::new(ending)));
            if let (Some(rule), Some(record), false) = (rule, &record, retried) {
                self.ask(rule, record);
            }
        }
    }

    /// Waits until an event of the journal is on disk; `false` where it cannot be written.
    pub(crate) fn wait_durable(&self, seq: Seq) -> bool {
        let mut state = self.lock();
        while state.durable < seq {
            if let Some(StopReason::Broken(_)) = state.dispatch.stop_reason() {
                return false;
            }
            state = self
                .changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
        true
    }

    /// Shows a record to the stopping rule.
    pub(crate) fn ask(&self, rule: &Mutex<Box<dyn StopRule>>, record: &Record) {
        let decided = rule
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .settled(record);
        if let Some(why) = decided {
            self.stop(StopReason::Decided(why));
        }
    }

    fn tell(&self, event: RunEvent) {
        // Nobody listening is no reason to stop a run.
        let _ = self
            .events
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .send(event);
    }
}

impl Floor<'_> {
    /// One slot, until nothing is left to do.
    pub(crate) fn work(&self, slot: usize) -> Result<(), EngineError> {
        let mut runner =
            TrialRunner::start(&self.request.program, Some(self.attempts.host.clone()))?;
        self.board.lock().kills.push(runner.kill_handle());
        loop {
            match self.next() {
                Next::Run { index, attempt } => self.run_one(slot, &mut runner, index, attempt),
                Next::Skip {
                    index,
                    attempt,
                    needs,
                } => self.skip(index, attempt, needs),
                Next::Wait(_) => {}
                Next::Done => return Ok(()),
            }
        }
    }

    /// Waits until there is something to do.
    fn next(&self) -> Next {
        let mut state = self.board.lock();
        loop {
            let now = Instant::now();
            match state.dispatch.next(now) {
                Next::Wait(None) => {
                    state = self
                        .board
                        .changed
                        .wait(state)
                        .unwrap_or_else(PoisonError::into_inner);
                }
                Next::Wait(Some(at)) => {
                    let left = at.saturating_duration_since(now);
                    let waited = self.board.changed.wait_timeout(state, left);
                    state = waited.unwrap_or_else(PoisonError::into_inner).0;
                }
                Next::Done => {
                    drop(state);
                    // The others may wait for an end that will not come.
                    self.board.changed.notify_all();
                    return Next::Done;
                }
                next => return next,
            }
        }
    }

    fn run_one(&self, slot: usize, runner: &mut TrialRunner, index: u64, mut attempt: u32) {
        loop {
            let job = match self.attempts.jobs.job(&self.request.plan, index, attempt) {
                Ok(job) => self.with_devices(job),
                Err(error) => return self.could_not_start(index, attempt, &error),
            };
            match self.attempt(slot, runner, &job) {
                Ok(record) => return self.record(record),
                Err(AttemptTaken) => attempt = self.board.lock().dispatch.renumber(index),
            }
        }
    }

    fn attempt(
        &self,
        slot: usize,
        runner: &mut TrialRunner,
        job: &TrialJob,
    ) -> Result<Record, AttemptTaken> {
        let (index, attempt) = (job.key.index, job.attempt);
        let name = self.attempts.jobs.name(index, attempt);
        self.journal_start(index, attempt);
        if self.request.verbosity >= Verbosity::Starts {
            let (key, name) = (job.key.clone(), name.clone());
            let _ = self.events.send(RunEvent::Started {
                slot,
                key,
                attempt,
                name,
            });
        }
        let mut pass_on = |chunk: OutputChunk<'_>| {
            let (name, bytes) = (name.clone(), chunk.bytes.to_vec());
            let _ = self.events.send(RunEvent::Output {
                name,
                stderr: chunk.stderr,
                bytes,
            });
        };
        let wanted = self.request.verbosity == Verbosity::Output;
        let output = wanted.then_some(&mut pass_on as &mut dyn FnMut(OutputChunk<'_>));
        self.attempts.run(runner, job, output)
    }

    /// The job with the GPUs that its trial leases, unless the spec names some itself.
    fn with_devices(&self, mut job: TrialJob) -> TrialJob {
        let devices = self.board.lock().dispatch.devices(job.key.index);
        let named = job.env.iter().any(|entry| is_devices(entry));
        if let (Some(devices), false) = (devices, named) {
            job.env.push(format!("{DEVICES}={devices}"));
        }
        job
    }

    /// Journals that an attempt was given out.
    pub(crate) fn journal_start(&self, index: u64, attempt: u32) {
        self.writer.append(&Event::Started {
            index,
            attempt,
            at: (self.request.now)(),
            dir: DataRoot::trial_dir_relative(self.stamp, index, attempt),
        });
    }

    /// Hands a record to the journal; it counts when that says so.
    pub(crate) fn record(&self, record: Record) {
        let mut state = self.board.lock();
        let retried = state.dispatch.recorded(&record, Instant::now());
        let attempt = record.attempt;
        let ending = Ending {
            name: self.attempts.jobs.name(record.trial.index, attempt),
            key: record.trial.clone(),
            outcome: record.outcome,
            cause: record.cause.clone(),
            wall: record.resources.wall,
            retried,
            counts: state.dispatch.counts(),
        };
        // Under the lock, so that the queue is in the order of the journal.
        let kept = self.request.stop.is_some().then(|| record.clone());
        let seq = self.writer.append(&Event::Finished(Box::new(record)));
        state.unsettled.push_back(Unsettled {
            seq,
            ending,
            attempt,
            record: kept,
        });
        drop(state);
        // Another attempt is due, or there is room that others wait for.
        self.board.changed.notify_all();
    }

    pub(crate) fn skip(&self, index: u64, attempt: u32, needs: String) {
        self.record_without_run(
            index,
            attempt,
            Outcome::Skipped,
            Cause::Needs { task: needs },
        );
    }

    pub(crate) fn could_not_start(&self, index: u64, attempt: u32, error: &EngineError) {
        let cause = Cause::Launch {
            message: error.to_string(),
            permanent: true,
        };
        self.record_without_run(index, attempt, Outcome::Infra, cause);
    }

    fn record_without_run(&self, index: u64, attempt: u32, outcome: Outcome, cause: Cause) {
        let place = (index, attempt);
        let record = self
            .attempts
            .without_run(&self.request.plan, place, outcome, cause);
        if let Some(record) = record {
            self.record(record);
        }
    }
}
