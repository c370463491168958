//! One controller's work on a run, from taking the lock to closing it in good order.

mod crew;

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
use crate::{
    EngineError, Outputs, RunReport, RunRequest, Start, prepare, reuse, strays, unchanged,
};
use crew::{Crew, News};
use fairtrial_journal::provenance::{Capture, CaptureOptions, host_name};
use fairtrial_journal::redact::Redactor;
use fairtrial_journal::{
    Event, JOURNAL_SCHEMA, JournalError, JournalWriter, Opened, RunDir, RunLock, RunState,
    RunStatus, WriterOptions, clear_cancel, effective_records, is_there, resolved_spec,
};
use fairtrial_model::hex;
use fairtrial_plan::Plan;
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::time::Instant;

/// Does a run: every trial that has no answer yet, until none is left or the run is stopped.
pub fn run(
    request: &RunRequest,
    controls: &Controls,
    events: Sender<RunEvent>,
) -> Result<RunReport, EngineError> {
    let placed = probe(request)?;
    let (run, resumed) = match &request.start {
        Start::New { .. } => (
            RunDir::create(&request.root, &request.plan.spec().name, (request.now)())?,
            false,
        ),
        Start::Resume(run) | Start::Attend(run) => (run.clone(), true),
    };
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
    clear_cancel(&run)?;
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

/// The engine of the run, looked at before anything is made; absent for this machine.
fn probe(request: &RunRequest) -> Result<Option<Placed>, EngineError> {
    let folder = request.root.rollouts_dir();
    let Some(engine) = remote::engine_for(request.plan.spec(), &folder, &request.program)? else {
        return Ok(None);
    };
    let probe = engine.probe()?;
    let placed = Placed { engine, probe };
    if let Start::New { .. } = &request.start {
        let parallel = request.parallel.map(|limit| limit as u64);
        remote::rehearse(&placed, &request.plan, &folder, parallel)?;
    }
    Ok(Some(placed))
}

/// Trials that are with a scheduler must not run here as well.
fn refuse_open_jobs(run: &RunDir, known: &RunState) -> Result<(), EngineError> {
    match remote::open_jobs(run, known) {
        None => Ok(()),
        Some((engine, jobs)) => Err(EngineError::OtherEngine { engine, jobs }),
    }
}

/// What an earlier session left, after a check that the plan is still the same.
fn recorded(run: &RunDir, request: &RunRequest) -> Result<RunState, EngineError> {
    if !is_there(&run.journal())? {
        return Ok(RunState::default());
    }
    let known = RunState::read(&run.journal())?;
    let holds_lines = known.summary.intact + known.summary.corrupt > 0;
    if known.opened.is_none() && holds_lines {
        // Without it nobody can tell whether the records are of this plan.
        return Err(EngineError::Damaged {
            path: run.journal().display().to_string(),
            message: "its first line, which says what the run is, is damaged: bring the file back from a copy, or \
                      start a new run with `--reuse`, which keeps the records whose trials are unchanged"
                .to_owned(),
        });
    }
    if known.is_half_scored() {
        return Err(EngineError::HalfScored {
            name: run.name().to_owned(),
            stamp: run.stamp(),
        });
    }
    if let Some(opened) = &known.opened
        && opened.plan_hash != request.plan.hash()
    {
        let before = Plan::new(Arc::new(resolved_spec(run)?), opened.only.as_deref())?;
        let change = Box::new(request.plan.changes_since(&before));
        return Err(EngineError::SpecChanged {
            stamp: run.stamp(),
            change,
        });
    }
    Ok(known)
}

fn capture(run: &RunDir, request: &RunRequest) -> Result<Option<Capture>, EngineError> {
    if is_there(&run.environment())? {
        return Ok(None);
    }
    let spec = request.plan.spec();
    let options = CaptureOptions {
        source_dir: PathBuf::from(&spec.base_dir),
        data_root: request.root.path().to_owned(),
        environment: request.environment.clone(),
        variables: spec.provenance.env.clone(),
        version: request.version.clone(),
        now: (request.now)(),
    };
    let started = Capture::start(options);
    started.map(Some).map_err(|source| {
        JournalError::Io {
            action: "start looking at the environment for",
            path: run.environment(),
            source,
        }
        .into()
    })
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
        let reused = self.take_over(&host)?;
        let known = reused.as_ref().unwrap_or(&self.known);
        let writer = self.open_journal(tell.clone())?;
        if reused.is_none() {
            self.begin(&writer, &host)?;
        }
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
        let kept = dispatch.counts().total();
        let board = Arc::new(Board::new(dispatch, self.events.clone()));
        self.show_known(&board, known)?;
        let slots = self.request.slots.clamp(
            1,
            usize::try_from(plan.len() - kept)
                .unwrap_or(usize::MAX)
                .max(1),
        );
        let opened = RunEvent::Opened {
            dir: self.run.path().to_owned(),
            trials: plan.len(),
            done: kept,
            // A rule that was shown what is known may have its answer already.
            due: if board.lock().dispatch.stop_reason().is_some() {
                0
            } else {
                plan.len() - kept
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
        let floor = Floor {
            request: self.request,
            attempts: Attempts::new(
                &self.run,
                plan,
                &self.request.program,
                &self.request.environment,
                self.request.now,
            ),
            board: Arc::clone(&board),
            writer,
            events: self.events.clone(),
        };
        let crew = match &self.placed {
            None => Crew::Slots(slots),
            Some(placed) => Crew::Scheduler(placed, known),
        };
        let worked = self.run_crew(&floor, &crew, (tell, &news), capture);
        let ended = board.lock().dispatch.status();
        let status = if worked.is_ok() {
            ended
        } else {
            RunStatus::Error
        };
        let (counts, ran, stopped) = {
            let state = board.lock();
            (
                state.dispatch.counts(),
                state.dispatch.ran(),
                state.dispatch.stop_reason().cloned(),
            )
        };
        floor.writer.append(&Event::Closed {
            at: (self.request.now)(),
            status,
            counts,
        });
        let closed = floor.writer.close();
        worked?;
        let report = RunReport {
            run: self.run.clone(),
            counts,
            trials: plan.len(),
            ran,
            kept,
            status,
            stopped,
        };
        match closed {
            Err(error) if status != RunStatus::Error => Err(error.into()),
            // A run whose disk is full has told so already; its views cannot be written either.
            Err(_) => Ok(report),
            Ok(()) => {
                // Read once, for everybody who makes something of the whole run.
                let state = Arc::new(RunState::read(&self.run.journal())?);
                let told = RunEvent::Closed(self.run.clone(), Arc::clone(&state));
                let _ = self.events.send(told);
                // Where nothing was added, the views of the session before are still true, if it came to write them.
                let views = Views::new(&self.run, plan.spec());
                if report.ran == 0 && self.views_were_whole {
                    views.confirm()?;
                } else {
                    views.finish(&state)?;
                }
                Ok(report)
            }
        }
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
    fn begin(&self, writer: &JournalWriter, host: &str) -> Result<(), JournalError> {
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
        writer.append(&prepare::sealed(&[self.run.resolved_spec()], now())?);
        Ok(())
    }

    /// Takes over records of an earlier run, where asked for, and gives the state of the journal that holds them.
    fn take_over(&self, host: &str) -> Result<Option<RunState>, EngineError> {
        let Start::New { reuse, outputs } = &self.request.start else {
            return Ok(None);
        };
        let plan = &self.request.plan;
        let mut offered = HashMap::new();
        if *outputs == Outputs::Keep {
            for (id, kept) in unchanged::find(&self.request.root, plan, &self.run)? {
                let _ = self.events.send(RunEvent::Note(format!(
                    "{} is not run: its outputs are unchanged since run {}",
                    kept.record.trial.task, kept.from
                )));
                offered.insert(id, (kept.record, kept.from));
            }
        }
        if let Some(earlier) = reuse {
            let mut records = reuse::reusable(earlier, plan)?.records;
            unchanged::keep_valid(&self.request.root, plan, &mut records);
            let from = format!("{} {}", earlier.name(), earlier.stamp());
            for (id, record) in records {
                offered.entry(id).or_insert_with(|| (record, from.clone()));
            }
        }
        if offered.is_empty() && reuse.is_none() {
            return Ok(None);
        }
        let journal = self.run.journal();
        let writer = JournalWriter::open_with(&journal, self.writing(), Box::new(drop))?;
        self.begin(&writer, host)?;
        for trial in self.request.plan.trials() {
            if let Some((record, from)) = offered.remove(&trial.id()) {
                let record = reuse::take_over(record, trial.key.index, &from);
                writer.append(&Event::Finished(Box::new(record)));
            }
        }
        writer.close()?;
        Ok(Some(RunState::read(&self.run.journal())?))
    }
}
