//! The controller of a run whose trials are with a scheduler: hands out chunks, takes records, judges silence.
//!
//! It may die at any moment. What it intends is in the journal before it is done, and a later controller finds
//! everything again from the journal, the chunks' folders and the scheduler's queue.

use super::contract::{Batch, Engine, JobNeeds, JobState, PlaceError, Probe, Submitted};
use super::open::{Health, OpenChunk};
use super::packing::{Load, Packing};
use crate::chunk::{CHUNK_SCHEMA, Chunk, ChunkDir, Given, Revoked};
use crate::controls::{Asked, Controls};
use crate::dispatch::Next;
use crate::events::{RunEvent, StopReason};
use crate::job::hex;
use crate::local::Floor;
use crate::{EngineError, Stay};
use fairtrial_journal::{Event, Fresh, RunDir, RunState};
use fairtrial_model::{Cause, Outcome, Record};
use fairtrial_spec::EngineSpec;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Shortest and longest pause between two looks at the folders.
const LEAST_PAUSE: Duration = Duration::from_millis(50);
const MOST_PAUSE: Duration = Duration::from_secs(2);
/// The same for a run with few chunks, whose folders cost nothing to look at.
const FEW: usize = 100;
const MOST_PAUSE_FEW: Duration = Duration::from_millis(500);
/// A look may take this share of the time.
const SHARE: u32 = 100;
/// Longest pause between two questions to a scheduler that does not answer.
const MOST_BACKOFF: Duration = Duration::from_secs(300);
/// How long a cancelled job is waited for, and how often it is asked for meanwhile.
const CANCEL_WAIT: Duration = Duration::from_secs(90);
const CANCEL_POLL: Duration = Duration::from_secs(2);
/// Bytes of a job's log that are quoted when it dies before it begins.
const QUOTED: usize = 400;

/// An engine that was looked at and is fit for the run.
pub(crate) struct Placed {
    pub(crate) engine: Box<dyn Engine>,
    pub(crate) probe: Probe,
}

/// A submission with open chunks.
struct OpenBatch {
    submitted: Submitted,
    first: u64,
    /// Present until the scheduler has said that it took it.
    unsure: Option<Batch>,
}

/// The controller's side of a run on a scheduler.
pub(crate) struct Remote<'a> {
    floor: &'a Floor<'a>,
    run: &'a RunDir,
    controls: &'a Controls,
    placed: &'a Placed,
    batches: BTreeMap<u64, OpenBatch>,
    chunks: BTreeMap<u64, OpenChunk>,
    /// Packed and not yet submitted.
    waiting: VecDeque<Load>,
    next_batch: u64,
    next_chunk: u64,
    ask_at: Instant,
    failures: u32,
    /// Since when the run is being cancelled.
    cancelled: Option<Instant>,
    withdrawn: bool,
    pause: Duration,
    told_held: bool,
}

impl<'a> Remote<'a> {
    pub(crate) fn new(
        floor: &'a Floor<'a>,
        run: &'a RunDir,
        controls: &'a Controls,
        placed: &'a Placed,
    ) -> Self {
        Self {
            floor,
            run,
            controls,
            placed,
            batches: BTreeMap::new(),
            chunks: BTreeMap::new(),
            waiting: VecDeque::new(),
            next_batch: 0,
            next_chunk: 0,
            ask_at: Instant::now(),
            failures: 0,
            cancelled: None,
            withdrawn: false,
            pause: LEAST_PAUSE,
            told_held: false,
        }
    }

