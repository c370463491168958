//! One controller's work on a run, from taking the lock to closing it in good order.

mod context;
mod open;
mod take_over;
mod workers;

use crate::attempt::Attempts;
use crate::capacity::Capacity;
use crate::code::since::OtherCode;
use crate::code::watch::{CodeNow, CodeWatch};
use crate::controller::Controller;
use crate::controls::Controls;
use crate::dispatch::Dispatch;
use crate::error::EngineError;
use crate::events::RunEvent;
use crate::packing::{packer_of, sweep};
use crate::parts::Parts;
use crate::remote::contract::ProbedEngine;
use crate::request::{RunReport, RunRequest, Start};
use crate::slots::Slots;
use crate::spending::earlier_records;
use crate::views::Views;
use crate::warm_up::WarmUps;
use crate::{prepare, remote, strays};
use context::Session;
use fairtrial_journal::provenance::{Capture, host_name};
use fairtrial_journal::{
    Event, JournalError, RunDir, RunLock, RunState, RunStatus, effective_records,
};
use open::{capture, probe, recorded, refuse_open_jobs};

use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, PoisonError};
use std::time::Instant;
use take_over::EarlierRecords;
use workers::{Channel, Workers};

/// Does a run: every trial that has no answer yet, until none is left or the run is stopped.
pub fn run(
    request: &RunRequest,
    controls: &Controls,
    events: Sender<RunEvent>,
) -> Result<RunReport, EngineError> {
    let probed = probe(request)?;
    let is_new = matches!(request.start, Start::New { .. });
    let run = match &request.start {
        Start::Resume(run) | Start::Attend(run) => run.clone(),
        Start::New { .. } => {
            let spec = request.plan.spec();
            RunDir::create(&request.root, &spec.name, spec.access, (request.now)())?
        }
    };
    let lock = RunLock::acquire(&run, (request.now)());
    let opened = lock.map_err(EngineError::from).and_then(|lock| {
        let known = known(&run, request, probed.as_deref())?;
        let here = CodeNow {
            environment: &request.environment,
            data: request.root.path(),
            now: request.now,
        };
        let stays = !run.root().is_passing();
        let keep = stays.then_some(&run);
        let code = Arc::new(CodeWatch::new(request.plan.spec(), &here, keep));
        let commit = stays.then(|| code.look_at_commit());
        let packer = packer_of(&run, &request.plan).filter(|_| probed.is_none());
        if packer.is_some() {
            sweep(&run, &known)?;
        }
        let session = Session {
            packer,
            code,
            views_were_whole: Views::are_whole(&run, &known),
            run: run.clone(),
            request,
            known,
            events,
            controls,
            probed,
        };
        let report = session.work(capture(&run, request, commit)?);
        drop(lock);
        report
    });
    if is_new && opened.is_err() {
        forget_unbegun(&run);
    }
    opened
}

/// What earlier sessions left, after the run's files are as they must be.
fn known(
    run: &RunDir,
    request: &RunRequest,
    probed: Option<&ProbedEngine>,
) -> Result<RunState, EngineError> {
    let mut known = RunState::default();
    if !matches!(request.start, Start::New { .. }) {
        known = recorded(run, request)?;
        if probed.is_none() {
            refuse_open_jobs(run, &known)?;
            strays::end_of(run);
        }
    }
    if known.opened.is_none() {
        // Killed before its first line, a run has no files that count; they are made as for a new one.
        prepare::write_run_files(run, request)?;
    } else {
        prepare::keep_changes(run, request.plan.spec())?;
    }
    Ok(known)
}

/// Takes away the folder of a run that came to nothing: without its first line it holds nothing, and would be the newest.
fn forget_unbegun(run: &RunDir) {
    if matches!(run.is_begun(), Ok(false)) {
        // The first error is the one that matters; readers pass over what stays.
        let _ = std::fs::remove_dir_all(run.path());
    }
}

