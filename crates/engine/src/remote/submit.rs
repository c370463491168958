//! Submits what is ready: trials are packed into chunks, and the intent is in the journal before the scheduler is called.

use super::beat_s;
use super::contract::{Batch, JobNeeds, Submitted};
use super::open_chunk::{Element, OpenChunk};
use super::pack::{Load, Packing};
use super::remote_run::{LEAST_PAUSE, OpenBatch, RemoteRun};
use super::resubmit::FIRST_PAUSE;
use super::stored;
use crate::attempt_id::AttemptId;
use crate::chunk::{CHUNK_SCHEMA, Chunk, ChunkDir};
use crate::dispatch::Next;
use crate::error::EngineError;
use crate::events::RunEvent;
use fairtrial_journal::Event;
use std::path::PathBuf;
use std::time::{Duration, Instant};

impl RemoteRun<'_> {
    /// Hands out what is ready; says whether nothing is left to hand out.
    pub(super) fn submit_ready(&mut self) -> Result<bool, EngineError> {
        let mut ready = Vec::new();
        let done = loop {
            if self.is_full(ready.len()) {
                break false;
            }
            let next = self.slots.controller.lock().dispatch.next(Instant::now());
            match next {
                Next::Run { index, attempt } => ready.push(AttemptId { index, attempt }),
                Next::Skip {
                    index,
                    attempt,
                    needs,
                } => self.slots.skip(index, attempt, needs),
                Next::Wait(_) => break false,
                Next::Done => break true,
            }
        };
        ready.retain(|id| self.can_start(*id));
        if !ready.is_empty() {
            let loads = self.packing().pack(&ready);
            self.waiting.extend(loads);
        }
        while let Some(loads) = self.next_array() {
            if !self.slots.controller.hand_out() {
                self.waiting.extend(loads);
                break;
            }
            self.submit(loads)?;
        }
        Ok(done)
    }

    /// Whether enough is handed out: a run that may stop early must not have everything in the queue.
    fn is_full(&self, more: usize) -> bool {
        let budget = &self.slots.request.plan.spec().budget;
        let may_stop = self.slots.request.stop.is_some()
            || budget.cost.is_some()
            || budget.tokens.is_some()
            || budget.wall_s.is_some();
        let open: usize = self.chunks.values().map(|chunk| chunk.left.len()).sum();
        let places = self.slots.request.parallel.map(|limit| limit as u64);
        let places = places.or(self.probed.probe.places).unwrap_or(8) as usize;
        may_stop && open + more >= 2 * places
    }

    /// Makes the job once here: what no node could start is told at once, and shared files are written once.
    fn can_start(&self, id: AttemptId) -> bool {
        let plan = &self.slots.request.plan;
        let job = self.slots.attempts.jobs.job(plan, id.index, id.attempt);
        if let Err(error) = &job {
            self.slots.could_not_start(id.index, id.attempt, error);
        }
        job.is_ok()
    }

    /// The next loads that fit into one array and into what the scheduler lets us have.
    fn next_array(&mut self) -> Option<Vec<Load>> {
        let probe = &self.probed.probe;
        let room = probe.max_open.map_or(u64::MAX, |most| {
            most.saturating_sub(self.chunks.len() as u64)
        });
        let most = room.min(probe.max_elements.max(1));
        let needs = self.waiting.front()?.needs.clone();
        let mut loads = Vec::new();
        while (loads.len() as u64) < most
            && self.waiting.front().is_some_and(|load| load.needs == needs)
        {
            loads.extend(self.waiting.pop_front());
        }
        (!loads.is_empty()).then_some(loads)
    }

    /// Writes chunks, journals the intent, submits, journals the handle.
    fn submit(&mut self, loads: Vec<Load>) -> Result<(), EngineError> {
        let request = self.slots.request;
        let now = Instant::now();
        let number = self.next_batch;
        let first = self.next_chunk;
        let chunks = first..first + loads.len() as u64;
        let trials: usize = loads.iter().map(|load| load.trials.len()).sum();
        let needs = loads
            .first()
            .map(|load| load.needs.clone())
            .unwrap_or_default();
        let share = self.share(loads.len());
        let batch = self.batch(
            Batch::key_of(self.run, number),
            chunks.clone(),
            needs,
            share,
        );
        for (place, load) in (first..).zip(loads) {
            let chunk = self.chunk(place, load.trials);
            let dir = ChunkDir::of(self.run, place);
            dir.create(&chunk)?;
            for id in &chunk.trials {
                let dir = self.slots.attempts.jobs.dir_in_data(id.index, id.attempt);
                self.slots.journal_start(id.index, id.attempt, dir);
            }
            let element = Element {
                batch: number,
                element: place - first,
            };
            let open = OpenChunk::new(dir, &chunk, element, now);
            self.chunks.insert(place, open);
        }
        let intent = self.slots.writer.append(&Event::Submitting {
            batch: number,
            engine: self.probed.engine.name().to_owned(),
            key: batch.key.clone(),
            first,
            chunks: batch.len(),
            at: (request.now)(),
        });
        self.next_batch += 1;
        self.next_chunk = chunks.end;
        let submitted = Submitted {
            key: batch.key.clone(),
            handle: None,
            first: batch.chunks.start,
            elements: batch.len(),
            folder: batch.folder.clone(),
        };
        let open = OpenBatch::new(submitted, Some(batch.clone()));
        self.batches.insert(number, open);
        self.slots.writer.hurry();
        if !self.slots.controller.wait_durable(intent) {
            return Ok(());
        }
        fairtrial_journal::failpoint::hit("remote.before_submit");
        match self.hand_over(&batch) {
            Ok(handle) => {
                fairtrial_journal::failpoint::hit("remote.after_submit");
                let _ = self.slots.events.send(RunEvent::Submitted {
                    engine: self.probed.probe.version.clone(),
                    handle: handle.clone(),
                    jobs: batch.len(),
                    trials: trials as u64,
                });
                self.confirm(number, Some(handle));
                self.tell_jobs();
                self.poll_at = self
                    .poll_at
                    .max(Instant::now() + Duration::from_secs_f64(self.options().poll_s.min(5.0)));
            }
            Err(error) => {
                self.not_submitted(number, error)?;
                self.poll_at = self.poll_at.max(Instant::now() + FIRST_PAUSE);
            }
        }
        self.pause = LEAST_PAUSE;
        Ok(())
    }

    /// This array's part of the jobs that may run at the same time.
    fn share(&self, jobs: usize) -> Option<u64> {
        let limit = self.slots.request.parallel? as u64;
        let waiting = self.waiting.len() as u64;
        let all = (self.chunks.len() as u64 + jobs as u64 + waiting).max(1);
        Some((limit * jobs as u64 / all).clamp(1, limit))
    }

    fn chunk(&self, number: u64, trials: Vec<AttemptId>) -> Chunk {
        let request = self.slots.request;
        let spent = trials
            .iter()
            .map(|id| (id.index, self.slots.parts.spent(id.index)));
        let spent = spent.filter(|(_, seconds)| *seconds > 0.0).collect();
        Chunk {
            schema: CHUNK_SCHEMA,
            number,
            plan_hash: request.plan.hash().to_owned(),
            only: request.only.clone(),
            version: request.version.clone(),
            beat_s: beat_s(self.options()),
            put_away: !self.probed.engine.collects(),
            trials,
            spent,
        }
    }

    pub(super) fn batch(
        &self,
        key: String,
        chunks: std::ops::Range<u64>,
        needs: JobNeeds,
        parallel: Option<u64>,
    ) -> Batch {
        Batch {
            key,
            chunks,
            needs,
            parallel,
            beat_s: beat_s(self.options()),
            folder: self.run.chunks(),
            plan: self.run.plan(),
            workdir: PathBuf::from(&self.slots.request.plan.spec().base_dir),
            store: stored::reference(self.options(), self.run),
        }
    }

    pub(super) fn packing(&self) -> Packing<'_> {
        let request = self.slots.request;
        Packing {
            plan: &request.plan,
            engine: self.options(),
            places: request
                .parallel
                .map(|limit| limit as u64)
                .or(self.probed.probe.places),
            expected_s: request.expected_s,
        }
    }
}
