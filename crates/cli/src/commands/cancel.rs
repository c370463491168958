//! `cancel`: stop a run from any terminal.

use super::attend;
use super::select::RunArgs;
use crate::exit::{Done, Exit, Failure};
use crate::global::Global;
use crate::printer::Printer;
use crate::time;
use fairtrial_journal::{is_live, request_cancel};
use fairtrial_text::duration::span;
use serde_json::json;
use std::time::{Duration, Instant};

/// Stop a run: what is in flight is ended and marked cancelled, and `run --resume` can go on later
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

/// How often the run is looked at while it stops.
const LOOK: Duration = Duration::from_millis(50);

pub(crate) fn run(args: &Args, global: &Global, printer: Printer) -> Done {
    let run = args.run.find(global, printer)?;
    let named = format!("{} {}", run.name(), run.stamp());
    let began = Instant::now();
    let was_live = is_live(&run)?.is_live();
    if was_live {
        request_cancel(&run, time::now())?;
        while !args.no_wait && is_live(&run)?.is_live() {
            std::thread::sleep(LOOK);
        }
    }
    if !was_live || !args.no_wait {
        // Jobs of a scheduler live without a controller, or are left by one that could not end them: this command
        // becomes their controller for as long as it takes.
        let state = attend::state(&run)?;
        if attend::is_remote(&run, &state) {
            attend::cancel(&run, &state, printer)?;
        } else if !was_live {
            return Err(Failure::input(format!("{named} is not running")));
        }
    }
    if args.json {
        printer
            .json(&json!({ "name": run.name(), "stamp": run.stamp(), "stopped": !args.no_wait }));
    } else if args.no_wait {
        printer.line(format!("{named}: asked to stop"));
    } else {
        printer.line(format!(
            "{named}: stopped after {}",
            span(began.elapsed().as_secs_f64())
        ));
    }
    Ok(Exit::Fine)
}
