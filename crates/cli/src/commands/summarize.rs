//! `summarize`: the table of a run.

use super::mapping::MappingArgs;
use super::select::RunArgs;
use crate::console::Console;
use crate::exit::{Done, Exit};
use fairtrial_report::{ShownMetrics, SummaryRows, SummaryView};
use std::path::PathBuf;

/// Show a run per task and arm: how the trials ended, and what they measured
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  fairtrial summarize my_benchmark --latest\n  fairtrial summarize my_benchmark --rollout 20250824__12-34-56 --json\n  fairtrial summarize my_benchmark --human-scores human.csv   how right its judges are\n  fairtrial summarize my_benchmark --by case   every setting on a row"
)]
pub(crate) struct Args {
    #[command(flatten)]
    run: RunArgs,
    /// Show every metric, not only those that the spec or its experiments declare, and every row
    #[arg(long, conflicts_with = "json")]
    all: bool,
    /// What has a row of its own besides task, arm and point
    #[arg(long, value_name = "WHAT", conflicts_with = "json")]
    by: Option<By>,
    /// Show a row for each rollout: how it ended, its score, tests, tokens, cost and time
    #[arg(long, conflicts_with_all = ["all", "by"])]
    rollouts: bool,
    /// Keep the scores that people gave to rollouts beside the run, and show how right its judges are: a CSV file with the columns `trial` (or `answer`), `criterion`, `score`
    #[arg(long, value_name = "FILE")]
    human_scores: Option<PathBuf>,
    /// Print the whole summary as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    mapping: MappingArgs,
}

/// Rows of a table without `--all`: more scroll what matters off every screen.
const MOST_ROWS: usize = 100;

/// What has a row of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum By {
    /// Each case of an experiment that goes through many settings
    Case,
}

impl Args {
    fn view(&self) -> SummaryView {
        SummaryView {
            metrics: if self.all {
                ShownMetrics::All
            } else {
                ShownMetrics::Declared
            },
            rows: match self.by {
                Some(By::Case) => SummaryRows::Cases,
                None => SummaryRows::Cells,
            },
        }
    }
}

pub(crate) fn run(args: &Args, console: &Console) -> Done {
    let session = args.mapping.session(console);
    let run = session.find_run(&args.run.choice())?;
    let printer = console.printer;
    if let Some(file) = &args.human_scores {
        session.keep_human_scores(&run, file)?;
    }
    if args.rollouts {
        let records = session.records(&run)?;
        if args.json {
            printer.json(&records);
        } else {
            let table = fairtrial_report::console::each_rollout;
            printer.page(table(&records, printer.terminal()));
        }
        return Ok(Exit::Fine);
    }
    let mut summary = session.summarize(&run)?;
    if args.json {
        printer.json(&summary);
    } else {
        if !args.all {
            summary.cut_to(MOST_ROWS);
        }
        let page = fairtrial_report::console::summary_as;
        printer.page(page(&summary, args.view(), printer.terminal()));
    }
    Ok(Exit::Fine)
}
