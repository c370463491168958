//! The controller's state behind its lock: what is given out, what is on its way to the disk, and who waits for either.

use crate::dispatch::{Dispatch, Next};
use crate::events::{Ending, RunEvent, StopReason};
use crate::request::StopRule;
use fairtrial_journal::{Commit, Seq, failpoint, remove_small};
use fairtrial_model::Record;
use fairtrial_trial::KillHandle;
use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::mpsc::Sender;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// The controller's state, and who waits for it to change.
pub(crate) struct Controller {
    state: Mutex<ControllerState>,
    changed: Condvar,
    events: Mutex<Sender<RunEvent>>,
}

/// Everything behind the lock.
pub(crate) struct ControllerState {
    pub(crate) dispatch: Dispatch,
    /// Ends handed to the journal and not yet durable, oldest first.
    pub(crate) unsettled: VecDeque<Unsettled>,
    pub(crate) kills: Vec<KillHandle>,
    /// The journal is on disk up to here.
    durable: Seq,
    /// How many wait for something to do.
    waiting: usize,
    /// Whether a scheduler has, or may have, something of this run.
    handed_out: bool,
}

/// An end on its way to the disk.
pub(crate) struct Unsettled {
    pub(crate) seq: Seq,
    pub(crate) ending: Ending,
    pub(crate) attempt: u32,
    /// For the stopping rule, where there is one.
    pub(crate) record: Option<Record>,
    /// The folder of a trial whose files stand elsewhere as soon as this is on disk.
    pub(crate) packed: Option<PathBuf>,
}

