//! The controller of a run whose trials are with a scheduler: hands out chunks, takes records, judges silence.
//!
//! It may die at any moment. What it intends is in the journal before it is done, and a later controller finds
//! everything again from the journal, the chunks' folders and the scheduler's queue.

use super::contract::{Batch, PlaceError, ProbedEngine, Submitted};
use super::open_chunk::OpenChunk;
use super::pack::Load;
use super::question::Asker;
use crate::chunk::ChunkDir;
use crate::controls::{Asked, Controls};
use crate::error::EngineError;
use crate::events::{RunEvent, StopReason};
use crate::request::Stay;
use crate::slots::Slots;
use fairtrial_journal::{RunDir, RunState};
use fairtrial_model::UtcTime;
use fairtrial_spec::EngineSpec;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Shortest and longest pause between two looks at the folders.
pub(super) const LEAST_PAUSE: Duration = Duration::from_millis(20);
/// The pause while the last records are on their way to the disk.
const SETTLING: Duration = Duration::from_millis(2);
const MOST_PAUSE: Duration = Duration::from_secs(2);
/// The same for a run with few chunks, whose folders cost nothing to look at.
const FEW: usize = 100;
const MOST_PAUSE_FEW: Duration = Duration::from_millis(500);
/// A look may take this share of the time.
const SHARE: u32 = 100;
/// Longest pause between two questions to a scheduler that does not answer.
pub(super) const MOST_BACKOFF: Duration = Duration::from_mins(5);
/// How often a job is asked for that was cancelled, or that left in the middle of its work.
pub(super) const SOON: Duration = Duration::from_secs(2);

/// A submission with open chunks.
pub(super) struct OpenBatch {
    pub(super) submitted: Submitted,
    /// Present until the scheduler has said that it took it.
    pub(super) unconfirmed: Option<Batch>,
    /// Whether the scheduler took it and its answer was not understood.
    pub(super) unnamed: bool,
    /// Whether a submission without an answer may have gone through, and how often it was looked for in vain.
    pub(super) doubt: bool,
    pub(super) absences: u32,
    /// How often in a row the scheduler could not be asked for it, and with which words it last refused.
    pub(super) refusals: u32,
    pub(super) refusal: Option<String>,
    /// How often submitting it failed, and when it may be tried again.
    pub(super) failures: u32,
    pub(super) again_at: Instant,
}

impl OpenBatch {
    pub(super) fn new(submitted: Submitted, unconfirmed: Option<Batch>) -> Self {
        Self {
            submitted,
            unconfirmed,
            unnamed: false,
            doubt: false,
            absences: 0,
            refusals: 0,
            refusal: None,
            failures: 0,
            again_at: Instant::now(),
        }
    }
}

/// The controller's side of a run on a scheduler.
pub(crate) struct RemoteRun<'a> {
    pub(super) slots: &'a Slots<'a>,
    pub(super) run: &'a RunDir,
    pub(super) controls: &'a Controls,
    pub(super) probed: &'a ProbedEngine,
    pub(super) asker: Asker,
    pub(super) batches: BTreeMap<u64, OpenBatch>,
    pub(super) chunks: BTreeMap<u64, OpenChunk>,
    /// Chunks of which every record was taken.
    pub(super) answered: Vec<ChunkDir>,
    /// Packed and not yet submitted.
    pub(super) waiting: VecDeque<Load>,
    pub(super) next_batch: u64,
    pub(super) next_chunk: u64,
    pub(super) poll_at: Instant,
    pub(super) polled_at: Instant,
    /// When the scheduler last told of the jobs, by the clock on the wall.
    pub(super) heard_at: Option<UtcTime>,
    pub(super) failures: u32,
    /// Since when the run is being cancelled, when the scheduler is to be told again, and what it last refused with.
    pub(super) cancelled: Option<Instant>,
    pub(super) end_at: Instant,
    pub(super) last_refusal: Option<String>,
    /// Chunks whose trials save their state before they are ended.
    pub(super) announced: BTreeSet<u64>,
    pub(super) withdrawn: bool,
    pub(super) pause: Duration,
    /// What was last said about held jobs.
    pub(super) last_held: Option<String>,
}

impl<'a> RemoteRun<'a> {
    pub(crate) fn new(
        slots: &'a Slots<'a>,
        run: &'a RunDir,
        controls: &'a Controls,
        probed: &'a Arc<ProbedEngine>,
    ) -> Self {
        Self {
            slots,
            run,
            controls,
            probed,
            asker: Asker::new(probed),
            batches: BTreeMap::new(),
            chunks: BTreeMap::new(),
            answered: Vec::new(),
            waiting: VecDeque::new(),
            next_batch: 0,
            next_chunk: 0,
            poll_at: Instant::now(),
            polled_at: Instant::now(),
            heard_at: None,
            failures: 0,
            cancelled: None,
            end_at: Instant::now(),
            last_refusal: None,
            announced: BTreeSet::new(),
            withdrawn: false,
            pause: LEAST_PAUSE,
            last_held: None,
        }
    }

