//! The workers of a run: the slots, or the controller of a scheduler, and who settles and shows meanwhile what they did.

use super::context::{News, Session};
use crate::controller::Controller;
use crate::controls::Asked;
use crate::error::EngineError;
use crate::events::{RunEvent, StopReason};
use crate::prepare;
use crate::remote::contract::ProbedEngine;
use crate::remote::remote_run::RemoteRun;
use crate::slots::Slots;
use crate::views::Views;
use fairtrial_journal::provenance::{Capture, Vcs};
use fairtrial_journal::{
    Durability, JournalWriter, RunState, cancel_requested, failpoint, pause_requested,
    write_atomic_bytes,
};
use fairtrial_trial::RunnerError;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex};
use std::thread::{Builder, ScopedJoinHandle};
use std::time::Duration;

/// How often signals and cancel requests are looked for while nothing else happens.
const LOOK: Duration = Duration::from_millis(100);

/// What passes between the workers, the journal and whoever settles.
pub(super) struct Channel {
    pub(super) tell: Sender<News>,
    pub(super) news: Receiver<News>,
}

impl Session<'_> {
    /// Runs the slots to their end, settling what became durable and listening for orders meanwhile.
    pub(super) fn run_workers(
        &self,
        slots: &Slots<'_>,
        workers: &Workers<'_>,
        channel: Channel,
        capture: Option<Capture>,
    ) -> Result<(), EngineError> {
        let Channel { tell, news } = channel;
        // No worker begins what is not wanted any more.
        let asked = self.pass_on_orders(&slots.controller, Asked::Nothing);
        let count = workers.count();
        let busy = AtomicUsize::new(0);
        let (end, ended) = mpsc::channel::<()>();
        let background = Mutex::new(Some((capture, ended)));
        let keep = || match background.lock().ok().and_then(|mut given| given.take()) {
            Some((capture, ended)) => self.keep_views(capture, &ended, &slots.writer),
            None => Ok(()),
        };
        std::thread::scope(|scope| {
            let mut threads = Vec::with_capacity(count);
            // Whoever panicked here would leave the others waiting for ever: a thread that is refused is an error.
            let mut refused = None;
            while threads.len() < count && refused.is_none() {
                let slot = threads.len();
                let leave = WorkerGuard::enter(&busy, tell.clone());
                let work = move || {
                    let _leave = leave;
                    match workers {
                        Workers::Slots(_) => slots.work(slot),
                        Workers::Scheduler(probed, known) => {
                            RemoteRun::new(slots, &self.run, self.controls, probed).work(known)
                        }
                    }
                };
                match Builder::new().spawn_scoped(scope, work) {
                    Ok(thread) => threads.push(thread),
                    Err(error) => refused = Some(EngineError::NoThread(error)),
                }
            }
            if let Some(refused) = refused.take_if(|_| !threads.is_empty()) {
                let text = format!("{} of {count} slots work: {refused}", threads.len());
                let _ = self.events.send(RunEvent::Warning(text));
            }
            // Only the workers and the journal speak: when they are gone, so is the wait for them.
            drop(tell);
            let keeping = Builder::new().spawn_scoped(scope, keep);
            self.settle_until_done(slots, &busy, &news, asked);
            let results: Vec<_> = threads.into_iter().map(join).collect();
            drop(end);
            // Where there was no thread for them, the views are made now, for the first time.
            let kept = keeping.map_or_else(|_| keep(), join);
            refused.map_or_else(|| together(results), Err)?;
            kept
        })
    }

    /// Tells the controller what signals and other terminals ask for, beyond what it was told; gives what it is told now.
    fn pass_on_orders(&self, controller: &Controller, told: Asked) -> Asked {
        let asked = self.controls.asked();
        if asked > told {
            match asked {
                // Jobs of a scheduler need nobody to wait for them.
                Asked::Drain if self.probed.is_some() => controller.leave(),
                Asked::Drain => controller.stop(StopReason::Drain),
                _ => controller.stop(StopReason::Cancel),
            }
        }
        if asked < Asked::Cancel && cancel_requested(&self.run) {
            self.controls.cancel();
        }
        controller.pause(pause_requested(&self.run));
        asked
    }

    fn settle_until_done(
        &self,
        slots: &Slots<'_>,
        busy: &AtomicUsize,
        news: &Receiver<News>,
        mut asked: Asked,
    ) {
        loop {
            match news.recv_timeout(LOOK) {
                Ok(News::Commit(commit)) => {
                    slots
                        .controller
                        .committed(commit, self.request.stop.as_ref());
                }
                Ok(News::Left) | Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            asked = self.pass_on_orders(&slots.controller, asked);
            let broken = matches!(
                slots.controller.lock().dispatch.stop_reason(),
                Some(StopReason::Broken(_))
            );
            if busy.load(Ordering::Acquire) == 0 && (broken || slots.controller.is_settled()) {
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
                if let Vcs::Git(state) = &environment.vcs
                    && let Some((name, changes)) = state.changes()
                {
                    self.run.keep_changes(&name, changes)?;
                }
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

/// What a thread gives.
fn join<T>(thread: ScopedJoinHandle<'_, T>) -> T {
    let joined = thread.join();
    joined.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// What the workers come to. Slots that could not be started are no failure where others did the work.
fn together(results: Vec<Result<(), EngineError>>) -> Result<(), EngineError> {
    let somebody_worked = results.iter().any(Result::is_ok);
    let fatal = |error: &EngineError| {
        !(somebody_worked && matches!(error, EngineError::Runner(RunnerError::Start { .. })))
    };
    let mut failures = results.into_iter().filter_map(Result::err);
    failures.find(fatal).map_or(Ok(()), Err)
}

/// Who runs the trials.
pub(super) enum Workers<'a> {
    /// This many slots on this machine.
    Slots(usize),
    /// A scheduler, and what the journal knows from before.
    Scheduler(&'a Arc<ProbedEngine>, &'a RunState),
}

impl Workers<'_> {
    fn count(&self) -> usize {
        match self {
            Self::Slots(slots) => *slots,
            Self::Scheduler(..) => 1,
        }
    }
}

/// Counts a worker out, also when it panics.
struct WorkerGuard<'a> {
    busy: &'a AtomicUsize,
    tell: Sender<News>,
}

impl<'a> WorkerGuard<'a> {
    /// Counts a worker in.
    fn enter(busy: &'a AtomicUsize, tell: Sender<News>) -> Self {
        busy.fetch_add(1, Ordering::AcqRel);
        Self { busy, tell }
    }
}

impl Drop for WorkerGuard<'_> {
    fn drop(&mut self) {
        self.busy.fetch_sub(1, Ordering::Release);
        // Nobody waiting any more is as good.
        let _ = self.tell.send(News::Left);
    }
}
