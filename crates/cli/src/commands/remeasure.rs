//! `remeasure`: reads the metrics of a run's trials again from their files, by the spec as it is now.

use super::select::RunArgs;
use crate::console::Console;
use crate::exit::{Done, Exit};
use crate::words::remeasured_words;
use serde_json::json;
use std::path::PathBuf;

/// Measure the trials of a run again by the spec as it is now, without running any
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The metrics of the spec replace those of the run: a new one, another summary, file, key, step or `required`. What \
                  was measured before stays in the journal.\n\nExamples:\n  fairtrial remeasure my_benchmark\n  fairtrial \
                  remeasure my_benchmark --rollout 20250824__12-34-56 --spec other.toml --json"
)]
pub(crate) struct Args {
    #[command(flatten)]
    run: RunArgs,
    /// The spec that declares the metrics [default: the file that the run was started with]
    #[arg(long, value_name = "FILE")]
    spec: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, console: &Console) -> Done {
    let (session, printer) = (console.session(), console.printer);
    let run = session.find_run(&args.run.choice())?;
    let remeasured = session.remeasure(&run, args.spec.as_deref())?;
    if args.json {
        printer.json(&json!({
            "name": run.name(), "stamp": run.stamp(), "spec": remeasured.spec,
            "measured": remeasured.measured, "summary": remeasured.summary,
        }));
        return Ok(Exit::Fine);
    }
    printer.page(fairtrial_report::console::summary(
        &remeasured.summary,
        printer.terminal(),
    ));
    for metric in &remeasured.measured.metrics {
        let (name, values) = (&metric.name, metric.values);
        let lost = match metric.lost {
            0 => String::new(),
            lost => format!("; {lost} trials have none any more"),
        };
        let said = format!("{name}: {values} values, {} changed{lost}", metric.changed);
        printer.tell(said);
    }
    printer.tell(remeasured_words(&remeasured.measured));
    Ok(Exit::Fine)
}
