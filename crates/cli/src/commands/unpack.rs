//! `unpack`: makes the folders of trials whose files are packed in a file of their run.

use super::select::RunArgs;
use crate::console::Console;
use crate::exit::{Done, Exit, Failure};
use fairtrial_text::count::counted;
use serde_json::json;

/// Make the folder of a trial whose files are packed with those of others, as in runs of many trials
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  fairtrial unpack my_benchmark --trial 3\n  fairtrial unpack 20250824__12-34-56-3          a trial by its own name\n  fairtrial unpack my_benchmark --all"
)]
pub(crate) struct Args {
    #[command(flatten)]
    run: RunArgs,
    /// Place of the trial in the plan
    #[arg(long, value_name = "N", conflicts_with = "all")]
    trial: Option<u64>,
    /// Every trial of the run
    #[arg(long)]
    all: bool,
    /// Print the folders as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, console: &Console) -> Done {
    let (session, printer) = (console.session(), console.printer);
    let (run, named) = session.find_trial(&args.run.choice())?;
    let trial = args.trial.or(named);
    if trial.is_none() && !args.all {
        return Err(Failure::input(
            "which trial? name one with `--trial N`, or all of the run with `--all`",
        ));
    }
    let unpacked = session.unpack(&run, trial)?;
    if args.json {
        printer.json(&json!({
            "name": run.name(), "stamp": run.stamp(), "folders": unpacked.folders, "others": unpacked.others,
        }));
        return Ok(Exit::Fine);
    }
    match &unpacked.folders[..] {
        [folder] => printer.line(folder.display().to_string()),
        [] => printer.tell("nothing is packed: trials have their folders"),
        folders => printer.tell(format!(
            "made {} in {}",
            counted(folders.len() as u64, "folder"),
            run.root().runs_dir().display()
        )),
    }
    Ok(Exit::Fine)
}
