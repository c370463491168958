//! `fuzz`: broken files of other tools, for as long as asked.

use crate::{Outcome, cargo};

/// Feed broken files to the readers of other tools' results, each kind in turn, until the time is over
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// How long
    #[arg(long, default_value_t = 10)]
    minutes: u64,
    /// Make the same changes as a run that printed this seed
    #[arg(long)]
    seed: Option<u64>,
}

pub(crate) fn run(args: &Args) -> Outcome {
    let mut tests = cargo();
    tests
        .args(["test", "--release", "--package", "fairtrial-interop"])
        .args(["--test", "it", "--", "readers_survive", "--nocapture"])
        .env("FAIRTRIAL_FUZZ_MINUTES", args.minutes.to_string());
    if let Some(seed) = args.seed {
        tests.env("FAIRTRIAL_FUZZ_SEED", seed.to_string());
    }
    if tests.status()?.success() {
        Ok(())
    } else {
        Err("a reader broke".into())
    }
}
