//! `export`: a run for other tools.

use super::mapping::MappingArgs;
use super::select::RunArgs;
use crate::console::Console;
use crate::exit::{Done, Exit, Failure};
use clap::ValueEnum;
use fairtrial_journal::{Durability, write_atomic_bytes};
use fairtrial_session::{ExportQuestion, Exported, Form, Shape};
use std::path::PathBuf;

/// Write a run in the form of another tool, or push it to your tracker
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fairtrial export bench --to csv --output trials.csv             a row for each trial
  fairtrial export bench --to parquet --output trials.parquet
  fairtrial export bench --to csv --rows series --long            a row for each point of a curve
  fairtrial export bench --to junit --output trials.xml           a test case for each trial
  fairtrial export bench --to mlflow                              through your own mlflow client
  fairtrial export wandb/ --to csv                                another tool's results work, too

Kinds: csv, jsonl, parquet, mlflow, wandb, bmf (Bencher), github-action-benchmark, junit, inspect-csv, hyperfine.")]
pub(crate) struct Args {
    #[command(flatten)]
    run: RunArgs,
    /// The kind of file, or the tracker
    #[arg(long, value_name = "KIND")]
    to: String,
    /// The file [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// What a row of a table is
    #[arg(long, value_enum, default_value_t)]
    rows: RowsChoice,
    /// A row for each number, instead of a column for each metric
    #[arg(long)]
    long: bool,
    #[command(flatten)]
    mapping: MappingArgs,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum RowsChoice {
    /// A trial
    #[default]
    Trials,
    /// An iteration inside a trial, of results that another tool measured
    Samples,
    /// A point of a learning curve
    Series,
}

pub(crate) fn run(args: &Args, console: &Console) -> Done {
    let session = args.mapping.session(console);
    let question = ExportQuestion {
        to: args.to.clone(),
        shape: match args.rows {
            RowsChoice::Trials => Shape::Trials,
            RowsChoice::Samples => Shape::Samples,
            RowsChoice::Series => Shape::Series,
        },
        form: if args.long { Form::Long } else { Form::Wide },
    };
    let run = session.find_run_to_export(&args.run.choice(), &question)?;
    match (session.export(&run, &question)?, &args.output) {
        (Exported::Pushed(said), _) => console.printer.page(said),
        (Exported::File(bytes), Some(path)) => {
            write_atomic_bytes(path, Durability::Process, &bytes)?;
        }
        (Exported::File(bytes), None) => {
            let text = String::from_utf8(bytes).map_err(|_| {
                Failure::input("this kind of file is no text").hint("name a file with --output")
            })?;
            console.printer.log(text.trim_end());
        }
    }
    Ok(Exit::Fine)
}
