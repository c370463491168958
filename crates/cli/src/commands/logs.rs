//! `logs`: what a trial, or the job that ran it, wrote.

use super::attend;
use super::select::RunArgs;
use crate::exit::{Done, Exit, Failure};
use crate::global::Global;
use crate::printer::Printer;
use fairtrial_engine::remote;
use fairtrial_episode::open_regular;
use fairtrial_journal::{RecordFile, RunDir, RunState, TrialState, resolved_spec};
use fairtrial_model::Outcome;
use serde_json::json;
use std::io::Read;

/// Print what a trial wrote, or the job that ran it
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  fairtrial logs my_benchmark --trial 3\n  fairtrial logs my_benchmark --trial 3 --stderr\n  fairtrial logs my_benchmark --trial 3 --job"
)]
pub(crate) struct Args {
    #[command(flatten)]
    run: RunArgs,
    /// Place of the trial in the plan
    #[arg(long, value_name = "N")]
    trial: u64,
    /// Which attempt [default: the newest that was started]
    #[arg(long, value_name = "N")]
    attempt: Option<u32>,
    /// Standard error in place of standard output
    #[arg(long, conflicts_with = "job")]
    stderr: bool,
    /// What the scheduler's job wrote, in place of the trial
    #[arg(long)]
    job: bool,
    /// Print it as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, global: &Global, printer: Printer) -> Done {
    let run = args.run.find(global, printer)?;
    let state = attend::state(&run)?;
    let trial = state.trial(args.trial);
    let newest = trial.started.max(trial.finished);
    let attempt = args.attempt.unwrap_or(newest);
    if newest == 0 {
        let trials = state.opened.as_ref().map_or(0, |opened| opened.trials);
        let message = format!("trial {} of {} was not started", args.trial, run.name());
        return Err(Failure::input(message).hint(format!("the run has {trials} trials, from 0")));
    }
    if let Some(failure) = ended_unstarted(&run, args.trial, &trial) {
        return Err(failure);
    }
    let text = if args.job {
        job_log(&run, &state, args.trial, attempt)?
    } else {
        trial_log(&run, args, attempt)?
    };
    if args.json {
        printer.json(&json!({
            "name": run.name(), "stamp": run.stamp(), "trial": args.trial, "attempt": attempt, "text": text,
        }));
    } else {
        // As the trial wrote it, colours and all.
        printer.log(text.trim_end_matches('\n'));
    }
    Ok(Exit::Fine)
}

/// How a trial ended that has a record and was never started; nothing for others.
fn ended_unstarted(run: &RunDir, index: u64, trial: &TrialState) -> Option<Failure> {
    let ended = trial.outcome.filter(|outcome| {
        trial.started == 0 && matches!(outcome, Outcome::Skipped | Outcome::Cancelled)
    })?;
    let record = RecordFile::open(&run.journal()).ok()?.record(trial).ok()?;
    let cause = record.and_then(|record| record.cause);
    let why = cause.map_or(String::new(), |cause| format!(": {cause}"));
    let message = format!("trial {index} of {} was {}{why}", run.name(), ended.word());
    Some(Failure::input(message).hint("it never ran, so it wrote nothing"))
}

fn trial_log(run: &RunDir, args: &Args, attempt: u32) -> Result<String, Failure> {
    let name = if args.stderr {
        "stderr.log"
    } else {
        "stdout.log"
    };
    let path = run.trial_dir(args.trial, attempt).join("logs").join(name);
    let mut bytes = Vec::new();
    let read = open_regular(&path).and_then(|mut file| file.read_to_end(&mut bytes));
    read.map_err(|error| {
        Failure::input(format!("cannot read {}: {error}", path.display()))
            .hint("a trial that waits in a queue has written nothing yet; `--job` shows what its job wrote")
    })?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn job_log(run: &RunDir, state: &RunState, trial: u64, attempt: u32) -> Result<String, Failure> {
    let spec = resolved_spec(run)?;
    let program = std::env::current_exe().unwrap_or_default();
    let logs = remote::job_log(run, state, &spec, &program, (trial, attempt));
    match logs {
        Ok(Some(text)) => Ok(text),
        Ok(None) => Err(Failure::input(format!(
            "attempt {attempt} of trial {trial} was in no scheduler's job"
        ))),
        Err(error) => Err(Failure::machine(error.to_string())),
    }
}
