//! `summarize`: the table of a run.

use super::select::RunArgs;
use crate::environment;
use crate::exit::{Done, Exit, Failure};
use crate::global::Global;
use crate::printer::Printer;
use fairtrial_analysis::{RunSummary, summarize_run};
use fairtrial_journal::redact::Redactor;
use fairtrial_journal::{Durability, RunDir, is_live, resolved_spec, views, write_atomic_bytes};
use fairtrial_report::markdown::SummaryHeader;
use fairtrial_spec::Spec;

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
}

pub(crate) fn run(args: &Args, global: &Global, printer: Printer) -> Done {
    let run = args.run.find(global, printer)?;
    let spec = resolved_spec(&run)?;
    let summary = summarize_run(&run, &spec)?;
    // The controller keeps the views of a live run; those of one that was cut off are made again here.
    if !is_live(&run)?.is_live() {
        // Where they cannot be kept (an archive, a full disk) the answer is still the answer.
        if let Err(failure) = write_views(&run, &spec, &summary) {
            printer.warn(failure.message);
        }
    }
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

/// Writes `summary.md`, and the other views where they are missing.
pub(crate) fn write_views(run: &RunDir, spec: &Spec, summary: &RunSummary) -> Result<(), Failure> {
    if !run.manifest().exists() {
        views::write_all(run, spec, Durability::Process)?;
    }
    let header = SummaryHeader {
        facts: vec![("spec".to_owned(), spec.source.clone())],
        notes: spec.notes.clone(),
    };
    let text = fairtrial_report::markdown::summary(summary, &header);
    let text = Redactor::from_env(environment::read())
        .redact(&text)
        .into_owned();
    Ok(write_atomic_bytes(
        &run.summary(),
        Durability::Process,
        text.as_bytes(),
    )?)
}
