//! `logs`: what a trial, or the job that ran it, wrote.

use super::select::RunArgs;
use crate::console::Console;
use crate::exit::{Done, Exit};
use fairtrial_session::LogKind;
use serde_json::json;

/// Print what a trial wrote (for an agent's: setup, agent, tests, scores), or the job that ran it
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  fairtrial logs my_benchmark --stderr           the trial that failed last\n  fairtrial logs my_benchmark --trial 3\n  fairtrial logs my_benchmark --trial 3 --stderr\n  fairtrial logs my_benchmark --trial 3 --job\n  fairtrial logs 20250824__12-34-56-3            a trial by its own name"
)]
pub(crate) struct Args {
    #[command(flatten)]
    run: RunArgs,
    /// Place of the trial in the plan [default: the one that failed last]
    #[arg(long, value_name = "N")]
    trial: Option<u64>,
    /// Which attempt [default: the newest that was started]
    #[arg(long, value_name = "N")]
    attempt: Option<u32>,
    /// Standard error in place of standard output [default: only where that is empty]
    #[arg(long, conflicts_with = "job")]
    stderr: bool,
    /// What the scheduler's job wrote, in place of the trial
    #[arg(long)]
    job: bool,
    /// Print it as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, console: &Console) -> Done {
    let session = console.session();
    let (run, named) = session.find_trial(&args.run.choice())?;
    let trial = args.trial.or(named);
    let kind = match (args.job, args.stderr) {
        (true, _) => LogKind::Job,
        (false, true) => LogKind::Stderr,
        (false, false) => LogKind::Stdout,
    };
    let mut log = session.log(&run, trial, args.attempt, kind)?;
    let mut what = "";
    if kind == LogKind::Stdout && log.text.trim().is_empty() {
        let other = session.log(&run, Some(log.trial), Some(log.attempt), LogKind::Stderr)?;
        if !other.text.trim().is_empty() {
            what = ": nothing on standard output; this is standard error";
            log = other;
        }
    }
    if trial.is_none() || !what.is_empty() {
        console.printer.tell(format!("trial {}{what}", log.trial));
    }
    if args.json {
        console.printer.json(&json!({
            "name": run.name(), "stamp": run.stamp(), "trial": log.trial, "attempt": log.attempt, "text": log.text,
        }));
    } else {
        // As the trial wrote it, colours and all.
        let text = log.text.trim_end_matches('\n');
        console.printer.log(text);
    }
    Ok(Exit::Fine)
}