    /// Works until every trial has its answer, or the run is stopped or left.
    pub(crate) fn work(mut self, known: &RunState) -> Result<(), EngineError> {
        for warning in &self.placed.probe.warnings {
            self.warn(warning.clone());
        }
        self.adopt(known)?;
        loop {
            let began = Instant::now();
            if self.obey()? {
                return Ok(());
            }
            let looked = Instant::now();
            let mut busy = self.look();
            let cost = looked.elapsed();
            if began >= self.ask_at && (!self.batches.is_empty() || self.cancelled.is_some()) {
                self.ask();
                busy |= self.look();
            }
            busy |= self.judge()?;
            let done = self.place()?;
            self.close_batches();
            if done && self.chunks.is_empty() && self.waiting.is_empty() {
                return Ok(());
            }
            if self.floor.request.stay == Stay::Leave && self.waiting.is_empty() {
                self.floor.board.stop(StopReason::Detach);
                return Ok(());
            }
            self.rest(busy, cost);
        }
    }

    /// Finds what an earlier controller handed out.
    fn adopt(&mut self, known: &RunState) -> Result<(), EngineError> {
        for info in &known.batches {
            self.next_batch = self.next_batch.max(info.number + 1);
            self.next_chunk = self.next_chunk.max(info.chunks.end);
            let mut all = Vec::new();
            let mut open = 0;
            for number in info.chunks.clone() {
                let place = (info.number, number - info.chunks.start);
                let Some((found, trials)) = OpenChunk::adopt(self.run, known, number, place) else {
                    continue;
                };
                all.extend(trials);
                open += 1;
                self.hold(&found);
                self.chunks.insert(number, found);
            }
            if open == 0 {
                continue;
            }
            if info.engine != self.placed.engine.name() {
                return Err(EngineError::OtherEngine {
                    engine: info.engine.clone(),
                    jobs: open,
                });
            }
            let submitted = Submitted {
                key: info.key.clone(),
                handle: info.handle.clone(),
                elements: info.chunks.end - info.chunks.start,
                folder: self.run.chunks(),
            };
            let unsure = info.handle.is_none().then(|| {
                let load = Load {
                    needs: self.packing().needs(&all),
                    trials: all,
                };
                self.batch(info.key.clone(), info.chunks.clone(), load.needs, None)
            });
            let first = info.chunks.start;
            let batch = OpenBatch {
                submitted,
                first,
                unsure,
            };
            self.batches.insert(info.number, batch);
        }
        Ok(())
    }

    /// The trials of an adopted chunk are running, as far as the dispatch is concerned.
    fn hold(&self, chunk: &OpenChunk) {
        let mut state = self.floor.board.lock();
        for index in chunk.left.keys() {
            state.dispatch.adopt(*index);
        }
    }

    /// Does what was asked for; says whether to leave at once.
    fn obey(&mut self) -> Result<bool, EngineError> {
        let reason = self.floor.board.lock().dispatch.stop_reason().cloned();
        match reason {
            Some(StopReason::Detach | StopReason::Broken(_)) => return Ok(true),
            Some(StopReason::Cancel) if self.cancelled.is_none() => self.cancel_all()?,
            Some(_) if self.cancelled.is_none() && !self.withdrawn => self.withdraw()?,
            _ => {}
        }
        Ok(false)
    }

    /// The user stopped the run: every job is ended.
    fn cancel_all(&mut self) -> Result<(), EngineError> {
        self.cancelled = Some(Instant::now());
        self.waiting.clear();
        for chunk in self.chunks.values() {
            chunk.dir.revoke(Revoked::Cancelled)?;
        }
        for batch in self.batches.values() {
            let ended = self.placed.engine.cancel(&batch.submitted, None);
            self.complain(ended);
        }
        self.ask_at = Instant::now() + CANCEL_POLL;
        Ok(())
    }

    /// The run has its answer or its budget is spent: what was not begun is taken back, what runs may finish.
    fn withdraw(&mut self) -> Result<(), EngineError> {
        self.withdrawn = true;
        self.waiting.clear();
        let unbegun: Vec<u64> = self
            .chunks
            .iter()
            .filter(|(_, chunk)| !chunk.began())
            .map(|(number, _)| *number)
            .collect();
        for chunk in self.chunks.values() {
            chunk.dir.revoke(Revoked::Withdrawn)?;
        }
        for number in unbegun {
            if let Some(chunk) = self.chunks.remove(&number) {
                self.end_job(&chunk);
            }
        }
        Ok(())
    }

