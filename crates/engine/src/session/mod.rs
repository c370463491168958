//! One controller's work on a run, from taking the lock to closing it in good order.

mod crew;
mod opening;
mod taking_over;

use crate::attempt::Attempts;
use crate::board::Board;
use crate::capacity::Capacity;
use crate::controls::Controls;
use crate::dispatch::Dispatch;
use crate::events::RunEvent;
use crate::local::Floor;
use crate::remote;
use crate::remote::controller::Placed;
use crate::spending::earlier_records;
use crate::views::Views;
use crate::{EngineError, RunReport, RunRequest, Start, prepare, strays};
use crew::{Crew, News};
use fairtrial_journal::provenance::{Capture, host_name};
use fairtrial_journal::redact::Redactor;
use fairtrial_journal::{
    Event, JOURNAL_SCHEMA, JournalError, JournalWriter, Opened, RunDir, RunLock, RunState,
    RunStatus, TakeOver, WriterOptions, effective_records, is_there,
};
use fairtrial_model::hex;
use opening::{capture, probe, recorded, refuse_open_jobs};
use sha2::{Digest, Sha256};
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::time::Instant;
use taking_over::TakingOver;

/// Does a run: every trial that has no answer yet, until none is left or the run is stopped.
pub fn run(
    request: &RunRequest,
    controls: &Controls,
    events: Sender<RunEvent>,
) -> Result<RunReport, EngineError> {
    let placed = probe(request)?;
    match &request.start {
        Start::Resume(run) | Start::Attend(run) => {
            go_on(run.clone(), true, placed, (request, controls, events))
        }
        Start::New { .. } => {
            let spec = request.plan.spec();
            let run = RunDir::create(&request.root, &spec.name, spec.access, (request.now)())?;
            let done = go_on(run.clone(), false, placed, (request, controls, events));
            if done.is_err() {
                forget_unbegun(&run);
            }
            done
        }
    }
}

/// Takes away the folder of a run that came to nothing: without its first line it holds nothing, and would be the newest.
fn forget_unbegun(run: &RunDir) {
    if matches!(run.is_begun(), Ok(false)) {
        // The first error is the one that matters; readers pass over what stays.
        let _ = std::fs::remove_dir_all(run.path());
    }
}

fn go_on(
    run: RunDir,
    resumed: bool,
    placed: Option<Placed>,
    (request, controls, events): (&RunRequest, &Controls, Sender<RunEvent>),
) -> Result<RunReport, EngineError> {
    let lock = RunLock::acquire(&run, (request.now)())?;
    let known = if resumed {
        let known = recorded(&run, request)?;
        if placed.is_none() {
            refuse_open_jobs(&run, &known)?;
            strays::end_of(&run);
        }
        known
    } else {
        RunState::default()
    };
    if !resumed || known.opened.is_none() {
        // Killed before its first line, a run has no files that count; they are made as for a new one.
        prepare::write_run_files(&run, request)?;
    } else {
        prepare::keep_changes(&run, request.plan.spec())?;
    }
    let capture = capture(&run, request)?;
    let views_were_whole = Views::are_whole(&run, &known);
    let report = Session {
        request,
        run,
        known,
        events,
        controls,
        views_were_whole,
        placed,
    }
    .work(capture);
    drop(lock);
    report
}

struct Session<'a> {
    request: &'a RunRequest,
    run: RunDir,
    known: RunState,
    events: Sender<RunEvent>,
    controls: &'a Controls,
    /// Whether the session before wrote its views to the end.
    views_were_whole: bool,
    placed: Option<Placed>,
}

