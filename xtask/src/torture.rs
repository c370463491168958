//! `torture`: the crash tests of the binary in their long mode.

use crate::{Outcome, cargo};

/// Kill, starve and confuse the binary for long, and check that no run is ever lost
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// How often each random case is played
    #[arg(long, default_value_t = 50)]
    rounds: u64,
    /// Make the same random choices as a failed test that printed this seed
    #[arg(long)]
    seed: Option<u64>,
    /// Only tests whose name contains one of these
    #[arg(long, default_values = ["torture::", "killed_at_random"])]
    only: Vec<String>,
}

pub(crate) fn run(args: &Args) -> Outcome {
    let mut tests = cargo();
    tests
        .args(["test", "--package", "fairtrial", "--test", "it", "--"])
        .args(&args.only)
        .arg("--nocapture")
        .env("FAIRTRIAL_TORTURE_ROUNDS", args.rounds.to_string());
    if let Some(seed) = args.seed {
        tests.env("FAIRTRIAL_TORTURE_SEED", seed.to_string());
    }
    if tests.status()?.success() {
        Ok(())
    } else {
        Err("the torture found something".into())
    }
}
