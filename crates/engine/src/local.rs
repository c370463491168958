//! Slots on this machine: each is a thread with a launcher of its own that asks the controller for work.

use crate::attempt::Attempts;
use crate::board::{Board, Unsettled};
use crate::dispatch::Next;
use crate::events::{Ending, RunEvent};
use crate::job::{DEVICES, is_devices};
use crate::{EngineError, RunRequest, Verbosity};
use fairtrial_journal::{Event, JournalWriter};
use fairtrial_model::{Cause, MetricDeclaration, MetricSource, Outcome, Record};
use fairtrial_spec::{Spec, Task};
use fairtrial_trial::{AttemptTaken, Finished, Output, OutputChunk, TrialJob, TrialRunner};
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::Instant;

/// What the slots of a run share.
pub(crate) struct Floor<'a> {
    pub(crate) request: &'a RunRequest,
    pub(crate) attempts: Attempts,
    pub(crate) board: Arc<Board>,
    pub(crate) writer: JournalWriter,
    pub(crate) events: Sender<RunEvent>,
}

/// A trial that has ended and is not yet recorded.
struct Ended {
    job: TrialJob,
    finished: Finished,
}

/// One slot: a launcher, and what it has behind it.
struct Slot {
    number: usize,
    runner: TrialRunner,
    /// What the slot goes on from while its launcher has the next one.
    ended: Option<Ended>,
}

impl Floor<'_> {
    /// One slot, until nothing is left to do.
    pub(crate) fn work(&self, number: usize) -> Result<(), EngineError> {
        let mut slot = Slot {
            number,
            runner: TrialRunner::start(&self.request.program)?,
            ended: None,
        };
        self.board.lock().kills.push(slot.runner.kill_handle());
        // One trial at a time is how people measure: nothing of ours runs beside it.
        let alone = self.request.slots == 1;
        let decides = self.request.stop.is_some();
        let ahead = !alone && !decides && runs_ahead(self.request.plan.spec());
        loop {
            let next = match slot.ended {
                // With a record still to be made, nothing is waited for.
                Some(_) => self.board.lock().dispatch.next(Instant::now()),
                None => self.board.next(),
            };
            match next {
                Next::Run { index, attempt } => self.run_one(&mut slot, index, attempt),
                Next::Skip {
                    index,
                    attempt,
                    needs,
                } => self.skip(index, attempt, needs),
                Next::Done if slot.ended.is_none() => return Ok(()),
                Next::Wait(_) | Next::Done => self.settle(&mut slot),
            }
            if !ahead {
                self.settle(&mut slot);
            }
        }
    }

    /// Records what has ended.
    fn settle(&self, slot: &mut Slot) {
        if let Some(Ended { job, finished }) = slot.ended.take() {
            self.record(self.attempts.record(&job, finished));
        }
    }

    fn run_one(&self, slot: &mut Slot, index: u64, mut attempt: u32) {
        loop {
            let job = match self.attempts.jobs.job(&self.request.plan, index, attempt) {
                Ok(job) => self.with_devices(job),
                Err(error) => return self.could_not_start(index, attempt, &error),
            };
            match self.attempt(slot, &job) {
                Ok(finished) => {
                    slot.ended = Some(Ended { job, finished });
                    return;
                }
                Err(AttemptTaken) => attempt = self.board.lock().dispatch.renumber(index),
            }
        }
    }

    /// Runs an attempt; what ended before it is recorded meanwhile.
    fn attempt(&self, slot: &mut Slot, job: &TrialJob) -> Result<Finished, AttemptTaken> {
        let (index, attempt) = (job.key.index, job.attempt);
        self.journal_start(index, attempt);
        let output = match self.request.verbosity {
            Verbosity::Output => Output::Streamed,
            _ => Output::Kept,
        };
        let begun = self.attempts.begin(&mut slot.runner, job, output);
        self.settle(slot);
        if self.request.verbosity >= Verbosity::Starts {
            let _ = self.events.send(RunEvent::Started {
                slot: slot.number,
                key: job.key.clone(),
                attempt,
                name: self.attempts.jobs.name(index, attempt),
            });
        }
        let mut pass_on = |chunk: OutputChunk<'_>| {
            let _ = self.events.send(RunEvent::Output {
                name: self.attempts.jobs.name(index, attempt),
                stderr: chunk.stderr,
                bytes: chunk.bytes.to_vec(),
            });
        };
        self.attempts
            .wait(&mut slot.runner, job, begun, &mut pass_on)
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
            dir: self.attempts.jobs.dir_in_data(index, attempt),
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
        self.board.wake();
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

/// Whether a slot may start a trial before the one before it is recorded: where nothing of that record decides about the
/// next one (caps on what trials report), and nothing that it is made from could be changed by the next one (files that
/// are not the trial's own).
fn runs_ahead(spec: &Spec) -> bool {
    let caps = spec.budget.cost.is_some() || spec.budget.tokens.is_some();
    !caps && spec.engine.gpus.is_empty() && spec.tasks.iter().all(|task| is_its_own(spec, task))
}

fn is_its_own(spec: &Spec, task: &Task) -> bool {
    let own = |metric: &MetricDeclaration| {
        matches!(
            metric.source,
            MetricSource::Reported
                | MetricSource::Stdout { .. }
                | MetricSource::Stderr { .. }
                | MetricSource::Block { .. }
                | MetricSource::Resource { .. }
        )
    };
    task.resources.is_default() && task.outputs.is_empty() && spec.metrics_of(task).iter().all(own)
}
