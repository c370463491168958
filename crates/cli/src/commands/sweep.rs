//! `sweep`: what a sweep found — its points in order, and what each parameter does to each metric.

use super::select::RunArgs;
use crate::candidates;
use crate::console::Console;
use crate::exit::{Done, Exit, Failure};
use crate::written;
use fairtrial_analysis::compare::SweepChoice;
use fairtrial_analysis::sensitivity::Sensitivity;
use fairtrial_session::SweepQuestion;
use fairtrial_text::shell_word::shell_word;
use std::path::PathBuf;

/// Rank the points of a sweep and show what each parameter does
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fairtrial sweep my_benchmark                              the newest run
  fairtrial sweep my_benchmark --output sensitivity.svg     with a plot
  fairtrial sweep my_benchmark --metric loss --json
  fairtrial sweep my_benchmark --task train                 where tasks sweep different things

The best of several points looks better than it is: its interval here accounts for that, and `confirm = 15` under \
[analysis] makes `run` try it again on 15 fresh seeds.")]
pub(crate) struct Args {
    #[command(flatten)]
    run: RunArgs,
    /// A metric; the first one given ranks the points [default: the declared ones, else all]
    #[arg(long = "metric", value_name = "METRIC", add = candidates::metrics())]
    metrics: Vec<String>,
    /// Only the trials of this task; needed where tasks sweep different things
    #[arg(long, value_name = "TASK")]
    task: Option<String>,
    /// The control arm [default: the spec's]
    #[arg(long, value_name = "ARM")]
    control: Option<String>,
    /// Two-sided error rate [default: the spec's, else 0.05]
    #[arg(long)]
    alpha: Option<f64>,
    /// Fresh seeds in the confirmation that is proposed
    #[arg(long, default_value_t = 15, value_name = "N")]
    confirm: usize,
    /// Where the plot goes: a .png or .svg file
    #[arg(long, value_name = "PLOT")]
    output: Option<PathBuf>,
    /// Write the result as Markdown
    #[arg(long, value_name = "FILE")]
    md: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// What `--json` prints.
#[derive(serde::Serialize)]
struct Printed<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    choice: Option<&'a SweepChoice>,
    /// By each case, where the metric is in cases alone.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    choices: &'a [SweepChoice],
    sensitivity: &'a [Sensitivity],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    problems: &'a [String],
}

/// How the name of a run that tries a choice again ends.
const CONFIRMS: &str = ".confirm";

/// A run that tries the choice of a sweep again sweeps nothing itself: the sweep is meant.
fn of_a_confirmation(failure: Failure, name: &str) -> Failure {
    match name.strip_suffix(CONFIRMS) {
        Some(of) => failure.hint(format!(
            "it tries the choice of {of} again: `fairtrial sweep {}`",
            shell_word(of)
        )),
        None => failure,
    }
}

pub(crate) fn run(args: &Args, console: &Console) -> Done {
    let picture = args.output.as_deref().map(written::kind_of).transpose()?;
    let files = [args.output.as_deref(), args.md.as_deref()];
    let printer = written::beside(console.printer, files, args.json)?;
    let session = console.session();
    let run = session.find_run(&args.run.choice())?;
    let found = session.sweep(
        &run,
        &SweepQuestion {
            metrics: args.metrics.clone(),
            task: args.task.clone(),
            control: args.control.clone(),
            alpha: args.alpha,
            confirm: args.confirm,
        },
    );
    let found = found.map_err(|error| of_a_confirmation(error.into(), run.name()))?;
    let (choices, effects) = (&found.choices[..], &found.sensitivity);
    let (choice, by_case) = match choices {
        [only] => (Some(only), &[][..]),
        several => (None, several),
    };
    if let (Some(picture), Some(path)) = (picture, &args.output) {
        let figure = fairtrial_report::sweep::figure(effects);
        written::write(printer, path, &picture.bytes(&figure)?)?;
    }
    if let Some(path) = &args.md {
        let text =
            fairtrial_report::markdown::sweep(choices, effects, (found.alpha, &found.problems));
        written::write(printer, path, text.as_bytes())?;
    }
    if args.json {
        printer.json(&Printed {
            choice,
            choices: by_case,
            sensitivity: effects,
            problems: &found.problems,
        });
        return Ok(Exit::Fine);
    }
    printer.page(fairtrial_report::console::sweep(
        choices,
        effects,
        found.alpha,
        printer.terminal(),
    ));
    if let (Some(choice), Some(confirmation)) = (choice, &found.confirmation) {
        let sweep = (run.name(), found.spec.as_deref());
        printer.tell(fairtrial_report::sweep::confirm_sentence(
            choice,
            confirmation,
            sweep,
        ));
    }
    if let Some(path) = &args.output {
        printer.line(format!("Plot saved to: {}", path.display()));
    }
    Ok(Exit::Fine)
}