impl Controller {
    pub(crate) fn new(dispatch: Dispatch, events: Sender<RunEvent>) -> Self {
        let state = ControllerState {
            dispatch,
            unsettled: VecDeque::new(),
            kills: Vec::new(),
            durable: Seq::default(),
            waiting: 0,
            handed_out: false,
        };
        Self {
            state: Mutex::new(state),
            changed: Condvar::new(),
            events: Mutex::new(events),
        }
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, ControllerState> {
        // Every change under the lock is complete in itself; a slot that panicked leaves a usable state.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether ends are still on their way to the disk.
    pub(crate) fn is_settled(&self) -> bool {
        self.lock().unsettled.is_empty()
    }

    /// Whether a slot has nothing to do until something changes.
    pub(crate) fn somebody_waits(&self) -> bool {
        self.lock().waiting > 0
    }

    /// Waits until there is something to do.
    pub(crate) fn next(&self) -> Next {
        let mut state = self.lock();
        state.waiting += 1;
        let (next, mut state) = self.wait_for_next(state);
        state.waiting -= 1;
        drop(state);
        if matches!(next, Next::Done) {
            // The others may wait for an end that will not come.
            self.wake();
        }
        next
    }

    fn wait_for_next<'a>(
        &'a self,
        mut state: MutexGuard<'a, ControllerState>,
    ) -> (Next, MutexGuard<'a, ControllerState>) {
        loop {
            let now = Instant::now();
            match state.dispatch.next(now) {
                Next::Wait(None) => {
                    state = self
                        .changed
                        .wait(state)
                        .unwrap_or_else(PoisonError::into_inner);
                }
                Next::Wait(Some(at)) => {
                    let left = at.saturating_duration_since(now);
                    let waited = self.changed.wait_timeout(state, left);
                    state = waited.unwrap_or_else(PoisonError::into_inner).0;
                }
                next => return (next, state),
            }
        }
    }

    /// What there is to do at this moment.
    pub(crate) fn next_now(&self) -> Next {
        self.lock().dispatch.next(Instant::now())
    }

    /// A trial that was given out and not begun is for whoever is free.
    pub(crate) fn put_back(&self, index: u64) {
        self.lock().dispatch.put_back(index, Instant::now());
        self.wake();
    }

    /// Lets everybody who waits look again.
    pub(crate) fn wake(&self) {
        self.changed.notify_all();
    }

    /// Notes that something goes to a scheduler now; `false` where a stop came first.
    pub(crate) fn hand_out(&self) -> bool {
        let mut state = self.lock();
        let stopped = matches!(
            state.dispatch.stop_reason(),
            Some(StopReason::Unsubmitted | StopReason::Cancel)
        );
        state.handed_out |= !stopped;
        !stopped
    }

    /// Starts nothing more and leaves to a scheduler what it has.
    pub(crate) fn leave(&self) {
        let state = self.lock();
        let reason = if state.handed_out {
            StopReason::Detach
        } else {
            StopReason::Unsubmitted
        };
        self.stop_in(state, reason);
    }

    /// Starts nothing for now, or goes on.
    pub(crate) fn pause(&self, paused: bool) {
        if self.lock().dispatch.pause(paused) {
            self.tell(RunEvent::Note(
                if paused {
                    "paused: trials in flight may finish, nothing else is started"
                } else {
                    "going on after the pause"
                }
                .to_owned(),
            ));
            self.wake();
        }
    }

    /// Starts nothing more; with `Cancel`, ends what runs.
    pub(crate) fn stop(&self, reason: StopReason) {
        self.stop_in(self.lock(), reason);
    }

    fn stop_in(&self, mut state: MutexGuard<'_, ControllerState>, reason: StopReason) {
        let kills = matches!(reason, StopReason::Cancel);
        if state.dispatch.stop(reason.clone()) {
            self.tell(RunEvent::Stopping(reason));
        }
        let handles = if kills {
            state.kills.clone()
        } else {
            Vec::new()
        };
        drop(state);
        self.wake();
        handles.iter().for_each(KillHandle::kill);
    }

    /// News from the journal: records became durable, or cannot be written.
    pub(crate) fn committed(&self, commit: Commit, rule: Option<&Mutex<Box<dyn StopRule>>>) {
        let through = match commit {
            Commit::Durable { through } => through,
            Commit::Failed { error } => return self.stop(StopReason::Broken(error.to_string())),
        };
        let mut state = self.lock();
        state.durable = state.durable.max(through);
        let (mut endings, mut records, mut emptied) = (Vec::new(), Vec::new(), Vec::new());
        while state
            .unsettled
            .front()
            .is_some_and(|first| first.seq <= through)
        {
            let Some(Unsettled {
                mut ending,
                attempt,
                record,
                packed,
                ..
            }) = state.unsettled.pop_front()
            else {
                break;
            };
            state
                .dispatch
                .settled(ending.index, attempt, ending.outcome);
            ending.counts = state.dispatch.counts();
            records.extend(record.filter(|_| !ending.retried));
            endings.push(ending);
            emptied.extend(packed);
        }
        let uncounted = state.dispatch.take_uncounted();
        drop(state);
        self.wake();
        // Until now the folder was what said that the attempt had begun.
        failpoint::hit("packed.before_removal");
        for dir in &emptied {
            remove_small(dir);
        }
        if let Some(text) = uncounted {
            self.tell(RunEvent::Warning(text));
        }
        if !endings.is_empty() {
            self.tell(RunEvent::Ended(endings));
        }
        for record in records {
            if let Some(rule) = rule {
                self.ask(rule, &record);
            }
        }
    }

    /// Waits until an event of the journal is on disk; `false` where it cannot be written.
    pub(crate) fn wait_durable(&self, seq: Seq) -> bool {
        let mut state = self.lock();
        while state.durable < seq {
            if let Some(StopReason::Broken(_)) = state.dispatch.stop_reason() {
                return false;
            }
            state = self
                .changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
        true
    }

    /// Shows a record to the stopping rule.
    pub(crate) fn ask(&self, rule: &Mutex<Box<dyn StopRule>>, record: &Record) {
        let decided = rule
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .settled(record);
        if let Some(why) = decided {
            self.stop(StopReason::Decided(why));
        }
    }

    fn tell(&self, event: RunEvent) {
        // Nobody listening is no reason to stop a run.
        let _ = self
            .events
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .send(event);
    }
}
