//! `export`: a run for other tools.

use super::mapping::MappingArgs;
use super::select::RunArgs;
use crate::console::Console;
use crate::exit::{Done, Exit, Failure};
use crate::written;
use clap::ValueEnum;
use fairtrial_session::{ExportQuestion, Exported, Form, Shape};
use std::path::{Path, PathBuf};
use std::{fs, io};

/// Write a run in the form of another tool, or push it to your tracker
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fairtrial export bench --to csv --output trials.csv             a row for each trial
  fairtrial export bench --to parquet --output trials.parquet
  fairtrial export bench --to csv --rows series --long            a row for each point of a curve
  fairtrial export bench --to junit --output trials.xml           a test case for each trial
  fairtrial export bench --to harbor --output jobs/bench          rollouts, for `harbor view jobs`
  fairtrial export bench --to mlflow                              through your own mlflow client
  fairtrial export wandb/ --to csv                                another tool's results work, too

Kinds: csv, jsonl, parquet, mlflow, wandb, bmf (Bencher), github-action-benchmark, junit, inspect-csv, hyperfine, harbor
(a job folder of Harbor).")]
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
        (Exported::Folder { files, copies }, Some(path)) => {
            write_folder(path, &files, &copies)?;
            console
                .printer
                .tell(format!("{} is a job folder of Harbor", path.display()));
        }
        (Exported::Folder { .. }, None) => {
            let failure = Failure::input("a job folder needs a place");
            return Err(failure.hint("name a folder that is not there yet with --output jobs/NAME"));
        }
        (Exported::Pushed(said), _) => console.printer.page(said),
        (Exported::File(bytes), Some(path)) => {
            written::write(console.printer, path, &bytes)?;
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

/// Writes a folder that is not there yet.
fn write_folder(
    folder: &Path,
    files: &[(String, String)],
    copies: &[(PathBuf, String)],
) -> Result<(), Failure> {
    let failed = |path: &Path, error: &io::Error| {
        Failure::machine(format!("could not write {}: {error}", path.display()))
    };
    if folder.exists() {
        let failure = Failure::input(format!("{} is there already", folder.display()));
        return Err(failure.hint("name a folder that is not there yet"));
    }
    let place = |name: &str| {
        let path = folder.join(name);
        let parent = path.parent().unwrap_or(folder);
        fs::create_dir_all(parent)
            .map(|()| path)
            .map_err(|error| failed(folder, &error))
    };
    for (from, name) in copies {
        let path = place(name)?;
        fs::copy(from, &path).map_err(|error| failed(&path, &error))?;
    }
    for (name, text) in files {
        let path = place(name)?;
        fs::write(&path, text).map_err(|error| failed(&path, &error))?;
    }
    Ok(())
}
