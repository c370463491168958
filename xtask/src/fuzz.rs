//! `fuzz`: broken input for every reader, for as long as asked.

use crate::{Outcome, cargo};

/// Feed broken input to every reader, each in turn, until the time is over
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// How long
    #[arg(long, default_value_t = 10)]
    minutes: u64,
    /// At most this many inputs
    #[arg(long)]
    inputs: Option<u64>,
    /// The number of the first input
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Only the readers whose names contain this
    #[arg(long, default_value = "")]
    only: String,
    /// Processes at a time
    #[arg(long, default_value_t = 1)]
    jobs: usize,
}

pub(crate) fn run(args: &Args) -> Outcome {
    let mut fuzz = cargo();
    fuzz.args(["run", "--quiet", "--package", "fairtrial-fuzz", "--"])
        .args(["--minutes", &args.minutes.to_string()])
        .args(["--seed", &args.seed.to_string()])
        .args(["--jobs", &args.jobs.to_string()])
        .args(["--only", &args.only]);
    if let Some(inputs) = args.inputs {
        fuzz.args(["--inputs", &inputs.to_string()]);
    }
    if fuzz.status()?.success() {
        Ok(())
    } else {
        Err("a reader broke".into())
    }
}
