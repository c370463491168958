//! `cargo xtask error-rates`: simulates what the verdicts promise and writes the page that shows it.

use crate::{Outcome, cargo, repository};

/// Where the page lies.
const PAGE: &str = "docs/reference/error-rates.md";

/// Simulate false verdicts, power and coverage, and write docs/reference/error-rates.md (minutes)
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Simulated comparisons behind each number
    #[arg(long, default_value_t = 2_000)]
    comparisons: u64,
}

pub(crate) fn run(args: &Args) -> Outcome {
    let mut command = cargo();
    command.args([
        "run",
        "--release",
        "--quiet",
        "-p",
        "fairtrial-analysis",
        "--example",
    ]);
    command.args(["error_rates", "--", &args.comparisons.to_string()]);
    let output = command.stderr(std::process::Stdio::inherit()).output()?;
    if !output.status.success() {
        return Err("the simulation did not end well".into());
    }
    std::fs::write(repository().join(PAGE), &output.stdout)?;
    println!("wrote {PAGE}");
    Ok(())
}
