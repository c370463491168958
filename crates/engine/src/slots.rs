//! Slots on this machine: each is a thread with a launcher of its own that asks the controller for work.

use crate::attempt::Attempts;
use crate::attempt_id::AttemptId;
use crate::controller::{Controller, Unsettled};
use crate::controls::Controls;
use crate::dispatch::Next;
use crate::error::EngineError;
use crate::events::{Ending, RunEvent};
use crate::job::{DEVICES, is_devices};
use crate::parts::Parts;
use crate::request::{RunRequest, Verbosity};
use crate::timed;
use crate::warm_up::WarmUps;
use fairtrial_journal::{Event, JournalWriter, RecordText};
use fairtrial_model::{Cause, MetricDeclaration, MetricSource, Outcome, Record};
use fairtrial_spec::{Spec, Task};
use fairtrial_text::count::first_of;
use fairtrial_trial::{
    AttemptTaken, Fate, Finished, HOLD, Output, OutputChunk, TrialJob, TrialRunner,
};
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::Instant;

/// What the slots of a run share.
pub(crate) struct Slots<'a> {
    pub(crate) request: &'a RunRequest,
    pub(crate) attempts: Attempts,
    pub(crate) controller: Arc<Controller>,
    pub(crate) controls: &'a Controls,
    pub(crate) warm_ups: WarmUps,
    pub(crate) parts: Parts,
    pub(crate) writer: JournalWriter,
    pub(crate) events: Sender<RunEvent>,
}

/// Whether a slot has anything left to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Filled {
    GoesOn,
    NothingLeft,
}

/// A trial that has ended and is not yet recorded.
struct EndedTrial {
    job: TrialJob,
    finished: Finished,
}

/// One slot: a launcher, and what it has behind it.
struct Slot {
    number: usize,
    runner: TrialRunner,
    /// What the slot goes on from while its launcher has the next ones.
    ended: Vec<EndedTrial>,
    /// Whether a trial may start before the one before it is recorded.
    ahead: bool,
    /// How many trials the launcher is handed at once.
    depth: usize,
    /// Whether what is handed over together is waited for together: between the trials of a batch nothing of ours runs, not
    /// even what makes records of those before.
    batched: bool,
}

/// Trials that a launcher has at most; by what the ones before took, all of them together take no longer than [`HOLD`].
const DEPTH: usize = 16;
/// The same of a batch that is waited for together: what comes between two of them is a loss of time.
const BATCH: usize = 64;

impl Slot {
    /// What the trials that just ended tell about how many to hand over.
    fn learn(&mut self) {
        let took = self.ended.iter().map(|ended| ended.finished.took());
        if let Some(longest) = took.max() {
            let fit = HOLD.as_nanos() / longest.as_nanos().max(1);
            // Growing slowly: where long and short trials mix, most of what is handed over would come back.
            let most = if self.batched { BATCH } else { DEPTH };
            let most = most.min(self.depth * 2);
            self.depth = usize::try_from(fit).unwrap_or(most).clamp(1, most);
        }
    }
}

