//! How a run that is with a scheduler is stopped: left alone, taken back, or ended.

use super::contract::JobState;
use super::health::{CANCEL_WAIT, Trust};
use super::open_chunk::OpenChunk;
use super::remote_run::{OpenBatch, RemoteRun, SOON};
use crate::chunk::Revoked;
use crate::controls::Asked;
use crate::error::EngineError;
use crate::events::StopReason;
use crate::request::{Start, Stay};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// How soon a scheduler that took a cancel without effect is told again. One that did not take it is told whenever it
/// is asked.
const TELL_AGAIN: Duration = Duration::from_secs(10);

impl RemoteRun<'_> {
    /// Does what was asked for; says whether to leave at once.
    pub(super) fn handle_stop(&mut self) -> Result<bool, EngineError> {
        let reason = self.slots.controller.lock().dispatch.stop_reason().cloned();
        match reason {
            Some(StopReason::Detach | StopReason::Unsubmitted | StopReason::Broken(_)) => {
                return Ok(true);
            }
            Some(StopReason::Cancel) if self.cancelled.is_none() => self.cancel_all()?,
            Some(_) if self.cancelled.is_none() && !self.withdrawn => self.withdraw()?,
            _ => {}
        }
        Ok(false)
    }

    /// Goes on with what an earlier controller began to take back and did not see the end of. Whoever attends a run
    /// that was being cancelled goes on cancelling; who resumes it wants its trials, and only ends the old jobs.
    pub(super) fn resume_cancel(&mut self) {
        let cancelled = self.chunks.values().any(|chunk| chunk.half_cancelled);
        if cancelled && matches!(self.slots.request.start, Start::Attend(_)) {
            self.slots.controller.stop(StopReason::Cancel);
            return;
        }
        let now = Instant::now();
        for chunk in self.chunks.values_mut() {
            let idle = chunk.dir.beat().is_none();
            if chunk.half_cancelled || (idle && chunk.dir.revoked().is_some()) {
                chunk.recalled = Some(now);
            }
        }
        self.end_recalled();
    }

    /// The user stopped the run: every job is ended.
    fn cancel_all(&mut self) -> Result<(), EngineError> {
        self.cancelled = Some(Instant::now());
        self.waiting.clear();
        for chunk in self.chunks.values() {
            chunk.dir.revoke(Revoked::Cancelled)?;
        }
        self.tell_nodes();
        for batch in self.batches.values().filter(|batch| batch.unnamed) {
            self.warn(format!(
                "jobs `{}` cannot be cancelled by a handle that is not known: they leave by themselves when they begin",
                batch.submitted.key
            ));
        }
        if self.announce_end() {
            self.end_at = Instant::now() + self.notice() + SOON;
        } else {
            self.end_living();
        }
        self.poll_at = Instant::now();
        Ok(())
    }

    /// Brings to all nodes that their chunks were taken back. One that does not hear is ended by the scheduler.
    fn tell_nodes(&self) {
        for (number, batch) in &self.batches {
            let chunks = self.chunks.values().filter(|chunk| chunk.batch == *number);
            let elements: Vec<u64> = chunks.map(|chunk| chunk.element).collect();
            self.complain(self.probed.engine.tell_nodes(&batch.submitted, &elements));
        }
    }

    /// Tells jobs whose trials save their state that their end is near: `cancel` of a scheduler leaves them what the site
    /// gives, which may be nothing. Says whether somebody is waited for.
    fn announce_end(&mut self) -> bool {
        let saves = |chunk: &OpenChunk| {
            let plan = &self.slots.request.plan;
            let mut tasks = chunk.left.keys().filter_map(|index| plan.task(*index));
            tasks.any(|task| task.checkpoint.is_some())
        };
        let mut saving: BTreeMap<u64, Vec<(u64, u64)>> = BTreeMap::new();
        for (number, chunk) in &self.chunks {
            if chunk.began() && !chunk.has_left() && saves(chunk) {
                let elements = saving.entry(chunk.batch).or_default();
                elements.push((*number, chunk.element));
            }
        }
        for (number, chunks) in saving {
            let Some(batch) = self.batches.get(&number) else {
                continue;
            };
            let elements: Vec<u64> = chunks.iter().map(|(_, element)| *element).collect();
            // Where it cannot be told, it is ended as it would have been.
            let told = self.probed.engine.announce_end(&batch.submitted, &elements);
            if told.unwrap_or(false) {
                self.announced
                    .extend(chunks.iter().map(|(chunk, _)| *chunk));
            }
        }
        !self.announced.is_empty()
    }

    /// The longest notice of the run's tasks.
    fn notice(&self) -> Duration {
        let tasks = &self.slots.request.plan.spec().tasks;
        let notices = tasks.iter().filter_map(|task| task.checkpoint);
        let longest = notices.map(|rule| rule.notice_s).fold(0.0, f64::max);
        Duration::try_from_secs_f64(longest).unwrap_or_default()
    }

    /// Tells the scheduler again to end the jobs of a cancelled run: its command may have failed, or been killed.
    pub(super) fn end_again(&mut self) {
        let chunks = &self.chunks;
        let waited_for = self.announced.len();
        self.announced.retain(|number| chunks.contains_key(number));
        let have_saved = waited_for > 0 && self.announced.is_empty();
        if self.cancelled.is_some() && (have_saved || Instant::now() >= self.end_at) {
            self.end_living();
        }
    }

    fn end_living(&mut self) {
        let living = |number: &u64| {
            let mut chunks = self.chunks.values();
            chunks.any(|chunk| chunk.batch == *number && !chunk.state().is_over())
        };
        let found = self.batches.iter().filter(|(number, _)| living(number));
        let ended: Vec<_> = found
            .map(|(_, batch)| self.probed.engine.cancel(&batch.submitted, None))
            .collect();
        let failure = ended.into_iter().find_map(Result::err);
        let failure = failure.map(|error| error.to_string());
        self.end_at = Instant::now();
        if failure.is_none() {
            self.end_at += TELL_AGAIN;
        }
        if let (Some(text), true) = (&failure, failure != self.last_refusal) {
            self.warn(format!("{text}; it is tried again"));
        }
        self.last_refusal = failure;
    }

    /// What the scheduler's word is worth about the end of a chunk's job.
    pub(super) fn trust(&self, chunk: &OpenChunk) -> Trust {
        let batch = self.batches.get(&chunk.batch);
        let named = batch.is_some_and(|batch| batch.submitted.handle.is_some());
        Trust {
            nameless: batch.is_some_and(|batch| batch.unnamed),
            lists_all: self.probed.engine.lists_all() && named,
            owes_records: self.is_deaf(),
        }
    }

    /// Why a cancelled run is left with jobs that may live: they were waited for, or the user will not wait. Their
    /// trials stay open, so that whoever cancels again finds them.
    pub(super) fn unended(&mut self) -> Option<EngineError> {
        let since = self.cancelled?;
        if self.controls.asked() == Asked::Force && !self.announced.is_empty() {
            // Who asks again does not want to wait for anything to be saved.
            self.announced.clear();
            self.end_living();
        }
        let only_looks = self.slots.request.stay == Stay::Leave;
        let waited = since.elapsed() >= CANCEL_WAIT + SOON + self.notice()
            || self.controls.asked() == Asked::Force
            || (only_looks && self.polled_at >= since);
        if !waited || self.chunks.is_empty() {
            return None;
        }
        let mut open: BTreeMap<u64, Vec<&OpenChunk>> = BTreeMap::new();
        for chunk in self.chunks.values() {
            open.entry(chunk.batch).or_default().push(chunk);
        }
        let words = open.into_iter().filter_map(|(number, chunks)| {
            let batch = self.batches.get(&number)?;
            Some(self.by_hand(batch, &chunks))
        });
        Some(EngineError::NotEnded {
            jobs: self.chunks.len(),
            words: words.collect::<Vec<_>>().join("; "),
        })
    }

    /// What jobs are called, what the scheduler last said of them, and the command that ends them.
    fn by_hand(&self, batch: &OpenBatch, chunks: &[&OpenChunk]) -> String {
        let mut states: BTreeMap<&str, usize> = BTreeMap::new();
        for chunk in chunks {
            *states.entry(self.word_of(chunk)).or_default() += 1;
        }
        let states: Vec<String> = states
            .into_iter()
            .map(|(word, jobs)| format!("{jobs} {word}"))
            .collect();
        let elements: Vec<u64> = chunks.iter().map(|chunk| chunk.element).collect();
        let line = self.probed.engine.cancel_line(&batch.submitted, &elements);
        let line = line.map_or(String::new(), |line| format!(", `{line}` ends them"));
        format!("`{}` ({}){line}", batch.submitted.key, states.join(", "))
    }

    /// What the scheduler says of a chunk's job, in a word. One that may never have reached it waits nowhere.
    pub(super) fn word_of(&self, chunk: &OpenChunk) -> &'static str {
        let batch = self.batches.get(&chunk.batch);
        if batch.is_some_and(|batch| batch.unconfirmed.is_some()) {
            return JobState::Missing.word();
        }
        chunk.state().word()
    }

    /// The run has its answer or its budget is spent: what was not begun is taken back, what runs may finish. What was
    /// taken back stays open until the scheduler says that it did not begin meanwhile.
    fn withdraw(&mut self) -> Result<(), EngineError> {
        self.withdrawn = true;
        self.forget_waiting();
        for chunk in self.chunks.values_mut() {
            chunk.dir.revoke(Revoked::Withdrawn)?;
            chunk.read_again();
        }
        self.tell_nodes();
        self.look();
        let now = Instant::now();
        for chunk in self.chunks.values_mut().filter(|chunk| !chunk.began()) {
            chunk.recalled = Some(now);
        }
        self.end_recalled();
        self.poll_at = Instant::now();
        Ok(())
    }

    fn end_recalled(&self) {
        let recalled = |chunk: &&OpenChunk| chunk.recalled.is_some();
        for chunk in self.chunks.values().filter(recalled) {
            self.end_job(chunk);
        }
    }

    /// What was packed and never submitted was not begun.
    fn forget_waiting(&mut self) {
        let mut state = self.slots.controller.lock();
        for id in self.waiting.drain(..).flat_map(|load| load.trials) {
            state.dispatch.give_back(id.index, Instant::now());
        }
    }
}
