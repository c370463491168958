//! `history`: a benchmark over months, and where its level changed.

use crate::candidates;
use crate::console::Console;
use crate::exit::{Done, Exit, Failure};
use crate::written;
use fairtrial_analysis::history::{AskedLines, BenchmarkHistory, HistoryLine, SinceWord};
use fairtrial_report::history::RunRows;
use fairtrial_session::{HistoryOrder, HistoryQuestion};
use std::path::PathBuf;

/// Show a benchmark over all its runs, and where the level of a metric changed
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fairtrial history bench                         every declared metric, changes first
  fairtrial history bench --metric time --runs    one metric, run by run
  fairtrial history bench --since main            did anything change that is not on main?
  fairtrial history results.csv --by commit       the revisions of a results table in git

RunRows that were not measured alike (another machine for a timing, another command, another definition) stand in lines of \
their own.

Exit codes: with --since 1 where something is worse since then, 4 where too few runs were made since then to tell; \
without it 0.")]
pub(crate) struct Args {
    /// The benchmark, or a results table in a repository (FILE.csv)
    #[arg(add = candidates::runs())]
    name: String,
    /// A metric; may be repeated [default: the declared ones]
    #[arg(long = "metric", value_name = "KEY", add = candidates::metrics())]
    metrics: Vec<String>,
    /// Only this task
    #[arg(long)]
    task: Option<String>,
    /// Only this arm
    #[arg(long, add = candidates::arms())]
    arm: Option<String>,
    /// In what order runs stand
    #[arg(long, value_enum, default_value_t = By::Time)]
    by: By,
    /// Only runs of this branch
    #[arg(long)]
    branch: Option<String>,
    /// Only runs on the machine with this host name
    #[arg(long, value_name = "HOST")]
    machine: Option<String>,
    /// Ask whether anything changed after this revision, day (2025-08-24) or run's stamp
    #[arg(long, value_name = "X")]
    since: Option<String>,
    /// The share of unchanged lines that may show a change [default: 0.01]
    #[arg(long)]
    alpha: Option<f64>,
    /// Show every run of each line
    #[arg(long)]
    runs: bool,
    /// Write the history as Markdown
    #[arg(long, value_name = "FILE")]
    md: Option<PathBuf>,
    /// Draw the line that changed most: a .svg or .png file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Print the history as JSON
    #[arg(long)]
    json: bool,
}

/// In what order runs stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum By {
    /// By the time of the run
    Time,
    /// By the place of its commit in the repository
    Commit,
}

pub(crate) fn run(args: &Args, console: &Console) -> Done {
    let picture = args.svg.as_deref().map(written::kind_of).transpose()?;
    let printer = written::beside(
        console.printer,
        [args.svg.as_deref(), args.md.as_deref()],
        args.json,
    )?;
    let history = console.session().history(&args.question())?;
    if let Some((picture, path)) = picture.zip(args.svg.as_deref()) {
        let line = drawn(&history)?;
        let figure = fairtrial_report::history::figure(&history, line);
        written::write(printer, path, &picture.bytes(&figure)?)?;
    }
    let runs = if args.runs {
        RunRows::Each
    } else {
        RunRows::InLines
    };
    if let Some(path) = &args.md {
        let text = fairtrial_report::markdown::history(&history, runs);
        written::write(printer, path, text.as_bytes())?;
    }
    if args.json {
        printer.json(&history);
    } else {
        printer.page(fairtrial_report::console::history(
            &history,
            runs,
            printer.terminal(),
        ));
    }
    Ok(match history.since.map(|since| since.word) {
        Some(SinceWord::Regressed) => Exit::Failed,
        Some(SinceWord::TooFewRuns) => Exit::Inconclusive,
        Some(SinceWord::Improved | SinceWord::Unchanged) | None => Exit::Fine,
    })
}

/// The line that is drawn: that of the first change, else the first of all.
fn drawn(history: &BenchmarkHistory) -> Result<&HistoryLine, Failure> {
    let changed = history.changes().first().map(|(line, _)| *line);
    let line = changed.or(history.lines.first());
    line.ok_or_else(|| Failure::input("there is nothing to draw"))
}

impl Args {
    fn question(&self) -> HistoryQuestion {
        HistoryQuestion {
            name: self.name.clone(),
            asked: AskedLines {
                metrics: self.metrics.clone(),
                task: self.task.clone(),
                arm: self.arm.clone(),
                alpha: self.alpha,
            },
            order: match self.by {
                By::Time => HistoryOrder::Time,
                By::Commit => HistoryOrder::Commit,
            },
            branch: self.branch.clone(),
            machine: self.machine.clone(),
            since: self.since.clone(),
        }
    }
}
