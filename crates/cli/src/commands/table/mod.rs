//! `table`: the results tables of a repository, from a run's numbers to the comparison that is posted.

mod blame;
mod check;
mod compare;
mod diff;
mod measure;
mod paint;
mod render;
mod suite;
mod update;

use crate::console::Console;
use crate::exit::Done;
use clap::Subcommand;

/// Results tables (CSV files kept in a repository): update, check, render, compare
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fairtrial run suite.toml                                     run the experiments
  fairtrial table compare benchmarks/main.csv --from suite     the table to post, with ✅ ❌ ⬜ ns
  fairtrial table update benchmarks/main.csv --from suite      write the numbers into the table
  fairtrial table check benchmarks/*.csv --spec suite.toml     stale, missing and broken rows
  fairtrial table blame benchmarks/main.csv                    where each row came from

A table may be named as it is in a revision: benchmarks/main.csv@main")]
pub(crate) struct Args {
    #[command(subcommand)]
    command: TableCommand,
}

#[derive(Debug, Subcommand)]
enum TableCommand {
    Update(update::Args),
    Compare(compare::Args),
    Check(check::Args),
    Diff(diff::Args),
    Render(render::Args),
    Blame(blame::Args),
    Measure(measure::Args),
}

pub(crate) fn run(args: &Args, console: &Console) -> Done {
    match &args.command {
        TableCommand::Update(args) => update::run(args, console),
        TableCommand::Compare(args) => compare::run(args, console),
        TableCommand::Check(args) => check::run(args, console),
        TableCommand::Diff(args) => diff::run(args, console.printer),
        TableCommand::Render(args) => render::run(args, console.printer),
        TableCommand::Blame(args) => blame::run(args, console),
        TableCommand::Measure(args) => measure::run(args, console),
    }
}
