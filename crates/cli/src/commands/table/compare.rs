//! `table compare`: the table that people post, with one mark per line and the noise it was judged by.

use super::paint::Paint;
use super::suite::SuiteArgs;
use crate::commands::choices::AcceptChoice;
use crate::console::Console;
use crate::exit::{Done, Exit};
use crate::written;
use clap::ValueEnum;
use fairtrial_analysis::dataset::FactKind;
use fairtrial_analysis::tables::{Mark, MarkRule, Posted};
use fairtrial_session::tables::TableQuestion;
use serde_json::json;
use std::path::PathBuf;

/// Compare results with a table, line by line, with ✅ better, ❌ worse, ⬜ equal, ns within noise, ? noise not known, — missing
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fairtrial table compare benchmarks/main.csv --from suite   the newest run against the table
  fairtrial table compare benchmarks/main.csv@main benchmarks/main.csv --spec suite.toml
  fairtrial table compare main.csv --from suite --baseline suite/20250824__12-34-56
  fairtrial table compare main.csv --from suite --rule exact any difference counts

The noise comes from repeated trials, from the episodes of both sides, from counts, or from a declared margin; each \
line says which. With --json the comparison behind every line is printed too.")]
pub(super) struct Args {
    /// The table to beat; `FILE.csv@REVISION` for one in the repository's history
    baseline_table: String,
    /// Another table to compare with it
    #[arg(required_unless_present = "from")]
    proposed_table: Option<String>,
    /// The run to compare with it: `NAME` (its newest), `NAME/STAMP` or a run's folder
    #[arg(long, value_name = "RUN", conflicts_with = "proposed_table")]
    from: Option<String>,
    /// Compare with the numbers of this run instead of the table's; a row that it does not have is the table's
    #[arg(long, value_name = "RUN")]
    baseline: Option<String>,
    #[command(flatten)]
    suite: SuiteArgs,
    /// The table's name in the spec, where its file does not tell
    #[arg(long, value_name = "NAME")]
    table: Option<String>,
    /// Only these rows; `*` stands for any text
    #[arg(long, value_name = "PATTERN", value_delimiter = ',')]
    rows: Vec<String>,
    /// What counts as a change
    #[arg(long, value_enum, default_value_t = RuleChoice::Noise)]
    rule: RuleChoice,
    /// Two-sided error rate, for each metric over all experiments [default: the spec's, else 0.05]
    #[arg(long)]
    alpha: Option<f64>,
    /// A difference between the sides to accept; may be given again
    #[arg(long, value_enum, value_name = "WHAT")]
    accept: Vec<AcceptChoice>,
    /// Exit with code 1 where a line has one of these marks
    #[arg(long, value_enum, value_delimiter = ',', value_name = "MARK")]
    fail_on: Vec<MarkChoice>,
    /// Write the Markdown to this file too
    #[arg(long, value_name = "FILE")]
    md: Option<PathBuf>,
    /// Print the lines as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum RuleChoice {
    /// Only a difference beyond noise counts
    Noise,
    /// Any difference counts
    Exact,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum MarkChoice {
    Better,
    Worse,
    Equal,
    Changed,
    Ns,
    Unknown,
    Missing,
}

pub(super) fn run(args: &Args, console: &Console) -> Done {
    let printer = written::beside(console.printer, [args.md.as_deref()], args.json)?;
    let compared = console.session().compare_table(&args.question())?;
    let (posted, notes) = (&compared.posted, &compared.notes);
    let page = fairtrial_report::markdown::posted(posted, notes);
    if let Some(path) = &args.md {
        written::write(console.printer, path, page.as_bytes())?;
    }
    if args.json {
        let baseline = &compared.baseline;
        printer.json(&json!({
            "baseline": baseline.label, "baseline_sha256": baseline.sha256(), "notes": notes, "posted": posted,
        }));
    } else {
        printer.page(page.trim_end());
    }
    for note in notes {
        printer.tell_painted(Paint(printer.terminal().color).yellow(note));
    }
    Ok(exit(args, posted))
}

impl Args {
    /// What was typed, as the library takes it.
    fn question(&self) -> TableQuestion {
        let accept = self.accept.iter().map(|choice| FactKind::from(*choice));
        TableQuestion {
            baseline_table: self.baseline_table.clone(),
            proposed_table: self.proposed_table.clone(),
            from: self.from.clone(),
            baseline: self.baseline.clone(),
            suite: self.suite.choice(),
            table: self.table.clone(),
            rows: self.rows.clone(),
            rule: match self.rule {
                RuleChoice::Noise => MarkRule::Noise,
                RuleChoice::Exact => MarkRule::Exact,
            },
            alpha: self.alpha,
            accept: accept.collect(),
        }
    }
}

fn exit(args: &Args, posted: &Posted) -> Exit {
    let choice = |mark: Mark| match mark {
        Mark::Better => MarkChoice::Better,
        Mark::Worse => MarkChoice::Worse,
        Mark::Equal => MarkChoice::Equal,
        Mark::Changed => MarkChoice::Changed,
        Mark::Noise => MarkChoice::Ns,
        Mark::Unknown => MarkChoice::Unknown,
        Mark::Missing => MarkChoice::Missing,
    };
    let failed = posted
        .lines
        .iter()
        .any(|line| args.fail_on.contains(&choice(line.mark)));
    if failed { Exit::Failed } else { Exit::Fine }
}
