//! What becomes of chunks that give no answer: silence is judged, never taken for failure at once, and whatever a dead
//! job leaves is recorded or given out again under a new attempt.

use super::contract::JobState;
use super::controller::{CANCEL_POLL, Remote};
use super::open::{Health, OpenChunk};
use crate::EngineError;
use crate::chunk::{ChunkDir, Given, Revoked};
use fairtrial_journal::Fresh;
use fairtrial_model::{Cause, Outcome, Record};
use std::time::{Duration, Instant};

/// How long a cancelled job is waited for.
const CANCEL_WAIT: Duration = Duration::from_secs(90);
/// Bytes of a job's log that are quoted when it dies before it begins.
const QUOTED: usize = 400;

impl Remote<'_> {
    /// Looks for chunks that will not come back.
    pub(super) fn judge(&mut self) -> Result<bool, EngineError> {
        let now = Instant::now();
        let grace = Duration::from_secs_f64(self.options().grace_s);
        let mut over = Vec::new();
        for (number, chunk) in &self.chunks {
            let health = match self.cancelled {
                Some(since) => cancelled_health(chunk, since, now),
                None => chunk.health(grace, now),
            };
            if health != Health::Fine {
                over.push((*number, health));
            }
        }
        let some = !over.is_empty();
        for (number, health) in over {
            if let Some(chunk) = self.chunks.remove(&number) {
                self.retire(chunk, &health)?;
            }
        }
        Ok(some)
    }

    /// Closes a chunk that is over: what it began and did not record is lost, the rest is given out again.
    fn retire(&mut self, mut chunk: OpenChunk, health: &Health) -> Result<(), EngineError> {
        if self.cancelled.is_none() {
            chunk.dir.revoke(Revoked::Withdrawn)?;
            if *health == Health::Dead {
                self.end_job(&chunk);
            }
        }
        chunk.read_again();
        let plan = &self.floor.request.plan;
        for record in chunk.look(plan, Instant::now()) {
            self.floor.record(record);
        }
        let left: Vec<Given> = chunk
            .left
            .iter()
            .map(|(index, attempt)| Given {
                index: *index,
                attempt: *attempt,
            })
            .collect();
        let begun: Vec<bool> = left
            .iter()
            .map(|given| chunk.begun(self.run, *given))
            .collect();
        // A job that dies before it does anything would be submitted for ever.
        let stillborn =
            *health == Health::Dead && !chunk.progressed && !begun.iter().any(|begun| *begun);
        let cause = |remote: &Self| remote.cause_of(&chunk, stillborn);
        for (given, begun) in left.iter().zip(&begun) {
            if self.cancelled.is_some() {
                self.lost(&chunk.dir, *given, (Outcome::Cancelled, Cause::User))?;
            } else if *begun || stillborn {
                let ending = cause(self);
                self.lost(&chunk.dir, *given, ending)?;
            } else {
                let mut state = self.floor.board.lock();
                state.dispatch.give_back(given.index, Instant::now());
            }
        }
        Ok(())
    }

    /// Records an attempt that left no record itself; one that came at the last moment wins.
    fn lost(
        &self,
        dir: &ChunkDir,
        given: Given,
        (outcome, cause): (Outcome, Cause),
    ) -> Result<(), EngineError> {
        let request = self.floor.request;
        let place = (given.index, given.attempt);
        let made = self
            .floor
            .attempts
            .without_run(&request.plan, place, outcome, cause);
        let Some(mut record) = made else {
            return Ok(());
        };
        if self.run.trial_dir(given.index, given.attempt).exists() {
            record.dir = fairtrial_journal::DataRoot::trial_dir_relative(
                self.run.stamp(),
                given.index,
                given.attempt,
            );
        }
        let record: Record = match dir.write_record(&record)? {
            Fresh::Written => record,
            Fresh::Taken => dir.record(given).unwrap_or(record),
        };
        self.floor.record(record);
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
        if *chunk.state() == JobState::OutOfMemory && !stillborn {
            return (Outcome::Oom, Cause::Memory { limit_bytes: None });
        }
        if stillborn {
            let message = format!(
                "the job ended before its trials began ({state}): {}",
                self.last_words(chunk)
            );
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

    /// The end of a job's log.
    fn last_words(&self, chunk: &OpenChunk) -> String {
        let batch = self.batches.get(&chunk.batch);
        let log = batch.and_then(|batch| {
            let log = self.placed.engine.logs(&batch.submitted, chunk.element);
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
        if chunk.state().is_over() {
            return;
        }
        if let Some(batch) = self.batches.get(&chunk.batch) {
            let elements = [chunk.element];
            self.complain(self.placed.engine.cancel(&batch.submitted, Some(&elements)));
        }
    }
}

/// A cancelled job is over when it said so, when it never began, when the scheduler says so, or after long enough.
fn cancelled_health(chunk: &OpenChunk, since: Instant, now: Instant) -> Health {
    let gone = chunk.state().is_over() || *chunk.state() == JobState::Missing;
    let waited = now.duration_since(since);
    if chunk.has_left() || !chunk.began() {
        Health::Left
    } else if (gone && waited >= CANCEL_POLL) || waited >= CANCEL_WAIT {
        Health::Dead
    } else {
        Health::Fine
    }
}
