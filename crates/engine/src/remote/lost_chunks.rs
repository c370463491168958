//! What becomes of chunks that give no answer: silence is judged, never taken for failure at once, and whatever a dead
//! job leaves is recorded or given out again under a new attempt.

use super::contract::JobState;
use super::health::Health;
use super::open_chunk::{OpenChunk, is_cut};
use super::remote_run::RemoteRun;
use crate::attempt_id::AttemptId;
use crate::chunk::{ChunkDir, Revoked, Setup};
use crate::error::EngineError;
use fairtrial_journal::Fresh;
use fairtrial_model::{Cause, Outcome, Record};
use fairtrial_spec::EngineKind;
use std::time::{Duration, Instant};

/// Bytes of a job's log that are quoted when it dies before it begins.
const QUOTED: usize = 400;
const PUT_BACK: &str = "the scheduler put it back into the queue (preemption or requeue)";
const TIME_UP: &str = "its time was spent";
const CANCELLED_THERE: &str = "somebody cancelled it at the scheduler";
const TAKEN_BACK: &str = "taken back when the run had its answer or its budget was spent";

impl RemoteRun<'_> {
    /// Looks for chunks that will not come back.
    pub(super) fn close_lost(&mut self) -> Result<bool, EngineError> {
        let now = Instant::now();
        let grace = Duration::from_secs_f64(self.options().grace_s);
        let mut over = Vec::new();
        for (number, chunk) in &self.chunks {
            let health = match (self.cancelled, chunk.recalled) {
                (Some(since), _) => chunk.cancelled_health(since, self.trust(chunk), now),
                // Nobody could have been heard meanwhile.
                _ if self.is_deaf() => Health::Fine,
                (None, Some(since)) => chunk.recalled_health(since, grace, now),
                (None, None) => chunk.health(grace, now),
            };
            if health != Health::Fine {
                over.push((*number, health));
            }
        }
        let some = !over.is_empty();
        if some && self.is_deaf() {
            self.warn(format!(
                "what {} cancelled jobs left could not be brought here: their open trials are recorded as cancelled",
                over.len()
            ));
        }
        let mut elsewhere = (0, 0);
        for (number, health) in over {
            let silent = self.chunks.get(&number).filter(|chunk| {
                health == Health::Dead && !chunk.began() && self.cancelled.is_none()
            });
            if let Some(error) = silent.and_then(|chunk| self.nameless(chunk.batch)) {
                return Err(error);
            }
            if let Some(chunk) = self.chunks.remove(&number) {
                let cancelled = self.retire(chunk, &health)?;
                elsewhere.0 += usize::from(cancelled > 0);
                elsewhere.1 += cancelled;
            }
        }
        if let (jobs @ 1.., trials) = elsewhere {
            self.warn(format!(
                "cancelled at the scheduler, not by Fairtrial: {jobs} jobs with {trials} open trials, which are \
                 recorded as cancelled (`run --resume` runs them)"
            ));
        }
        Ok(some)
    }

    /// Closes a chunk that is over: what it began and did not record is lost, the rest is given out again. Where
    /// somebody cancelled the job at the scheduler, nothing of it is: that was meant. Gives the number of such trials.
    fn retire(&mut self, mut chunk: OpenChunk, health: &Health) -> Result<usize, EngineError> {
        if self.cancelled.is_none() {
            chunk.dir.revoke(Revoked::Withdrawn)?;
            if let Some(batch) = self.batches.get(&chunk.batch) {
                let told = [chunk.element];
                self.complain(self.probed.engine.tell_nodes(&batch.submitted, &told));
            }
            // A dead one may hang, and one that was made to leave may be started again.
            self.end_job(&chunk);
        }
        chunk.read_again();
        let plan = &self.slots.request.plan;
        for record in chunk.look(plan, Instant::now()) {
            self.slots.record(record);
        }
        let recalled = chunk.recalled.is_some();
        let elsewhere =
            self.cancelled.is_none() && !recalled && *chunk.state() == JobState::Cancelled;
        let cut = chunk.take_cut();
        let begun = |id: &AttemptId| chunk.begun(self.run, *id);
        let left: Vec<(AttemptId, bool)> = chunk
            .left
            .iter()
            .map(|(index, attempt)| AttemptId {
                index: *index,
                attempt: *attempt,
            })
            .map(|id| (id, begun(&id)))
            .collect();
        let taken_away = if elsewhere { cut.len() + left.len() } else { 0 };
        // A job that dies before it does anything would be submitted for ever.
        let stillborn = *health == Health::Dead
            && !recalled
            && !chunk.progressed
            && !left.iter().any(|(_, begun)| *begun);
        for record in cut {
            self.settle_cut(record, &chunk);
        }
        if self.cancelled.is_none() {
            // Whoever comes next knows that what left no record may be given out.
            chunk.dir.revoke(Revoked::Closed)?;
        }
        for (id, begun) in left {
            if self.cancelled.is_some() {
                self.lost(&chunk.dir, id, Outcome::Cancelled, Cause::User)?;
            } else if elsewhere || begun || stillborn {
                let (outcome, cause) = self.cause_of(&chunk, stillborn);
                self.lost(&chunk.dir, id, outcome, cause)?;
            } else {
                let mut state = self.slots.controller.lock();
                state.dispatch.give_back(id.index, Instant::now());
            }
        }
        Ok(taken_away)
    }

    /// Records a trial that was cut off with its job, now that the scheduler has said why, or will not.
    fn settle_cut(&self, mut record: Record, chunk: &OpenChunk) {
        let by_user = self.cancelled.is_some() || chunk.half_cancelled;
        let ending = if is_cut(&record) && by_user {
            (Outcome::Cancelled, Cause::User)
        } else if is_cut(&record) && chunk.recalled.is_some() {
            (Outcome::Cancelled, job_ended(TAKEN_BACK))
        } else if self.ran_out_of_memory(chunk) {
            out_of_memory()
        } else if !is_cut(&record) {
            // It was killed, and not for memory.
            return self.slots.record(record);
        } else {
            cut_off(&record, chunk.state())
        };
        (record.outcome, record.cause) = (ending.0, Some(ending.1));
        let dir = self.run.trial_dir(record.trial.index, record.attempt);
        if let Err(error) = fairtrial_journal::views::replace_record(&dir, &record) {
            self.warn(error.to_string());
        }
        self.slots.record(record);
    }

    /// Records an attempt that left no record itself; one that came at the last moment wins, and one that is there and
    /// cannot be read now is not replaced.
    fn lost(
        &self,
        dir: &ChunkDir,
        id: AttemptId,
        outcome: Outcome,
        cause: Cause,
    ) -> Result<(), EngineError> {
        let request = self.slots.request;
        let made = self
            .slots
            .attempts
            .without_run(&request.plan, id, outcome, cause);
        let Some(mut record) = made else {
            return Ok(());
        };
        if self.run.trial_dir(id.index, id.attempt).exists() {
            record.dir = fairtrial_journal::DataRoot::trial_dir_relative(
                self.run.stamp(),
                id.index,
                id.attempt,
            );
        }
        let record: Record = match dir.write_record(&record)? {
            Fresh::Written => record,
            Fresh::Taken => dir.record(id)?.unwrap_or(record),
        };
        self.slots.record(record);
        Ok(())
    }

    /// Why a trial of a dead chunk has no record.
    fn cause_of(&self, chunk: &OpenChunk, stillborn: bool) -> (Outcome, Cause) {
        let node = chunk
            .beat
            .as_ref()
            .map_or(String::new(), |beat| format!(" on {}", beat.owner.host));
        let state = match chunk.state() {
            JobState::Failed(why) => format!("failed ({why})"),
            state => state.word().to_owned(),
        };
        if chunk.half_cancelled {
            return (Outcome::Cancelled, Cause::User);
        }
        if chunk.recalled.is_some() {
            return (Outcome::Cancelled, job_ended(TAKEN_BACK));
        }
        if *chunk.state() == JobState::Cancelled {
            return (Outcome::Cancelled, job_ended(CANCELLED_THERE));
        }
        if !stillborn && self.ran_out_of_memory(chunk) {
            return out_of_memory();
        }
        if stillborn {
            let message = self.setup_failure(chunk).unwrap_or_else(|| {
                format!(
                    "the job ended before its trials began ({state}): {}",
                    self.last_words(chunk)
                )
            });
            return (
                Outcome::Infra,
                Cause::Launch {
                    message,
                    permanent: false,
                },
            );
        }
        let message = format!("the job{node} left no record; the scheduler says: {state}");
        (Outcome::Infra, Cause::Lost { message })
    }

    /// Whether a job was killed for memory: its state says so, or only what the scheduler wrote into its log.
    fn ran_out_of_memory(&self, chunk: &OpenChunk) -> bool {
        let batch = self.batches.get(&chunk.batch);
        *chunk.state() == JobState::OutOfMemory
            || batch.is_some_and(|batch| {
                let engine = &self.probed.engine;
                engine.log_tells_of_memory(&batch.submitted, chunk.element)
            })
    }

    /// Which of the lines that prepare a node failed, and what was printed.
    fn setup_failure(&self, chunk: &OpenChunk) -> Option<String> {
        let Some(Setup::Failed { status, line, host }) = &chunk.setup else {
            return None;
        };
        let options = self.options();
        let setup = match options.kind {
            EngineKind::Slurm => options.slurm.setup.clone(),
            EngineKind::Kubernetes => options.kubernetes.setup.clone(),
            _ => options.described().setup,
        };
        let mut lines = setup.as_deref().unwrap_or_default().lines();
        let text = line.checked_sub(1).and_then(|at| lines.nth(at));
        let which = text.map_or_else(
            || "`setup`".to_owned(),
            |text| format!("line {line} of `setup`, `{}`,", text.trim()),
        );
        let words = self.last_words(chunk);
        Some(format!(
            "{which} failed on {host} (exit status {status}): {words}"
        ))
    }

    /// The end of a job's log.
    fn last_words(&self, chunk: &OpenChunk) -> String {
        let batch = self.batches.get(&chunk.batch);
        let log = batch.and_then(|batch| {
            let log = self.probed.engine.logs(&batch.submitted, chunk.element);
            log.ok().filter(|log| !log.trim().is_empty())
        });
        let Some(log) = log else {
            return format!(
                "it wrote nothing; do the nodes see {}?",
                self.run.path().display()
            );
        };
        let log = log.trim();
        let start = log.len().saturating_sub(QUOTED);
        let start = (start..log.len())
            .find(|at| log.is_char_boundary(*at))
            .unwrap_or(0);
        log[start..].to_owned()
    }

    pub(super) fn end_job(&self, chunk: &OpenChunk) {
        // What was preempted or lost its node may be put back into the queue.
        let comes_back = matches!(chunk.state(), JobState::Preempted | JobState::NodeLost);
        if chunk.state().is_over() && !comes_back {
            return;
        }
        if let Some(batch) = self.batches.get(&chunk.batch) {
            let elements = [chunk.element];
            self.complain(self.probed.engine.cancel(&batch.submitted, Some(&elements)));
        }
    }
}

