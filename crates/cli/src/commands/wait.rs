//! `wait` and `watch`: stay with a run until it is done, from any terminal, whoever controls it now.

use super::select::RunArgs;
use crate::console::Console;
use crate::exit::{Done, Exit};
use crate::progress::Detail;
use crate::run_display::{RunDisplay, Shown};
use crate::watch::{self, Left};
use fairtrial_journal::is_live;

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

/// Watch a run while it runs; picks up jobs that were left with a scheduler
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  fairtrial watch my_benchmark

On a terminal it takes the whole screen while it runs: q leaves, up and down choose a trial, l shows its log, \
p pauses the run or continues it, c cancels it. Elsewhere it prints lines. Leaving does nothing to the run.")]
pub(crate) struct WatchArgs {
    #[command(flatten)]
    run: RunArgs,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn wait(args: &WaitArgs, console: &Console) -> Done {
    stay(&args.run, None, Shown::json(args.json), console)
}

pub(crate) fn watch(args: &WatchArgs, console: &Console) -> Done {
    if !args.json && watch::is_possible() {
        let session = console.session();
        let run = session.find_run(&args.run.choice())?;
        if is_live(&run).is_ok_and(|standing| standing.is_live())
            && watch::watch(&session, &run, console)? == Left::ByKey
        {
            return Ok(Exit::Fine);
        }
    }
    let detail = Some(Detail::Quiet);
    stay(&args.run, detail, Shown::json(args.json), console)
}

fn stay(run: &RunArgs, detail: Option<Detail>, shown: Shown, console: &Console) -> Done {
    let display = RunDisplay::new(console, shown, detail);
    let (session, controls) = console.attending_session(display);
    let run = session.find_run(&run.choice())?;
    let result = session.wait(&run, &controls)?;
    if shown == Shown::Json {
        console.printer.json(&result.json());
    }
    Ok(result.end().into())
}
