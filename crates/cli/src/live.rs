//! A run while it lives: signals reach it, and what happens is shown.

use crate::ending::Shown;
use crate::exit::Failure;
use crate::explain::explain;
use crate::printer::Printer;
use crate::progress::{Detail, Progress};
use crate::typed::Typed;
use fairtrial_analysis::{RunSummary, summarize_state};
use fairtrial_engine::{Controls, RunEvent, RunReport, RunRequest};
use fairtrial_journal::{DataRoot, Index, JournalError, RunDir, RunState};
use fairtrial_spec::EngineKind;
use std::sync::Arc;
use std::sync::mpsc::channel;

/// How a run is shown.
pub(crate) struct Manner {
    /// The result.
    pub(crate) shown: Shown,
    /// For what to type next.
    pub(crate) typed: Typed,
    /// What is shown meanwhile.
    pub(crate) detail: Option<Detail>,
}

/// The next `list` finds this run in the index already. A failure here costs nothing but that.
fn index(root: &DataRoot, run: &RunDir, state: &RunState) -> Result<(), JournalError> {
    Index::open(root)?.take(run, state)
}

/// How a run ended, and what it came to where that is known already.
pub(crate) struct Lived {
    pub(crate) report: RunReport,
    pub(crate) summary: Option<RunSummary>,
}

/// Runs with signals and display connected.
pub(crate) fn go(
    request: &RunRequest,
    controls: &Controls,
    manner: &Manner,
    printer: Printer,
) -> Result<Lived, Failure> {
    let remote = request.plan.spec().engine.kind != EngineKind::Local;
    listen(controls, remote)?;
    let spec = request.plan.spec();
    if manner.detail.is_some() {
        printer.tell(format!(
            "config={} name={} tasks={} trials={} parallel={}",
            spec.source,
            spec.name,
            spec.tasks.len(),
            request.plan.len(),
            request.slots
        ));
    }
    let (events, shown) = channel();
    let mut progress = manner.detail.map(|detail| Progress::new(printer, detail));
    let (root, plan) = (request.root.clone(), Arc::clone(&request.plan));
    let display = std::thread::spawn(move || {
        let (mut indexed, mut summary) = (Ok(()), None);
        for event in shown {
            match (&mut progress, event) {
                // Views and summary read every record, and neither needs the other.
                (_, RunEvent::Closed(run, state)) => {
                    let plan = Arc::clone(&plan);
                    indexed = index(&root, &run, &state);
                    let read = move || summarize_state(&run, &state, plan.spec()).ok();
                    summary = Some(std::thread::spawn(read));
                }
                (Some(progress), event) => progress.show(event),
                (None, RunEvent::Warning(text)) => printer.warn(text),
                (None, _) => {}
            }
        }
        if let Some(progress) = progress {
            progress.finish();
        }
        if let Err(error) = indexed {
            printer.warn(error.to_string());
        }
        summary.and_then(|summary| summary.join().ok().flatten())
    });
    let report = fairtrial_engine::run(request, controls, events);
    let summary = display.join().ok().flatten();
    let report = report.map_err(explain)?;
    Ok(Lived { report, summary })
}

/// Ctrl-C, a closed terminal and a polite kill all stop a run in good order.
///
/// Trials of a scheduler outlive their controller: there, all three only leave.
fn listen(controls: &Controls, remote: bool) -> Result<(), Failure> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let signals = signal_hook::iterator::Signals::new([SIGHUP, SIGINT, SIGTERM]);
    let mut signals =
        signals.map_err(|error| Failure::machine(format!("cannot listen for signals: {error}")))?;
    let controls = controls.clone();
    std::thread::spawn(move || {
        for signal in signals.forever() {
            if signal == SIGINT || remote {
                controls.interrupt();
            } else {
                controls.cancel();
            }
        }
    });
    Ok(())
}
