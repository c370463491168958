//! The crew of a run: the slots, or the controller of a scheduler, and who settles and shows meanwhile what they did.

use super::Session;
use crate::board::Board;
use crate::controls::Asked;
use crate::events::{RunEvent, StopReason};
use crate::local::Floor;
use crate::remote::controller::{Placed, Remote};
use crate::views::Views;
use crate::{EngineError, prepare};
use fairtrial_journal::provenance::Capture;
use fairtrial_journal::{
    Commit, Durability, JournalWriter, RunState, cancel_requested, failpoint, write_atomic_bytes,
};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// How often signals and cancel requests are looked for while nothing else happens.
const LOOK: Duration = Duration::from_millis(100);

/// What the one who settles waits for.
pub(super) enum News {
    /// From the journal.
    Commit(Commit),
    /// A member of the crew has nothing left to do.
    Left,
}

impl Session<'_> {
    /// Runs the slots to their end, settling what became durable and listening for orders meanwhile.
    pub(super) fn run_crew(
        &self,
        floor: &Floor<'_>,
        crew: &Crew<'_>,
        (tell, news): (Sender<News>, &Receiver<News>),
        capture: Option<Capture>,
    ) -> Result<(), EngineError> {
        // Nobody of the crew begins what is not wanted any more.
        let asked = self.pass_on_orders(&floor.board, Asked::Nothing);
        let workers = crew.workers();
        let busy = AtomicUsize::new(workers);
        let (end, ended) = channel::<()>();
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..workers)
                .map(|slot| {
                    let leave = Leave {
                        busy: &busy,
                        tell: tell.clone(),
                    };
                    scope.spawn(move || {
                        let _leave = leave;
                        match crew {
                            Crew::Slots(_) => floor.work(slot),
                            Crew::Scheduler(placed, known) => {
                                Remote::new(floor, &self.run, self.controls, placed).work(known)
                            }
                        }
                    })
                })
                .collect();
            // Only the crew and the journal speak: when they are gone, so is the wait for them.
            drop(tell);
            let background = scope.spawn(move || self.keep_views(capture, &ended, &floor.writer));
            self.settle_until_done(floor, &busy, news, asked);
            let results: Vec<_> = workers
                .into_iter()
                .map(std::thread::ScopedJoinHandle::join)
                .collect();
            drop(end);
            let kept = background.join();
            for result in results {
                result.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
            }
            kept.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    }

    /// Tells the board what signals and other terminals ask for, beyond what it was told; gives what it is told now.
    fn pass_on_orders(&self, board: &Board, told: Asked) -> Asked {
        let asked = self.controls.asked();
        if asked > told {
            board.stop(match asked {
                // Jobs of a scheduler need nobody to wait for them.
                Asked::Drain if self.placed.is_some() => StopReason::Detach,
                Asked::Drain => StopReason::Drain,
                _ => StopReason::Cancel,
            });
        }
        if asked < Asked::Cancel && cancel_requested(&self.run) {
            self.controls.cancel();
        }
        asked
    }

    fn settle_until_done(
        &self,
        floor: &Floor<'_>,
        busy: &AtomicUsize,
        news: &Receiver<News>,
        mut asked: Asked,
    ) {
        loop {
            match news.recv_timeout(LOOK) {
                Ok(News::Commit(commit)) => {
                    floor.board.committed(commit, self.request.stop.as_ref());
                }
                Ok(News::Left) | Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            asked = self.pass_on_orders(&floor.board, asked);
            let broken = matches!(
                floor.board.lock().dispatch.stop_reason(),
                Some(StopReason::Broken(_))
            );
            if busy.load(Ordering::Acquire) == 0 && (broken || floor.board.is_settled()) {
                return;
            }
        }
    }

    /// Writes `environment.json` when it is known, and refreshes the views now and then.
    fn keep_views(
        &self,
        capture: Option<Capture>,
        ended: &Receiver<()>,
        writer: &JournalWriter,
    ) -> Result<(), EngineError> {
        let mut views = Views::new(&self.run, self.request.plan.spec());
        let mut capture = capture;
        let mut done = false;
        loop {
            if let Some(running) = capture.take_if(|capture| done || capture.is_finished()) {
                let environment = running.finish();
                let text = serde_json::to_vec_pretty(&environment).unwrap_or_default();
                let path = self.run.environment();
                write_atomic_bytes(&path, Durability::Content, &text)?;
                failpoint::hit("environment.written");
                writer.append(&prepare::sealed(&[path], (self.request.now)())?);
            }
            if done {
                return Ok(());
            }
            if let Err(error) = views.refresh_if_due() {
                let _ = self.events.send(RunEvent::Warning(error.to_string()));
            }
            done = ended.recv_timeout(LOOK) != Err(RecvTimeoutError::Timeout);
        }
    }
}

/// Who runs the trials.
pub(super) enum Crew<'a> {
    /// This many slots on this machine.
    Slots(usize),
    /// A scheduler, and what the journal knows from before.
    Scheduler(&'a Placed, &'a RunState),
}

impl Crew<'_> {
    fn workers(&self) -> usize {
        match self {
            Self::Slots(slots) => *slots,
            Self::Scheduler(..) => 1,
        }
    }
}

/// Counts a member out, also when it panics.
struct Leave<'a> {
    busy: &'a AtomicUsize,
    tell: Sender<News>,
}

impl Drop for Leave<'_> {
    fn drop(&mut self) {
        self.busy.fetch_sub(1, Ordering::Release);
        // Nobody waiting any more is as good.
        let _ = self.tell.send(News::Left);
    }
}