    /// Takes the records that came.
    fn look(&mut self) -> bool {
        let plan = &self.floor.request.plan;
        let now = Instant::now();
        let mut found = Vec::new();
        for chunk in self.chunks.values_mut() {
            found.extend(chunk.look(plan, now));
        }
        self.chunks.retain(|_, chunk| !chunk.left.is_empty());
        let some = !found.is_empty();
        for record in found {
            self.floor.record(record);
        }
        some
    }

    /// Asks the scheduler about everything at once.
    fn ask(&mut self) {
        self.resubmit();
        let batches: Vec<Submitted> = self
            .batches
            .values()
            .filter(|batch| batch.unsure.is_none())
            .map(|batch| batch.submitted.clone())
            .collect();
        let engine = &self.placed.engine;
        let answer = engine
            .collect(&batches)
            .and_then(|()| engine.poll(&batches));
        let now = Instant::now();
        let usual = if self.cancelled.is_some() {
            CANCEL_POLL
        } else {
            Duration::from_secs_f64(self.options().poll_s)
        };
        match answer {
            Ok(seen) => {
                self.failures = 0;
                self.ask_at = now + usual;
                for chunk in self.chunks.values_mut() {
                    let Some(batch) = self.batches.get(&chunk.batch) else {
                        continue;
                    };
                    if batch.unsure.is_some() {
                        continue;
                    }
                    let place = (batch.submitted.key.clone(), chunk.element);
                    let state = seen.get(&place).cloned().unwrap_or(JobState::Missing);
                    chunk.sight(state, now);
                }
                self.tell_jobs();
                self.tell_held();
            }
            Err(error) => {
                self.failures += 1;
                let factor = 2u32.saturating_pow(self.failures.min(10));
                self.ask_at = now + (usual * factor).min(MOST_BACKOFF.max(usual));
                if self.failures == 1 {
                    self.warn(format!("{error}; jobs go on, asking again later"));
                }
            }
        }
    }

    /// A submission whose answer did not arrive: it is looked for, and made again where the scheduler has none.
    fn resubmit(&mut self) {
        let engine = &self.placed.engine;
        let unsure: Vec<u64> = self
            .batches
            .iter()
            .filter(|(_, batch)| batch.unsure.is_some())
            .map(|(number, _)| *number)
            .collect();
        for number in unsure {
            let Some(batch) = self
                .batches
                .get(&number)
                .and_then(|known| known.unsure.clone())
            else {
                continue;
            };
            let began = self
                .chunks
                .values()
                .any(|chunk| chunk.batch == number && chunk.began());
            let handle = match engine.adopt(&batch.key) {
                Ok(Some(handle)) => Ok(Some(handle)),
                // Its jobs ran already, and the scheduler has forgotten them.
                Ok(None) if began => Ok(None),
                Ok(None) if self.cancelled.is_some() => Ok(None),
                Ok(None) => engine.submit(&batch).map(Some),
                Err(error) => Err(error),
            };
            match handle {
                Ok(handle) => self.took(number, handle),
                Err(error) => self.complain(Err(error)),
            }
        }
    }

    /// The scheduler has a submission.
    fn took(&mut self, number: u64, handle: Option<String>) {
        let Some(batch) = self.batches.get_mut(&number) else {
            return;
        };
        batch.unsure = None;
        batch.submitted.handle.clone_from(&handle);
        if let Some(handle) = handle {
            self.floor.writer.append(&Event::Submitted {
                batch: number,
                handle,
                at: (self.floor.request.now)(),
            });
        }
    }

