//! `sweep`: what a sweep found — its points in order, and what each parameter does to each metric.

use super::select::RunArgs;
use crate::exit::{Done, Exit, Failure};
use crate::global::Global;
use crate::picture::Picture;
use crate::printer::Printer;
use crate::sources::open_run;
use fairtrial_analysis::compare::{SweepChoice, choose};
use fairtrial_analysis::confirm::Confirmation;
use fairtrial_analysis::sensitivity::{Sensitivity, sensitivity};
use fairtrial_analysis::{AnalysisError, CompareOptions, Dataset};
use fairtrial_journal::{Durability, write_atomic_bytes};
use fairtrial_spec::DEFAULT_ALPHA;
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
    #[arg(long = "metric", value_name = "METRIC")]
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
    sensitivity: &'a [Sensitivity],
}

pub(crate) fn run(args: &Args, global: &Global, printer: Printer) -> Done {
    let picture = args.output.as_deref().map(Picture::of).transpose()?;
    let run = args.run.find(global, printer)?;
    let mut source = open_run(&run, printer)?;
    if let Some(task) = &args.task {
        source.data = source.data.of_task(task)?;
    }
    let spec = source.spec.as_ref();
    let options = CompareOptions {
        alpha: args
            .alpha
            .or(spec.map(|spec| spec.analysis.alpha()))
            .unwrap_or(DEFAULT_ALPHA),
        control: args.control.clone(),
        metrics: args.metrics.clone(),
        primary: spec.and_then(|spec| spec.analysis.metric.clone()),
        ..CompareOptions::default()
    };
    let effects = effects(&source.data, &args.metrics, options.alpha)?;
    let choice = match choose(&source.data, &options, args.confirm) {
        Ok(choice) => Some(choice),
        Err(AnalysisError::Question(why)) => {
            printer.tell(format!("no point is named best: {why}"));
            None
        }
        Err(error) => return Err(error.into()),
    };
    if let (Some(picture), Some(path)) = (picture, &args.output) {
        picture.write(&fairtrial_report::sweep::figure(&effects), path)?;
    }
    if let Some(path) = &args.md {
        let text = fairtrial_report::markdown::sweep(choice.as_ref(), &effects, options.alpha);
        write_atomic_bytes(path, Durability::Process, text.as_bytes())?;
    }
    if args.json {
        printer.json(&Printed {
            choice: choice.as_ref(),
            sensitivity: &effects,
        });
        return Ok(Exit::Fine);
    }
    printer.page(fairtrial_report::console::sweep(
        choice.as_ref(),
        &effects,
        options.alpha,
        printer.terminal(),
    ));
    if let (Some(choice), Some(spec)) = (&choice, spec) {
        let sweep = (run.name(), Some(spec.source.as_str()));
        let confirmation = Confirmation::of(&run, spec)?;
        let words = fairtrial_report::sweep::confirm_sentence(choice, &confirmation, sweep);
        printer.tell(words);
    }
    if let Some(path) = &args.output {
        printer.line(format!("Plot saved to: {}", path.display()));
    }
    Ok(Exit::Fine)
}

/// What the parameters do to each metric that was asked for; the declared ones, else all, where none was.
fn effects(data: &Dataset, asked: &[String], alpha: f64) -> Result<Vec<Sensitivity>, Failure> {
    let reported = data.metric_names();
    let declared = reported
        .iter()
        .filter(|name| data.declaration(name).is_some());
    let mut names: Vec<String> = declared.cloned().collect();
    if !asked.is_empty() {
        names = asked.to_vec();
    } else if names.is_empty() {
        names = reported;
    }
    let effects = names
        .iter()
        .map(|name| sensitivity(data, Some(name), alpha))
        .collect::<Result<_, _>>();
    Ok(effects?)
}
