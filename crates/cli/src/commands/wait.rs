//! `wait` and `watch`: stay with a run until it is done, from any terminal, whoever has it now.

use super::attend;
use super::run::{Ran, finish};
use super::select::RunArgs;
use crate::ending::{Ending, Shown};
use crate::exit::{Done, Exit, Failure};
use crate::global::Global;
use crate::live::{Manner, go};
use crate::printer::Printer;
use crate::progress::{Detail, outcome_words};
use fairtrial_engine::{Controls, Stay};
use fairtrial_journal::{Liveness, RunDir, is_live};
use std::time::{Duration, Instant};

/// Wait until a run is done, then show its result; picks up jobs that were left with a scheduler
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  fairtrial wait my_benchmark && fairtrial compare my_benchmark")]
pub(crate) struct WaitArgs {
    #[command(flatten)]
    run: RunArgs,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// Watch a run as it goes on; picks up jobs that were left with a scheduler
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  fairtrial watch my_benchmark\n\nCtrl-C leaves the run alone.")]
pub(crate) struct WatchArgs {
    #[command(flatten)]
    run: RunArgs,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// How often a run that another process has is looked at.
const LOOK: Duration = Duration::from_millis(500);

pub(crate) fn wait(args: &WaitArgs, global: &Global, printer: Printer) -> Done {
    stay(&args.run.find(global, printer)?, None, args.json, printer)
}

pub(crate) fn watch(args: &WatchArgs, global: &Global, printer: Printer) -> Done {
    stay(
        &args.run.find(global, printer)?,
        Some(Detail::Quiet),
        args.json,
        printer,
    )
}

fn stay(run: &RunDir, detail: Option<Detail>, json: bool, printer: Printer) -> Done {
    let began = Instant::now();
    follow(run, detail, printer)?;
    let state = attend::state(run)?;
    let (request, watched) = attend::request(run, &state, Stay::UntilDone)?;
    let manner = Manner {
        shown: if json { Shown::Json } else { Shown::Text },
        typed: attend::typed(&request),
        detail,
    };
    if attend::is_remote(run, &state) {
        let ran = Ran {
            lived: go(&request, &Controls::default(), &manner, printer)?,
            request: &request,
            watched: watched.as_ref(),
            took: began.elapsed(),
        };
        return finish(ran, &manner, printer);
    }
    let Some((_, status)) = state.closed() else {
        let message = format!("{} {} was cut off", run.name(), run.stamp());
        let hint = format!("`{}` goes on with it", manner.typed.resume(None));
        return Err(Failure::machine(message).hint(hint));
    };
    let report = fairtrial_engine::RunReport {
        run: run.clone(),
        counts: state.counts,
        trials: request.plan.len(),
        ran: 0,
        kept: state.counts.total(),
        status,
        stopped: None,
    };
    if let Some(watched) = &watched {
        watched.recall(run, &state)?;
    }
    let ending = Ending::new((&report, None), &request, watched.as_ref(), printer)?;
    ending.print(manner.shown, &manner.typed, printer);
    if json {
        printer.json(&ending.json());
    }
    Ok(ending.exit())
}

/// Waits while another process has the run, and tells what it does where somebody watches.
fn follow(run: &RunDir, detail: Option<Detail>, printer: Printer) -> Result<Exit, Failure> {
    let mut told = None;
    while let Liveness::Live(holder) = is_live(run)? {
        let state = attend::state(run)?;
        if detail.is_some() && told != Some(state.counts) {
            if let (None, Some(holder)) = (told, &holder) {
                printer.tell(format!("{holder} has this run"));
            }
            told = Some(state.counts);
            let trials = state.opened.as_ref().map_or(0, |opened| opened.trials);
            printer.tell(format!(
                "{}/{trials} completed ({})",
                state.counts.total(),
                outcome_words(&state.counts)
            ));
        }
        std::thread::sleep(LOOK);
    }
    Ok(Exit::Fine)
}
