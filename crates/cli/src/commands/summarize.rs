//! `summarize`: the table of a run.

use super::mapping::MappingArgs;
use super::select::RunArgs;
use crate::console::Console;
use crate::exit::{Done, Exit};

/// Show a run per task and arm: how the trials ended, and what they measured
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  fairtrial summarize my_benchmark --latest\n  fairtrial summarize my_benchmark --rollout 20250824__12-34-56 --json"
)]
pub(crate) struct Args {
    #[command(flatten)]
    run: RunArgs,
    /// Print the summary as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    mapping: MappingArgs,
}

pub(crate) fn run(args: &Args, console: &Console) -> Done {
    let session = args.mapping.session(console);
    let run = session.find_run(&args.run.choice())?;
    let summary = session.summarize(&run)?;
    let printer = console.printer;
    if args.json {
        printer.json(&summary);
    } else {
        printer.page(fairtrial_report::console::summary(
            &summary,
            printer.terminal(),
        ));
    }
    Ok(Exit::Fine)
}