impl Session<'_> {
    fn work(self, capture: Option<Capture>) -> Result<RunReport, EngineError> {
        let plan = &self.request.plan;
        let (tell, news) = channel();
        let host = host_name();
        let taking_over = TakingOver::of(&self)?;
        let reused = taking_over
            .map(|records| records.write(&self, &host))
            .transpose()?;
        let known = reused.as_ref().unwrap_or(&self.known);
        let writer = self.open_journal(tell.clone())?;
        if reused.is_none() {
            self.begin(&writer, &host, None)?;
        }
        let dispatch = self.dispatch(known)?;
        let kept = dispatch.counts().total();
        let board = Arc::new(Board::new(dispatch, self.events.clone()));
        self.show_known(&board, known)?;
        let due = usize::try_from(plan.len() - kept).unwrap_or(usize::MAX);
        let slots = self.request.slots.clamp(1, due.max(1));
        self.announce(&board, kept, slots);
        let floor = Floor {
            request: self.request,
            attempts: Attempts::new(
                &self.run,
                plan,
                &self.request.program,
                &self.request.environment,
                self.request.now,
            ),
            board,
            writer,
            events: self.events.clone(),
        };
        let crew = match &self.placed {
            None => Crew::Slots(slots),
            Some(placed) => Crew::Scheduler(placed, known),
        };
        let worked = self.run_crew(&floor, &crew, (tell, &news), capture);
        self.close(floor, kept, worked)
    }

    /// What is to be done, with what earlier sessions did and spent counted.
    fn dispatch(&self, known: &RunState) -> Result<Dispatch, EngineError> {
        let plan = &self.request.plan;
        let mut dispatch = Dispatch::new(Arc::clone(plan), known, Instant::now());
        let spent = earlier_records(&self.run, &self.known, &plan.spec().budget)?;
        let never_begun = remote::never_begun(&self.run, &self.known, &plan.spec().budget);
        dispatch.go_on_spending(&self.known, spent, never_begun)?;
        if let Start::Attend(_) = &self.request.start {
            dispatch.attend(known);
        }
        if self.placed.is_none() {
            dispatch = dispatch.with_room(Capacity::of_this_machine(plan.spec()));
        }
        Ok(dispatch)
    }

    /// Tells what begins, and what is wrong with the journal so far.
    fn announce(&self, board: &Board, kept: u64, slots: usize) {
        let trials = self.request.plan.len();
        let opened = RunEvent::Opened {
            dir: self.run.path().to_owned(),
            trials,
            done: kept,
            // A rule that was shown what is known may have its answer already.
            due: if board.lock().dispatch.stop_reason().is_some() {
                0
            } else {
                trials - kept
            },
            slots: self.placed.is_none().then_some(slots),
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
        floor: Floor<'_>,
        kept: u64,
        worked: Result<(), EngineError>,
    ) -> Result<RunReport, EngineError> {
        let plan = &self.request.plan;
        let report = {
            let state = floor.board.lock();
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
        floor.writer.append(&Event::Closed {
            at: (self.request.now)(),
            status: report.status,
            counts: report.counts,
        });
        let closed = floor.writer.close();
        worked?;
        match closed {
            Err(error) if report.status != RunStatus::Error => return Err(error.into()),
            // A run whose disk is full has told so already; its views cannot be written either.
            Err(_) => return Ok(report),
            Ok(()) => {}
        }
        // Read once, for everybody who makes something of the whole run.
        let state = Arc::new(RunState::read(&self.run.journal())?);
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
    fn show_known(&self, board: &Board, known: &RunState) -> Result<(), EngineError> {
        let Some(rule) = &self.request.stop else {
            return Ok(());
        };
        effective_records(&self.run.journal(), known, |record| {
            if record.outcome.is_final() {
                board.ask(rule, &record);
            }
            Ok::<(), JournalError>(())
        })?;
        Ok(())
    }

    fn redactor(&self) -> Redactor {
        Redactor::from_env(
            self.request
                .environment
                .iter()
                .map(|(name, value)| (name, value)),
        )
    }

    /// How the journal is written, whoever writes it.
    fn writing(&self) -> WriterOptions {
        WriterOptions {
            redactor: self.redactor(),
            ..WriterOptions::default()
        }
    }

    fn open_journal(&self, news: Sender<News>) -> Result<JournalWriter, EngineError> {
        // The writer's thread must never wait for the board: the board may be waiting for room in the journal.
        let tell = Box::new(move |commit| drop(news.send(News::Commit(commit))));
        let writer = JournalWriter::open_with(&self.run.journal(), self.writing(), tell)?;
        if let Some(repair) = writer.repaired() {
            let text = format!(
                "an unfinished last line of {} bytes was cut off the journal",
                repair.bytes
            );
            writer.append(&Event::Note {
                at: (self.request.now)(),
                text,
            });
        }
        Ok(writer)
    }

    /// The first lines of this session.
    fn begin(
        &self,
        writer: &JournalWriter,
        host: &str,
        takes_over: Option<TakeOver>,
    ) -> Result<(), JournalError> {
        let RunRequest {
            plan,
            set,
            only,
            slots,
            version,
            now,
            spec_text,
            registration,
            ..
        } = self.request;
        let resumed = self.known.opened.is_some();
        if !resumed {
            writer.append(&Event::Opened(Opened {
                schema: JOURNAL_SCHEMA,
                name: self.run.name().to_owned(),
                stamp: self.run.stamp(),
                config: plan.spec().source.clone(),
                spec_sha256: hex(&Sha256::digest(spec_text)),
                plan_hash: plan.hash().to_owned(),
                trials: plan.len(),
                set: set.clone(),
                only: only.clone(),
                registration_sha256: registration.as_ref().map(|text| hex(&Sha256::digest(text))),
                takes_over,
                parallel: *slots,
                version: version.clone(),
                created_at: now(),
                host: host.to_owned(),
            }));
        }
        let pid = std::process::id();
        writer.append(&Event::Session {
            pid,
            host: host.to_owned(),
            at: now(),
            resumed,
            attends: matches!(self.request.start, Start::Attend(_)),
            scores: false,
        });
        let mut files = vec![self.run.resolved_spec()];
        // A controller that was killed after it wrote this file had no time to say so.
        let environment = self.run.environment();
        let name = environment.file_name().unwrap_or_default();
        let is_sealed = self.known.files.contains_key(&*name.to_string_lossy());
        if resumed && !is_sealed && is_there(&environment)? {
            files.push(environment);
        }
        writer.append(&prepare::sealed(&files, now())?);
        Ok(())
    }
}
