//! The sign of life that a runner on a node gives beside its chunk.

use crate::attempt_id::AttemptId;
use crate::chunk::{Beat, ChunkDir, Owner, Phase};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Tells that this process lives.
pub(super) struct Heartbeat {
    dir: ChunkDir,
    pause: Duration,
    state: Mutex<HeartbeatState>,
    changed: Condvar,
}

struct HeartbeatState {
    beat: Beat,
    stopped: bool,
}

impl Heartbeat {
    pub(super) fn new(dir: ChunkDir, owner: &Owner, beat_s: f64) -> Self {
        let beat = Beat {
            count: 0,
            phase: Phase::Running,
            owner: owner.clone(),
            running: None,
            done: 0,
        };
        Self {
            dir,
            pause: Duration::from_secs_f64(beat_s.clamp(0.1, 600.0)),
            state: Mutex::new(HeartbeatState {
                beat,
                stopped: false,
            }),
            changed: Condvar::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, HeartbeatState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn beat(&self) {
        let mut state = self.lock();
        state.beat.count += 1;
        // A beat that cannot be written is one that is missed: the controller decides by its absence.
        let _ = self.dir.write_beat(&state.beat);
    }

    pub(super) fn runs(&self, id: Option<AttemptId>) {
        self.lock().beat.running = id;
    }

    pub(super) fn done(&self) {
        let mut state = self.lock();
        state.beat.running = None;
        state.beat.done += 1;
    }

    pub(super) fn keep_beating(&self) {
        let mut state = self.lock();
        while !state.stopped {
            let waited = self.changed.wait_timeout(state, self.pause);
            let (woken, timeout) = waited.unwrap_or_else(PoisonError::into_inner);
            state = woken;
            if timeout.timed_out() {
                drop(state);
                self.beat();
                state = self.lock();
            }
        }
    }

    /// The last beat. A runner that could not go on leaves as if it had died: silence makes others look.
    pub(super) fn stop(&self, phase: Phase) {
        let mut state = self.lock();
        state.stopped = true;
        state.beat.phase = phase;
        drop(state);
        self.changed.notify_all();
        self.beat();
    }
}
