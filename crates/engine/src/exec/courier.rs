//! Carries what a node does to the store while it does it: many records in one object, a sign of life where there are none,
//! and back the word that the chunk was taken away.

use super::stored_request::StoredExecRequest;
use crate::attempt_id::AttemptId;
use crate::between::{Kind, Names, Sign, part};
use crate::chunk::{Beat, Chunk, ChunkDir, Phase, Revoked};
use crate::error::EngineError;
use fairtrial_journal::RunDir;
use fairtrial_store::{Put, Store, StoreError};
use std::collections::HashSet;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Bytes of trials' files in one part, unless one trial alone has more.
const PART_BYTES: u64 = 32 << 20;
/// How long the last records are tried to be brought away; the first pause between two tries, which doubles.
const LAST_TRIES: Duration = Duration::from_mins(15);
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const MOST_PAUSE: Duration = Duration::from_secs(30);

/// Brings a chunk's results to the store.
pub(super) struct Courier<'a> {
    store: &'a Store,
    names: Names,
    number: u64,
    start: u32,
    nonce: &'a str,
    run: RunDir,
    dir: ChunkDir,
    pause: Duration,
    state: Mutex<State>,
    woken: Condvar,
}

struct State {
    stopped: bool,
    /// Records that are in the store, or came from there.
    sent: HashSet<AttemptId>,
    parts: u32,
    /// When the store last said that the chunk is ours.
    ours_at: Instant,
    /// Whether nothing is wanted from here any more.
    gone: bool,
}

/// Whether anybody waits for what this start of the chunk's job does.
enum Wanted {
    Yes,
    /// Others have it, or it was taken back: what was done counts, nothing more is begun.
    No(Revoked),
    /// The run has its answers, and nobody looks here any more.
    Gone,
}