fn out_of_memory() -> (Outcome, Cause) {
    let cause = Cause::Memory {
        limit_bytes: None,
        went_on: false,
    };
    (Outcome::Oom, cause)
}

/// What to call a trial whose job the scheduler ended.
fn cut_off(record: &Record, state: &JobState) -> (Outcome, Cause) {
    let Some(Cause::JobEnded { first, warned, .. }) = record.cause else {
        return (Outcome::Infra, job_ended("by the scheduler"));
    };
    if record.checkpoint.is_some() && *state != JobState::Cancelled {
        // It goes on in another job: what ended this one is no limit of the trial.
        let message = match (state, record.cause.as_ref()) {
            (JobState::Pending(_) | JobState::Held(_), _) => PUT_BACK,
            (JobState::TimedOut, _) | (_, Some(Cause::JobEnded { warned: true, .. })) => TIME_UP,
            (JobState::Preempted, _) => "it was preempted",
            (JobState::NodeLost, _) => "its node was lost",
            _ => "by the scheduler",
        };
        return (Outcome::Infra, job_ended(message));
    }
    let unknown = matches!(state, JobState::Missing | JobState::Running);
    let out_of_time = *state == JobState::TimedOut || (unknown && warned);
    if let (true, true, Some(wall)) = (out_of_time, first, record.resources.wall) {
        // It had the job's whole time for itself.
        let limit_s = wall.round();
        return (Outcome::Timeout, Cause::WallTime { limit_s });
    }
    match state {
        JobState::Cancelled => (Outcome::Cancelled, job_ended(CANCELLED_THERE)),
        _ if out_of_time => (
            Outcome::Infra,
            job_ended("its time was spent, a part of it on other trials"),
        ),
        JobState::Pending(_) | JobState::Held(_) => (Outcome::Infra, job_ended(PUT_BACK)),
        // A runner that was told to stop leaves in good order, which is all that some schedulers know.
        JobState::Running | JobState::Missing | JobState::Done => {
            (Outcome::Infra, job_ended("by the scheduler"))
        }
        state => {
            let message = format!("the scheduler says: {}", state.word());
            (Outcome::Infra, job_ended(&message))
        }
    }
}