impl Session<'_> {
    fn work(self, capture: Option<Capture>) -> Result<RunReport, EngineError> {
        let plan = &self.request.plan;
        let (tell, news) = channel();
        let host = host_name();
        let taking_over = EarlierRecords::of(&self)?;
        let reused = taking_over
            .map(|records| records.write(&self, &host))
            .transpose()?;
        let known = reused.as_ref().unwrap_or(&self.known);
        let writer = self.open_journal(tell.clone())?;
        if reused.is_none() {
            self.begin(&writer, &host, None)?;
        }
        let parts = Parts::read(&self.run, plan, known)?;
        let dispatch = self.dispatch(known, &parts)?;
        let kept = dispatch.counts().total();
        let controller = Arc::new(Controller::new(dispatch, self.events.clone()));
        if !known.batches.is_empty() {
            controller.hand_out();
        }
        self.show_known(&controller, known)?;
        let due = usize::try_from(plan.len() - kept).unwrap_or(usize::MAX);
        let count = self.request.slots.clamp(1, due.max(1));
        self.announce(&controller, kept, count);
        let slots = Slots {
            request: self.request,
            attempts: Attempts::new(
                &self.run,
                plan,
                &self.request.program,
                &self.request.environment,
                self.request.now,
            )
            .beside_each_other(plan, self.probed.is_none().then_some(count))
            .packing(self.packer.clone())
            .watching(Arc::clone(&self.code)),
            controller,
            controls: self.controls,
            warm_ups: WarmUps::default(),
            parts,
            writer,
            events: self.events.clone(),
        };
        let workers = match &self.probed {
            None => Workers::Slots(count),
            Some(probed) => Workers::Scheduler(probed, known),
        };
        let worked = self.run_workers(&slots, &workers, Channel { tell, news }, capture);
        self.close(slots, kept, worked)
    }

    /// What is to be done, with what earlier sessions did and spent counted.
    fn dispatch(&self, known: &RunState, parts: &Parts) -> Result<Dispatch, EngineError> {
        let plan = &self.request.plan;
        let mut dispatch = Dispatch::new(Arc::clone(plan), known, Instant::now());
        let spent = earlier_records(&self.run, &self.known, &plan.spec().budget)?;
        let never_begun = remote::never_begun(&self.run, &self.known, &plan.spec().budget);
        dispatch.go_on_spending(&self.known, spent, never_begun)?;
        if let Start::Attend(_) = &self.request.start {
            dispatch.attend(known, |index| parts.idle(index));
        }
        if self.probed.is_none() {
            dispatch = dispatch.with_room(Capacity::of_this_machine(plan.spec()));
        }
        Ok(dispatch)
    }

    /// Tells what begins, and what is wrong with the journal so far.
    fn announce(&self, controller: &Controller, kept: u64, count: usize) {
        let trials = self.request.plan.len();
        let opened = RunEvent::Opened {
            dir: self.run.path().to_owned(),
            trials,
            done: kept,
            // A rule that was shown what is known may have its answer already.
            due: if controller.lock().dispatch.stop_reason().is_some() {
                0
            } else {
                trials - kept
            },
            slots: self.probed.is_none().then_some(count),
        };
        let _ = self.events.send(opened);
        for problem in &self.known.problems {
            let _ = self.events.send(RunEvent::Warning(format!(
                "{}: {problem}",
                self.run.journal().display()
            )));
        }
    }

    /// Writes the last line, and the views of what the journal then holds.
    fn close(
        &self,
        slots: Slots<'_>,
        kept: u64,
        worked: Result<(), EngineError>,
    ) -> Result<RunReport, EngineError> {
        let plan = &self.request.plan;
        let report = {
            let state = slots.controller.lock();
            RunReport {
                run: self.run.clone(),
                counts: state.dispatch.counts(),
                trials: plan.len(),
                ran: state.dispatch.ran(),
                kept,
                status: match &worked {
                    Ok(()) => state.dispatch.status(),
                    Err(_) => RunStatus::Error,
                },
                stopped: state.dispatch.stop_reason().cloned(),
            }
        };
        slots.writer.append(&Event::Closed {
            at: (self.request.now)(),
            status: report.status,
            counts: report.counts,
        });
        let closed = slots.writer.close();
        worked?;
        match closed {
            Err(error) if report.status != RunStatus::Error => return Err(error.into()),
            // A run whose disk is full has told so already; its views cannot be written either.
            Err(_) => return Ok(report),
            Ok(()) => {}
        }
        // Read once, for everybody who makes something of the whole run.
        let state = Arc::new(RunState::read_and_seal(&self.run)?);
        let told = RunEvent::Closed(self.run.clone(), Arc::clone(&state));
        let _ = self.events.send(told);
        // Where nothing was added and the run ended as before, the views of that session are still true, if it came to
        // write them.
        let ended_before = self.known.closed().map(|(_, status)| status);
        let same = report.ran == 0 && ended_before == Some(report.status);
        let views = Views::new(&self.run, plan.spec());
        if same && self.views_were_whole {
            views.confirm()?;
        } else {
            views.finish(&state)?;
        }
        Ok(report)
    }

    /// Shows the records of earlier sessions to the stopping rule.
    fn show_known(&self, controller: &Controller, known: &RunState) -> Result<(), EngineError> {
        let Some(rule) = &self.request.stop else {
            return Ok(());
        };
        let accepted = known.accepts_code || self.request.accepted_code.is_some();
        let other = if accepted {
            OtherCode::Accepted
        } else {
            OtherCode::LeftOut
        };
        rule.lock()
            .unwrap_or_else(PoisonError::into_inner)
            .begins(&self.run, other);
        effective_records(&self.run.journal(), known, |record| {
            if record.outcome.is_final() {
                controller.ask(rule, &record);
            }
            Ok::<(), JournalError>(())
        })?;
        Ok(())
    }
}
