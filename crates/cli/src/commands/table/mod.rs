//! `table`: the results tables of a repository, from a run's numbers to the comparison that is posted.

mod behind;
mod blame;
mod check;
mod compare;
mod diff;
mod file;
mod gather;
mod lock;
mod measure;
mod paint;
mod render;
mod suite;
mod update;

use crate::exit::Done;
use crate::global::Global;
use crate::printer::Printer;
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

pub(crate) fn run(args: &Args, global: &Global, printer: Printer) -> Done {
    match &args.command {
        TableCommand::Update(args) => update::run(args, global, printer),
        TableCommand::Compare(args) => compare::run(args, global, printer),
        TableCommand::Check(args) => check::run(args, printer),
        TableCommand::Diff(args) => diff::run(args, printer),
        TableCommand::Render(args) => render::run(args, printer),
        TableCommand::Blame(args) => blame::run(args, printer),
        TableCommand::Measure(args) => measure::run(args, printer),
    }
}
