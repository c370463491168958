//! `variance`: how noisy runs are, and how many of them are enough.

use super::curve_window::WindowArgs;
use super::mapping::MappingArgs;
use crate::candidates;
use crate::console::Console;
use crate::exit::{Done, Exit};
use crate::written;
use fairtrial_analysis::curves::SummaryRule;
use fairtrial_analysis::variance::{DeclaredSummary, VarianceQuestion, variance};
use fairtrial_spec::Filter;
use std::path::PathBuf;

/// Show how much runs of one arm vary, and how many of them make the mean precise enough
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fairtrial variance pilot:control --metric overview/reward --threshold 0.05
  fairtrial variance run1.csv run2.csv run3.csv --output variance.svg
  fairtrial variance --from histories.csv run1 run2 run3
  fairtrial variance suite:control --only task=hard,lr=0.1

A run is FILE.csv#RUN, a path of a CSV or JSONL history, a run of --from, a trial of ours (<stamp>-<index>), or \
NAME[/STAMP][:ARM[:SEED]] for all trials of a run, of one of its arms, or of one seed. All must be of one arm, one task and one point of a sweep. Where the spec declares a \
summary, the numbers are its; a --summary flag asks for areas and slopes instead.")]
pub(crate) struct Args {
    /// The runs
    #[arg(required = true, num_args = 1.., value_name = "RUN")]
    runs: Vec<String>,
    /// Of the trials of a run of ours, only these, as task=hard,lr=0.1
    #[arg(long, value_name = "FILTER", value_parser = Filter::parse)]
    only: Option<Filter>,
    /// The metric [default: the primary one of our run that comes first, else overview/reward]
    #[arg(long, value_name = "KEY", add = candidates::metrics())]
    metric: Option<String>,
    /// The spread, and the half-width of the mean's interval, that is asked for: 0.05 means 5 %
    #[arg(long, default_value_t = 0.05, value_name = "SHARE")]
    threshold: f64,
    #[command(flatten)]
    window: WindowArgs,
    /// Draw it into this file, a .png or .svg; `-` is standard output, as SVG
    #[arg(long, value_name = "PLOT")]
    output: Option<PathBuf>,
    /// A table with a run_id column, or a folder of histories, in which runs are looked for
    #[arg(long, value_name = "PATH")]
    from: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    mapping: MappingArgs,
}

pub(crate) fn run(args: &Args, console: &Console) -> Done {
    let output = args.output.as_deref();
    let picture = output.map(written::kind_of).transpose()?;
    let printer = written::beside(console.printer, [output], args.json)?;
    let session = args.mapping.session(console);
    let metric = match &args.metric {
        Some(metric) => metric.clone(),
        None => session.curve_metric(&args.runs[0])?,
    };
    let question = VarianceQuestion {
        threshold: args.threshold,
        summary: SummaryRule {
            window: args.window.window(),
            scale: args.window.scale(),
            ..SummaryRule::default()
        },
        declared: match args.window.given() {
            None => DeclaredSummary::Used,
            Some(_) => DeclaredSummary::Ignored,
        },
        ..VarianceQuestion::new(&metric)
    };
    question.check()?;
    let mut histories = session.histories(args.from.clone(), args.only.clone());
    let runs = histories.read(&args.runs, &metric)?;
    session.tell_sources(&mut histories)?;
    session.tell_problems_of_curves(&runs);
    let found = variance(&runs, &question)?;
    if let Some((picture, output)) = picture.zip(output) {
        let figure = fairtrial_report::variance::figure(&found);
        written::write(printer, output, &picture.bytes(&figure)?)?;
    }
    if args.json {
        printer.json(&found);
    } else {
        printer.page(fairtrial_report::console::variance(
            &found,
            printer.terminal(),
        ));
        if let Some(output) = output.filter(|path| !written::is_stdout(path)) {
            printer.line(format!("Plot saved to: {}", output.display()));
        }
    }
    Ok(Exit::Fine)
}
