//! What reaches a chunk's runner by signals.

use fairtrial_trial::KillHandle;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// What the scheduler asked for, by signals. Clones share one state.
#[derive(Debug, Clone, Default)]
pub struct ExecControls(Arc<Mutex<Asked>>);

#[derive(Debug, Default)]
pub(super) struct Asked {
    pub(super) drain: bool,
    pub(super) end: bool,
    pub(super) kill: Option<KillHandle>,
    /// What the trial that runs does when it is told of its end.
    pub(super) trial: OnNotice,
}

/// What a trial does when it is told of its end.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) enum OnNotice {
    /// It ends.
    #[default]
    Ends,
    /// It saves its state first.
    Saves,
    /// It was told, and saves. A second word would be for its forced end, which is the scheduler's to bring about.
    Told,
}

impl Asked {
    /// The handle by which the trial that runs is to be told of its end now.
    fn tell(&mut self) -> Option<KillHandle> {
        match self.trial {
            OnNotice::Ends => self.kill.clone(),
            OnNotice::Saves => {
                self.trial = OnNotice::Told;
                self.kill.clone()
            }
            OnNotice::Told => None,
        }
    }
}

impl ExecControls {
    /// As by `USR1`: time runs out; start nothing more. What saves its state does so now: it has more time for that
    /// than between `TERM` and the end.
    pub fn drain(&self) {
        let kill = {
            let mut asked = self.lock();
            asked.drain = true;
            if asked.trial == OnNotice::Ends {
                None
            } else {
                asked.tell()
            }
        };
        if let Some(kill) = kill {
            kill.kill();
        }
    }

    /// As by `TERM` and `USR2`: end what runs.
    pub fn end(&self) {
        let kill = {
            let mut asked = self.lock();
            asked.end = true;
            asked.tell()
        };
        if let Some(kill) = kill {
            kill.kill();
        }
    }

    /// A trial begins that does this when it is told of its end.
    pub(super) fn begins(&self, trial: OnNotice) {
        self.lock().trial = trial;
    }

    pub(super) fn wait_for_end(&self, limit: Duration) {
        let began = Instant::now();
        while !self.lock().end && began.elapsed() < limit {
            std::thread::sleep(limit / 50);
        }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Asked> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