    /// Works until every trial has its answer, or the run is stopped or left.
    pub(crate) fn work(mut self, known: &RunState) -> Result<(), EngineError> {
        // Whoever picks a run up was told before.
        if known.batches.is_empty() {
            for warning in &self.probed.probe.warnings {
                self.warn(warning.clone());
            }
        }
        self.adopt(known)?;
        self.resume_cancel();
        loop {
            if self.handle_stop()? {
                return Ok(());
            }
            let looked = Instant::now();
            let mut busy = self.look();
            let cost = looked.elapsed();
            self.hurry();
            if let Some(answer) = self.asker.answer() {
                self.hear(answer)?;
                busy |= self.look();
            }
            let open = !self.batches.is_empty() || self.cancelled.is_some();
            if Instant::now() >= self.poll_at && open && !self.asker.is_asking() {
                self.end_again();
                self.ask();
            }
            let leaves = self.slots.request.stay == Stay::Leave && self.cancelled.is_none();
            if leaves && self.asker.is_asking() {
                // One look hands out after it has heard.
                self.rest(busy, cost);
                continue;
            }
            // Where the scheduler's word stands in for a heartbeat, its answer is waited for.
            if !self.asker.is_asking() {
                busy |= self.close_lost()?;
            }
            let done = self.submit_ready()?;
            self.close_batches();
            self.clear_answered();
            if done && self.chunks.is_empty() && self.waiting.is_empty() {
                return Ok(());
            }
            if let Some(error) = self.unended() {
                return Err(error);
            }
            if leaves && self.waiting.is_empty() {
                self.slots.controller.stop(StopReason::Detach);
                return Ok(());
            }
            self.rest(busy, cost);
        }
    }

    /// Takes the records that came.
    pub(super) fn look(&mut self) -> bool {
        let plan = &self.slots.request.plan;
        let now = Instant::now();
        let mut found = Vec::new();
        for chunk in self.chunks.values_mut() {
            found.extend(chunk.look(plan, now));
        }
        self.chunks.retain(|_, chunk| {
            if !chunk.is_open() {
                self.answered.push(chunk.dir.clone());
            }
            chunk.is_open()
        });
        let some = !found.is_empty();
        for record in found {
            self.slots.record(record);
        }
        some
    }

    pub(super) fn options(&self) -> &EngineSpec {
        &self.slots.request.plan.spec().engine
    }

    /// Forgets submissions without open chunks.
    fn close_batches(&mut self) {
        let chunks = &self.chunks;
        let engine = &self.probed.engine;
        self.batches.retain(|number, batch| {
            let open = chunks.values().any(|chunk| chunk.batch == *number);
            if !open && batch.unconfirmed.is_none() {
                // What it leaves behind costs nothing but room.
                let _ = engine.cleanup(&batch.submitted);
            }
            open
        });
    }

    /// Removes what is twice there of chunks that are answered, once the journal's copy is on disk.
    fn clear_answered(&mut self) {
        if self.answered.is_empty() || !self.slots.controller.is_settled() {
            return;
        }
        for dir in std::mem::take(&mut self.answered) {
            self.complain(dir.clear(self.run).map_err(PlaceError::from));
        }
    }

    pub(super) fn complain(&self, done: Result<(), PlaceError>) {
        if let Err(error) = done {
            self.warn(error.to_string());
        }
    }

    pub(super) fn warn(&self, text: String) {
        let _ = self.slots.events.send(RunEvent::Warning(text));
    }

    /// Waits: shortly while records come, longer while nothing does, and never so short that looking costs much.
    fn rest(&mut self, busy: bool, cost: Duration) {
        let most = if self.chunks.len() <= FEW {
            MOST_PAUSE_FEW
        } else {
            MOST_PAUSE
        };
        self.pause = if busy {
            LEAST_PAUSE
        } else {
            (self.pause * 9 / 8).min(most)
        };
        let costly = if busy { Duration::ZERO } else { cost * SHARE };
        let settling = self.chunks.is_empty() && !self.slots.controller.is_settled();
        let pause = if settling {
            SETTLING
        } else {
            self.pause.max(costly.min(MOST_PAUSE))
        };
        let asked = self.controls.asked();
        if asked < Asked::Force {
            self.controls.wait(asked, pause);
        } else {
            std::thread::sleep(pause);
        }
    }
}
