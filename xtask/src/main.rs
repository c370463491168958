//! Repository chores: `cargo xtask help` lists them. Each chore is one module.
#![forbid(unsafe_code)]
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a chore talks to the person who started it"
)]

mod bench;
mod dist;
mod error_rates;
mod fuzz;
mod small;
mod structure;
mod torture;

use clap::Parser;
use std::process::ExitCode;

/// Why a chore failed, for the person who started it.
type Outcome = Result<(), Box<dyn std::error::Error>>;

/// Repository chores of Fairtrial
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
enum Chore {
    Bench(bench::Args),
    Dist(dist::Args),
    ErrorRates(error_rates::Args),
    Fuzz(fuzz::Args),
    Small(small::Args),
    Structure(structure::Args),
    Torture(torture::Args),
}

fn main() -> ExitCode {
    let done = match Chore::parse() {
        Chore::Bench(args) => bench::run(&args),
        Chore::Dist(args) => dist::run(&args),
        Chore::ErrorRates(args) => error_rates::run(&args),
        Chore::Fuzz(args) => fuzz::run(&args),
        Chore::Small(args) => small::run(&args),
        Chore::Structure(args) => structure::run(&args),
        Chore::Torture(args) => torture::run(&args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The top of the repository.
fn repository() -> &'static std::path::Path {
    let manifest = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.parent().unwrap_or(manifest)
}

/// The `cargo` that started this chore.
fn cargo() -> std::process::Command {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = std::process::Command::new(program);
    command.current_dir(repository());
    command
}
