//! `table compare`: the table that people post, with one mark per line and the noise it was judged by.

use super::behind::Loader;
use super::file::TableFile;
use super::gather::asked;
use super::paint::Paint;
use super::suite::{self, Ran, SuiteArgs, table_for};
use crate::commands::choices::AcceptChoice;
use crate::data_dir;
use crate::exit::{Done, Exit, Failure};
use crate::global::Global;
use crate::printer::Printer;
use clap::ValueEnum;
use fairtrial_analysis::dataset::FactKind;
use fairtrial_analysis::tables::{
    Draft, Mark, MarkRule, PostOptions, Posted, Proposed, Question, post,
};
use fairtrial_spec::Spec;
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};

/// Compare results with a table, line by line, with ✅ better, ❌ worse, ⬜ equal, ns within noise, — missing
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
    Missing,
}

pub(super) fn run(args: &Args, global: &Global, printer: Printer) -> Done {
    let proposed_run = args
        .from
        .as_deref()
        .map(|name| suite::open(name, global, printer))
        .transpose()?;
    let spec = match (args.suite.spec(printer)?, &proposed_run) {
        (Some(spec), _) => spec,
        (None, Some(ran)) => ran.spec.clone(),
        (None, None) => {
            return Err(Failure::input("nothing says which way is better").hint(
                "name the suite with --spec SPEC, or definitions that come with the program with --preset NAME",
            ));
        }
    };
    let file_part = args.baseline_table.rsplit_once('@');
    let file = file_part.map_or(args.baseline_table.as_str(), |(file, _)| file);
    let declared = table_for(&spec, Path::new(file), args.table.as_deref())?.clone();
    let key = declared.key.as_deref();
    let baseline = TableFile::read(&args.baseline_table, key)?;
    let proposed = args
        .proposed_table
        .as_deref()
        .map(|name| TableFile::read(name, key))
        .transpose()?;
    let baseline_run = args
        .baseline
        .as_deref()
        .map(|name| suite::open(name, global, printer))
        .transpose()?;
    let mut loader = Loader {
        root: data_dir::for_here(global.data_dir.as_deref())?,
        table: &declared.name,
        printer,
        notes: Vec::new(),
    };
    let mut load = |ran: Option<&Ran>| ran.map(|ran| loader.load(ran)).transpose();
    let proposed_run = load(proposed_run.as_ref())?;
    let baseline_run = load(baseline_run.as_ref())?;
    let proposed = match (&proposed, &proposed_run) {
        (Some(file), _) => Proposed::Table(file.to_compare()),
        (None, Some(run)) => Proposed::Run(run),
        (None, None) => return Err(Failure::input("nothing is named to compare with the table")),
    };
    let question = Question {
        spec: &spec,
        table: &declared,
        baseline: baseline.to_compare(),
        baseline_run: baseline_run.as_ref(),
        proposed,
    };
    let draft = Draft::new(question, |key| asked(&args.rows, key))?;
    let runs = loader.still_here(draft.sources());
    let (lines, mut notes) = draft.lines(&runs);
    notes.append(&mut loader.notes);
    let posted = post(&lines, &options(args, &spec)).map_err(Failure::from)?;
    let page = fairtrial_report::markdown::posted(&posted, &notes);
    if let Some(path) = &args.md {
        fs::write(path, &page).map_err(|error| {
            Failure::machine(format!("cannot write {}: {error}", path.display()))
        })?;
    }
    if args.json {
        printer.json(&json!({
            "baseline": baseline.label, "baseline_sha256": baseline.sha256(), "notes": notes, "posted": posted,
        }));
    } else {
        printer.page(page.trim_end());
    }
    for note in &notes {
        printer.tell_painted(Paint(printer.terminal().color).yellow(note));
    }
    Ok(exit(args, &posted))
}

fn options(args: &Args, spec: &Spec) -> PostOptions {
    PostOptions {
        rule: match args.rule {
            RuleChoice::Noise => MarkRule::Noise,
            RuleChoice::Exact => MarkRule::Exact,
        },
        alpha: args.alpha.unwrap_or(spec.analysis.alpha()),
        accept: args
            .accept
            .iter()
            .map(|choice| FactKind::from(*choice))
            .collect(),
    }
}

fn exit(args: &Args, posted: &Posted) -> Exit {
    let choice = |mark: Mark| match mark {
        Mark::Better => MarkChoice::Better,
        Mark::Worse => MarkChoice::Worse,
        Mark::Equal => MarkChoice::Equal,
        Mark::Changed => MarkChoice::Changed,
        Mark::Noise => MarkChoice::Ns,
        Mark::Missing => MarkChoice::Missing,
    };
    let failed = posted
        .lines
        .iter()
        .any(|line| args.fail_on.contains(&choice(line.mark)));
    if failed { Exit::Failed } else { Exit::Fine }
}