fn job_ended(message: &str) -> Cause {
    Cause::JobEnded {
        message: message.to_owned(),
        first: false,
        warned: false,
    }
}

#[cfg(test)]
mod tests {
    use super::{JobState, cut_off, job_ended};
    use fairtrial_model::{Cause, Outcome, Record};

    /// A trial that was cut off with its job after 100 s.
    fn record(first: bool, warned: bool) -> Record {
        let text = r#"{"schema":1,"id":"0123456789abcdef0123456789abcdef","attempt":1,"outcome":"infra",
            "trial":{"index":0,"task":"t","arm":"a","seed":1},"ended_at":"2025-08-24T12:34:56Z","dir":"",
            "resources":{},"metrics":{}}"#;
        let mut record: Record = serde_json::from_str(text).unwrap();
        record.resources.wall = Some(100.2);
        record.cause = Some(Cause::JobEnded {
            message: String::new(),
            first,
            warned,
        });
        record
    }

    #[test]
    fn the_schedulers_word_says_what_a_cut_off_trial_is() {
        let over = |state: JobState, first, warned| cut_off(&record(first, warned), &state);
        let limit = Cause::WallTime { limit_s: 100.0 };
        assert_eq!(
            over(JobState::TimedOut, true, true),
            (Outcome::Timeout, limit.clone())
        );
        // Where the scheduler has forgotten the job, its warning tells.
        assert_eq!(
            over(JobState::Missing, true, true),
            (Outcome::Timeout, limit)
        );
        for (state, first, warned, words) in [
            (JobState::TimedOut, false, true, "on other trials"),
            (JobState::Missing, true, false, "by the scheduler"),
            (
                JobState::Pending(String::new()),
                true,
                true,
                "back into the queue",
            ),
            (JobState::Preempted, true, true, "preempted"),
            (JobState::NodeLost, true, false, "node lost"),
            (JobState::Done, true, false, "by the scheduler"),
        ] {
            let (outcome, cause) = over(state.clone(), first, warned);
            assert_eq!(outcome, Outcome::Infra, "{state:?}");
            assert!(cause.to_string().contains(words), "{state:?}: {cause}");
        }
        let (outcome, cause) = over(JobState::Cancelled, true, true);
        assert_eq!(
            (outcome, cause),
            (Outcome::Cancelled, job_ended(super::CANCELLED_THERE))
        );
    }
}