impl Slots<'_> {
    /// One slot, until nothing is left to do.
    pub(crate) fn work(&self, number: usize) -> Result<(), EngineError> {
        // One trial at a time is how people measure: nothing of ours runs beside it.
        let alone = self.request.slots == 1;
        let decides = self.request.stop.is_some();
        let batched = alone && timed::in_batches(self.request.plan.spec());
        let mut runner = self.start_runner(number)?;
        if batched {
            runner.wait_together();
        }
        let mut slot = Slot {
            number,
            runner,
            ended: Vec::new(),
            ahead: !alone && !decides && runs_ahead(self.request.plan.spec()),
            depth: 1,
            batched,
        };
        self.controller.lock().kills.push(slot.runner.kill_handle());
        loop {
            if !slot.ahead {
                self.settle(&mut slot);
            }
            if self.fill(&mut slot) == Filled::NothingLeft {
                return Ok(());
            }
            self.settle(&mut slot);
            self.wait(&mut slot);
        }
    }

    /// A launcher for a slot. Without one the other slots do its share, which is said at once.
    fn start_runner(&self, number: usize) -> Result<TrialRunner, EngineError> {
        TrialRunner::start(&self.request.program).map_err(|error| {
            let text = format!("slot {number} is left out: {error}");
            let _ = self.events.send(RunEvent::Warning(text));
            error.into()
        })
    }

    /// Hands the launcher what it shall have, once it has less than half of that.
    fn fill(&self, slot: &mut Slot) -> Filled {
        let has = slot.runner.jobs();
        if has * 2 > slot.depth {
            return Filled::GoesOn;
        }
        // With a trial to wait for, or a record still to be made, nothing else is waited for.
        let idle = has == 0 && slot.ended.is_empty();
        let mut next = self.controller.next_now();
        if idle && matches!(next, Next::Wait(_) | Next::Done) {
            // It may be waiting for what is handed in and not durable.
            self.writer.hurry();
            next = self.controller.next();
        }
        loop {
            match next {
                Next::Run { index, attempt } => self.begin(slot, index, attempt),
                Next::Skip {
                    index,
                    attempt,
                    needs,
                } => self.skip(index, attempt, needs),
                Next::Done if idle && slot.runner.jobs() == 0 => return Filled::NothingLeft,
                Next::Wait(_) | Next::Done => break,
            }
            if slot.runner.jobs() >= slot.depth {
                break;
            }
            next = self.controller.next_now();
        }
        slot.runner.hand();
        Filled::GoesOn
    }

    /// Records what has ended.
    fn settle(&self, slot: &mut Slot) {
        if slot.ended.is_empty() {
            return;
        }
        for EndedTrial { job, finished } in slot.ended.drain(..) {
            let (record, text) = self.attempts.record(job, finished);
            self.journal(record, text.as_ref());
        }
        // Another attempt is due, or there is room that others wait for; or they wait until these are durable, as a
        // stopping rule does. Where programs are timed it waits longer: writing would disturb the next one.
        let rule_waits = self.request.stop.is_some() && !timed::is_timed(self.request.plan.spec());
        if rule_waits || self.controller.somebody_waits() {
            self.writer.hurry();
        }
        self.controller.wake();
    }

    /// Prepares to hand an attempt to the launcher.
    fn begin(&self, slot: &mut Slot, index: u64, attempt: u32) {
        let id = AttemptId { index, attempt };
        let mut job = match self.attempts.job(&self.request.plan, id) {
            Ok(job) => self.with_devices(job),
            Err(error) => return self.could_not_start(index, attempt, &error),
        };
        job.limits.spent = self.parts.spent(index);
        let launcher = || {
            let runner = TrialRunner::start(&self.request.program)?;
            self.controller.lock().kills.push(runner.kill_handle());
            Ok(runner)
        };
        let plan = &self.request.plan;
        let warm = self.warm_ups.before(&self.attempts, plan, index, launcher);
        if let Err(error) = warm {
            // The trial itself will say more.
            let _ = self.events.send(RunEvent::Warning(error.to_string()));
        }
        self.tell_changed_code(index);
        self.journal_start(index, attempt, job.dir_in_data.clone());
        if let Err(error) = timed::prepare(&job, self.controls) {
            return self.could_not_start(index, attempt, &error);
        }
        let output = match self.request.verbosity {
            Verbosity::Output => Output::Streamed,
            _ => Output::Kept,
        };
        if self.request.verbosity >= Verbosity::Starts {
            let _ = self.events.send(RunEvent::Started {
                slot: slot.number,
                key: job.key.clone(),
                attempt,
                name: self.attempts.jobs.name(index, attempt),
            });
        }
        self.attempts.begin(&mut slot.runner, job, output);
    }

    /// Says at once that the code changed while the run goes on; the comparison will object.
    fn tell_changed_code(&self, index: u64) {
        let code = self.attempts.jobs.code.as_ref();
        let names = code.map_or_else(Vec::new, |code| code.changes());
        if !names.is_empty() {
            let at = (self.request.now)();
            self.writer.append(&Event::CodeChanged {
                at,
                names: names.clone(),
            });
            let text = format!(
                "changed while the run was running: {}; trial {index} and those started after it run the new version, and the \
                 comparison will say so",
                first_of(&names, 5)
            );
            let _ = self.events.send(RunEvent::Warning(text));
        }
    }

    /// Waits for what the launcher has.
    fn wait(&self, slot: &mut Slot) {
        let mut pass_on = |job: &TrialJob, chunk: OutputChunk<'_>| {
            let _ = self.events.send(RunEvent::Output {
                name: self.attempts.jobs.name(job.key.index, job.attempt),
                stderr: chunk.stderr,
                bytes: chunk.bytes.to_vec(),
            });
        };
        let mut held_up = false;
        let mut fates = self.attempts.wait(&mut slot.runner, &mut pass_on);
        while slot.batched && slot.runner.jobs() > 0 {
            fates.extend(self.attempts.wait(&mut slot.runner, &mut pass_on));
        }
        for (job, fate) in fates {
            let index = job.key.index;
            match fate {
                Fate::Ended(finished) => {
                    if let Err(error) = timed::conclude(&job, self.controls) {
                        let _ = self.events.send(RunEvent::Warning(error.to_string()));
                    }
                    slot.ended.push(EndedTrial { job, finished });
                }
                Fate::Taken(AttemptTaken) => {
                    let attempt = self.controller.lock().dispatch.renumber(index);
                    self.begin(slot, index, attempt);
                }
                Fate::Returned => {
                    held_up = true;
                    self.controller.put_back(index);
                }
            }
        }
        slot.runner.hand();
        if held_up {
            // The one that holds them up still runs: nothing more is handed over behind it.
            slot.depth = 1;
        } else if (slot.ahead || slot.batched) && self.request.verbosity < Verbosity::Starts {
            // Who watches trials start sees each when it does.
            slot.learn();
        }
    }

    /// The job with the GPUs that its trial leases, unless the spec names some itself.
    fn with_devices(&self, mut job: TrialJob) -> TrialJob {
        let devices = self.controller.lock().dispatch.devices(job.key.index);
        let named = job.env.iter().any(|entry| is_devices(entry));
        if let (Some(devices), false) = (devices, named) {
            job.env.push(format!("{DEVICES}={devices}"));
        }
        job
    }

    /// Journals that an attempt was given out.
    pub(crate) fn journal_start(&self, index: u64, attempt: u32, dir: String) {
        self.writer.append(&Event::Started {
            index,
            attempt,
            at: (self.request.now)(),
            dir,
        });
    }

    /// Hands a record to the journal; it counts when that says so.
    pub(crate) fn record(&self, record: Record) {
        self.journal(record, None);
        self.controller.wake();
    }

    /// `text` is that of the record, where it is there already.
    fn journal(&self, mut record: Record, text: Option<&RecordText>) {
        let completed = self.parts.complete(&mut record);
        let text = text.filter(|_| !completed);
        if completed && let Some(failure) = self.parts.replace_copy(&record) {
            let _ = self.events.send(RunEvent::Warning(failure));
        }
        let attempt = record.attempt;
        let packed = record.packed.is_some();
        let packed = packed.then(|| self.request.root.path().join(&record.dir));
        let name = self.attempts.jobs.name(record.trial.index, attempt);
        let mut state = self.controller.lock();
        let retried = state.dispatch.recorded(&record, Instant::now());
        let ending = Ending {
            name,
            index: record.trial.index,
            outcome: record.outcome,
            cause: record.cause.clone(),
            wall: record.resources.wall,
            value: self.deciding_value(&record),
            retried,
            counts: state.dispatch.counts(),
        };
        // Under the lock, so that the queue is in the order of the journal.
        let kept = self.request.stop.is_some().then(|| record.clone());
        let seq = match text {
            Some(text) => self.writer.append_record(text),
            None => self.writer.append(&Event::Finished(Box::new(record))),
        };
        state.unsettled.push_back(Unsettled {
            seq,
            ending,
            attempt,
            record: kept,
            packed,
        });
    }

    fn deciding_value(&self, record: &Record) -> Option<f64> {
        let metric = self.request.plan.spec().primary_metric()?;
        record.metrics.get(metric).map(|number| number.0)
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
        let id = AttemptId { index, attempt };
        let record = self
            .attempts
            .without_run(&self.request.plan, id, outcome, cause);
        if let Some(record) = record {
            self.record(record);
        }
    }
}

/// Whether a slot may start a trial before the one before it is recorded: where nothing of that record decides about the
/// next one (caps), and nothing that it is made from could be changed by the next one (files that
/// are not the trial's own).
fn runs_ahead(spec: &Spec) -> bool {
    let budget = &spec.budget;
    // A trial that is handed over counts as started, also where it comes back.
    let caps = budget.cost.is_some() || budget.tokens.is_some() || budget.trials.is_some();
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