    /// Looks for chunks that will not come back.
    fn judge(&mut self) -> Result<bool, EngineError> {
        let now = Instant::now();
        let grace = Duration::from_secs_f64(self.options().grace_s);
        let mut over = Vec::new();
        for (number, chunk) in &self.chunks {
            let health = match self.cancelled {
                Some(since) => self.cancelled_health(chunk, since, now),
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

    /// A cancelled job is over when it said so, when it never began, when the scheduler says so, or after long enough.
    fn cancelled_health(&self, chunk: &OpenChunk, since: Instant, now: Instant) -> Health {
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

    fn end_job(&self, chunk: &OpenChunk) {
        if chunk.state().is_over() {
            return;
        }
        if let Some(batch) = self.batches.get(&chunk.batch) {
            let elements = [chunk.element];
            self.complain(self.placed.engine.cancel(&batch.submitted, Some(&elements)));
        }
    }

    /// Hands out what is ready; says whether nothing is left to hand out.
    fn place(&mut self) -> Result<bool, EngineError> {
        let mut ready = Vec::new();
        let done = loop {
            if self.is_full(ready.len()) {
                break false;
            }
            let next = self.floor.board.lock().dispatch.next(Instant::now());
            match next {
                Next::Run { index, attempt } => ready.push(Given { index, attempt }),
                Next::Skip {
                    index,
                    attempt,
                    needs,
                } => self.floor.skip(index, attempt, needs),
                Next::Wait(_) => break false,
                Next::Done => break true,
            }
        };
        ready.retain(|given| self.can_start(*given));
        if !ready.is_empty() {
            let loads = self.packing().pack(&ready);
            self.waiting.extend(loads);
        }
        while let Some(loads) = self.next_array() {
            self.submit(loads)?;
        }
        Ok(done)
    }

    /// Whether enough is handed out: a run that may stop early must not have everything in the queue.
    fn is_full(&self, more: usize) -> bool {
        let budget = &self.floor.request.plan.spec().budget;
        let may_stop =
            self.floor.request.stop.is_some() || budget.cost.is_some() || budget.wall_s.is_some();
        let open: usize = self.chunks.values().map(|chunk| chunk.left.len()).sum();
        let places = self.floor.request.parallel.map(|limit| limit as u64);
        let places = places.or(self.placed.probe.places).unwrap_or(8) as usize;
        may_stop && open + more >= 2 * places
    }

    /// Makes the job once here: what no node could start is told at once, and shared files are written once.
    fn can_start(&self, given: Given) -> bool {
        let plan = &self.floor.request.plan;
        let job = self
            .floor
            .attempts
            .jobs
            .job(plan, given.index, given.attempt);
        if let Err(error) = &job {
            self.floor
                .could_not_start(given.index, given.attempt, error);
        }
        job.is_ok()
    }

    /// The next loads that fit into one array and into what the scheduler lets us have.
    fn next_array(&mut self) -> Option<Vec<Load>> {
        let probe = &self.placed.probe;
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
        let request = self.floor.request;
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
        let batch = self.batch(self.key(number), chunks.clone(), needs, share);
        for (place, load) in (first..).zip(loads) {
            let chunk = self.chunk(place, load.trials);
            let dir = ChunkDir::of(self.run, place);
            dir.create(&chunk)?;
            for given in &chunk.trials {
                self.floor.journal_start(given.index, given.attempt);
            }
            let open = OpenChunk::new(dir, &chunk, (number, place - first), now);
            self.chunks.insert(place, open);
        }
        let intent = self.floor.writer.append(&Event::Submitting {
            batch: number,
            engine: self.placed.engine.name().to_owned(),
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
            elements: batch.len(),
            folder: batch.folder.clone(),
        };
        let open = OpenBatch {
            submitted,
            first,
            unsure: Some(batch.clone()),
        };
        self.batches.insert(number, open);
        if !self.floor.board.wait_durable(intent) {
            return Ok(());
        }
        fairtrial_journal::failpoint::hit("remote.before_submit");
        match self.placed.engine.submit(&batch) {
            Ok(handle) => {
                fairtrial_journal::failpoint::hit("remote.after_submit");
                let _ = self.floor.events.send(RunEvent::Submitted {
                    engine: self.placed.probe.version.clone(),
                    handle: handle.clone(),
                    jobs: batch.len(),
                    trials: trials as u64,
                });
                self.took(number, Some(handle));
                self.ask_at = self
                    .ask_at
                    .max(Instant::now() + Duration::from_secs_f64(self.options().poll_s.min(5.0)));
            }
            Err(error) if error.is_temporary() => {
                self.complain(Err(error));
                self.ask_at = Instant::now() + Duration::from_secs(5);
            }
            Err(error) => return Err(error.into()),
        }
        self.pause = LEAST_PAUSE;
        Ok(())
    }

    /// This array's part of the jobs that may run at the same time.
    fn share(&self, jobs: usize) -> Option<u64> {
        let limit = self.floor.request.parallel? as u64;
        let waiting = self.waiting.len() as u64;
        let all = (self.chunks.len() as u64 + jobs as u64 + waiting).max(1);
        Some((limit * jobs as u64 / all).clamp(1, limit))
    }

    fn chunk(&self, number: u64, trials: Vec<Given>) -> Chunk {
        let request = self.floor.request;
        Chunk {
            schema: CHUNK_SCHEMA,
            number,
            plan_hash: request.plan.hash().to_owned(),
            only: request.only.clone(),
            version: request.version.clone(),
            beat_s: (self.options().grace_s / 10.0).clamp(0.5, 10.0),
            trials,
        }
    }

    fn batch(
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
            folder: self.run.chunks(),
            plan: self.run.plan(),
            workdir: PathBuf::from(&self.floor.request.plan.spec().base_dir),
        }
    }

    /// A name that no other run's jobs have, in letters that every scheduler takes.
    fn key(&self, batch: u64) -> String {
        let path = self.run.path().display().to_string();
        let hash = hex(&Sha256::digest(path)[..4]);
        let stamp: String = self.run.stamp().to_string().replace("__", "-");
        format!("ft-{stamp}-{hash}-{batch}")
    }

    fn packing(&self) -> Packing<'_> {
        let request = self.floor.request;
        Packing {
            plan: &request.plan,
            engine: self.options(),
            places: request
                .parallel
                .map(|limit| limit as u64)
                .or(self.placed.probe.places),
            expected_s: request.expected_s,
        }
    }

    fn options(&self) -> &EngineSpec {
        &self.floor.request.plan.spec().engine
    }

    /// Forgets submissions without open chunks.
    fn close_batches(&mut self) {
        let chunks = &self.chunks;
        let engine = &self.placed.engine;
        self.batches.retain(|number, batch| {
            let open = chunks.values().any(|chunk| chunk.batch == *number);
            if !open && batch.unsure.is_none() {
                // What it leaves behind costs nothing but room.
                let _ = engine.cleanup(&batch.submitted);
            }
            debug_assert!(batch.first <= self.next_chunk);
            open
        });
    }

    fn tell_jobs(&self) {
        let mut states = BTreeMap::new();
        for chunk in self.chunks.values() {
            *states.entry(chunk.state().word()).or_default() += 1;
        }
        let _ = self.floor.events.send(RunEvent::Jobs(states));
    }

    fn tell_held(&mut self) {
        let held = self.chunks.values().find_map(|chunk| match chunk.state() {
            JobState::Held(reason) => Some(reason.clone()),
            _ => None,
        });
        if let (Some(reason), false) = (held, self.told_held) {
            self.told_held = true;
            self.warn(format!(
                "jobs are held ({reason}); they wait until somebody releases them"
            ));
        }
    }

    fn complain(&self, done: Result<(), PlaceError>) {
        if let Err(error) = done {
            self.warn(error.to_string());
        }
    }

    fn warn(&self, text: String) {
        let _ = self.floor.events.send(RunEvent::Warning(text));
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
            (self.pause * 3 / 2).min(most)
        };
        let costly = if busy { Duration::ZERO } else { cost * SHARE };
        let pause = self.pause.max(costly.min(MOST_PAUSE));
        let asked = self.controls.asked();
        if asked < Asked::Force {
            self.controls.wait(asked, pause);
        } else {
            std::thread::sleep(pause);
        }
    }
}
