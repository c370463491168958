//! `cancel`: stop a run from any terminal.

use super::select::RunArgs;
use crate::console::Console;
use crate::exit::{Done, Exit};
use crate::run_display::{RunDisplay, Shown};
use fairtrial_session::{CancelWait, Cancelled};
use fairtrial_text::duration::span;
use serde_json::json;

/// Stop a run: what is in flight is ended and marked cancelled, and `run --resume` can continue it later
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  fairtrial cancel my_benchmark")]
pub(crate) struct Args {
    #[command(flatten)]
    run: RunArgs,
    /// Do not wait until the run has stopped
    #[arg(long)]
    no_wait: bool,
    /// Print what came of it as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, console: &Console) -> Done {
    let printer = console.printer;
    let display = RunDisplay::new(console, Shown::Json, None);
    let (session, controls) = console.attending_session(display);
    let run = session.find_run(&args.run.choice())?;
    let wait = if args.no_wait {
        CancelWait::No
    } else {
        CancelWait::UntilStopped
    };
    let cancelled = session.cancel(&run, wait, &controls)?;
    let named = format!("{} {}", run.name(), run.stamp());
    if args.json {
        printer
            .json(&json!({ "name": run.name(), "stamp": run.stamp(), "stopped": !args.no_wait }));
        return Ok(Exit::Fine);
    }
    printer.line(match cancelled {
        Cancelled::Asked => format!("{named}: asked to stop"),
        Cancelled::Stopped(after) => {
            format!("{named}: stopped after {}", span(after.as_secs_f64()))
        }
    });
    Ok(Exit::Fine)
}