impl<'a> Courier<'a> {
    /// For the start that has a chunk; records that are there already are not its own.
    pub(super) fn new(
        request: &'a StoredExecRequest,
        names: Names,
        start: u32,
        (run, dir): (RunDir, ChunkDir),
        chunk: &Chunk,
    ) -> Self {
        let sent = dir.recorded().unwrap_or_default().into_iter().collect();
        Self {
            store: &request.store,
            names,
            number: request.chunk,
            start,
            nonce: &request.nonce,
            run,
            dir,
            pause: Duration::from_secs_f64(chunk.beat_s.clamp(0.1, 600.0)),
            state: Mutex::new(State {
                stopped: false,
                sent,
                parts: 0,
                ours_at: Instant::now(),
                gone: false,
            }),
            woken: Condvar::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Goes again and again until it is stopped. A way that failed is gone again: silence makes others look.
    pub(super) fn keep_going(&self) {
        loop {
            let state = self.lock();
            let waited = self
                .woken
                .wait_timeout_while(state, self.pause, |state| !state.stopped);
            let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
            if state.stopped {
                return;
            }
            let _ = self.ask(&mut state).and_then(|()| self.carry(&mut state));
        }
    }

    /// Makes [`Courier::keep_going`] end.
    pub(super) fn stop(&self) {
        self.lock().stopped = true;
        self.woken.notify_all();
    }

    /// Carries the last records and the last sign of life, for as long as there is hope: they are lost with the node.
    pub(super) fn finish(&self) -> Result<(), EngineError> {
        let mut state = self.lock();
        let (began, mut pause) = (Instant::now(), FIRST_PAUSE);
        loop {
            // Who was heard a short while ago is not given up: the question costs as much as what is carried.
            let heard = state.ours_at.elapsed() < self.pause * 3;
            let asked = if heard { Ok(()) } else { self.ask(&mut state) };
            match asked.and_then(|()| self.carry(&mut state)) {
                Ok(()) => return Ok(()),
                Err(error) if error.may_pass() && began.elapsed() < LAST_TRIES => {
                    std::thread::sleep(pause);
                    pause = (pause * 2).min(MOST_PAUSE);
                }
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Asks whether the chunk is still this start's.
    fn ask(&self, state: &mut State) -> Result<(), StoreError> {
        match self.wanted()? {
            Wanted::Yes => {}
            Wanted::No(why) => self.tell(why),
            Wanted::Gone => {
                state.gone = true;
                self.tell(Revoked::Closed);
            }
        }
        state.ours_at = Instant::now();
        Ok(())
    }

    fn wanted(&self) -> Result<Wanted, StoreError> {
        let found = self.store.list(&self.names.chunk(self.number))?;
        let kinds: Vec<Kind> = found
            .iter()
            .filter_map(|found| Some(self.names.read(&found.name)?.1))
            .collect();
        if kinds.contains(&Kind::Revoked) {
            let why = self.store.get(&self.names.revoked(self.number))?;
            return Ok(Wanted::No(Revoked::read(&why.unwrap_or_default())));
        }
        let newer = |kind: &Kind| matches!(kind, Kind::Claim(start) if *start > self.start);
        if kinds.iter().any(newer) {
            return Ok(Wanted::No(Revoked::Withdrawn));
        }
        // A list may lag behind.
        let work = self.names.work(self.number);
        if !kinds.contains(&Kind::Work) && self.store.get(&work)?.is_none() {
            return Ok(Wanted::Gone);
        }
        Ok(Wanted::Yes)
    }

    /// Leaves the word where the runner looks before each trial.
    fn tell(&self, why: Revoked) {
        if self.dir.revoked().is_none() {
            // If this fails, the node runs trials that nobody waits for. That wastes time and harms nothing.
            let _ = self.dir.revoke(why);
        }
    }

    /// Brings new records away, and a sign of life.
    fn carry(&self, state: &mut State) -> Result<(), StoreError> {
        if state.gone {
            return Ok(());
        }
        // The heartbeat first: one that says "ended" was written after the last record.
        let Some(beat) = self.dir.beat() else {
            return Ok(());
        };
        let recorded = self.dir.recorded().unwrap_or_default().into_iter();
        let new: Vec<AttemptId> = recorded.filter(|id| !state.sent.contains(id)).collect();
        let ended = beat.phase == Phase::Ended;
        if new.is_empty() && !ended {
            let sign = self.sign(beat, state.parts);
            let text = serde_json::to_vec(&sign).unwrap_or_default();
            return self
                .store
                .put(&self.names.beat(self.number, self.start), &text);
        }
        let mut loads = self.loads(&new);
        let last = loads.pop().unwrap_or_default();
        for load in loads {
            let running = Beat {
                phase: Phase::Running,
                ..beat.clone()
            };
            self.send(state, &load, running)?;
        }
        self.send(state, &last, beat)
    }

    /// Attempts whose files go together.
    fn loads(&self, ids: &[AttemptId]) -> Vec<Vec<AttemptId>> {
        let mut loads: Vec<Vec<AttemptId>> = Vec::new();
        let mut bytes = u64::MAX;
        for id in ids {
            let size = part::size_of(&self.run, *id);
            bytes = bytes.saturating_add(size);
            if bytes > PART_BYTES {
                loads.push(Vec::new());
                bytes = size;
            }
            if let Some(load) = loads.last_mut() {
                load.push(*id);
            }
        }
        loads
    }

    fn send(&self, state: &mut State, ids: &[AttemptId], beat: Beat) -> Result<(), StoreError> {
        let sign = self.sign(beat, state.parts);
        let bytes = part::make(&self.run, &self.dir, ids, &sign)?;
        loop {
            let name = self.names.part(self.number, self.start, state.parts);
            let put = self.store.put_new(&name, &bytes)?;
            state.parts += 1;
            // A try that seemed to fail may have gone through with fewer records in it.
            if put == Put::Written {
                break;
            }
        }
        state.sent.extend(ids);
        Ok(())
    }

    fn sign(&self, beat: Beat, parts: u32) -> Sign {
        Sign {
            beat,
            parts,
            nonce: self.nonce.to_owned(),
        }
    }
}
