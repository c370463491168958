//! `compare`: two arms, two runs, two result files or two tables, metric by metric, each ending in a verdict.

use super::choices::{AcceptChoice, DirectionChoice, MethodChoice, PairingChoice};
use super::mapping::MappingArgs;
use crate::candidates;
use crate::console::Console;
use crate::exit::{Done, Exit, Failure};
use crate::written;
use clap::ValueEnum;
use fairtrial_analysis::compare::SideName;
use fairtrial_analysis::compare::{GivenPoints, Method, TaskRole, Word};
use fairtrial_analysis::compare::{parse_margin, parse_points};
use fairtrial_analysis::dataset::{FactKind, Origin};
use fairtrial_analysis::{CompareOptions, Comparison};
use fairtrial_model::{Direction, EqualRule, Margin};
use fairtrial_report::ComparisonAnswer;
use fairtrial_session::CompareQuestion;
use fairtrial_spec::Filter;
use fairtrial_text::shell_word::shell_word;
use std::path::PathBuf;

/// Compare two sides and say whether the difference is real
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fairtrial compare                                  the arms of the newest run
  fairtrial compare my_benchmark                     every arm of the newest run against its control
  fairtrial compare control candidate                two arms of the newest run
  fairtrial compare bench/20250824__12-34-56 bench   two runs; the first is the control
  fairtrial compare a.csv b.csv c.csv --direction up all others against the first, and a ranking
  fairtrial compare bench:control bench:candidate    one arm of a run against another
  fairtrial compare before.json after.json --json    two result files
  fairtrial compare before.csv after.csv --direction up --metric percent_correct
  fairtrial compare results.csv@main results.csv     a table against its revision on main

Verdicts: improved, regressed, equivalent, not worse, inconclusive, identical, insufficient.")]
pub(crate) struct Args {
    /// The control first: runs (`NAME`, `NAME/STAMP` or a run's folder), arms (also as `NAME/STAMP:ARM`), result JSON files
    /// or tables [default: the arms of the newest run]
    #[arg(num_args = 1.., value_name = "SIDE", add = candidates::sides())]
    sides: Vec<String>,
    /// The run or table whose arms the sides are [default: the newest run]
    #[arg(long, value_name = "RUN", add = candidates::runs())]
    run: Option<String>,
    /// The control arm [default: the spec's]
    #[arg(long, value_name = "ARM", add = candidates::arms())]
    control: Option<String>,
    /// A metric; the first one given decides [default: the declared ones]
    #[arg(long = "metric", value_name = "METRIC", add = candidates::metrics())]
    metrics: Vec<String>,
    /// Two-sided error rate [default: the spec's, else 0.05]
    #[arg(long, allow_negative_numbers = true)]
    alpha: Option<f64>,
    /// Only these trials of both sides, as task=hard,lr=0.1
    #[arg(long, value_name = "FILTER", value_parser = Filter::parse)]
    only: Option<Filter>,
    /// How intervals are made [default: as the spec declares, else by the kind of data]
    #[arg(long, value_enum)]
    method: Option<MethodChoice>,
    /// Whether units are compared in pairs
    #[arg(long, value_enum, default_value_t = PairingChoice::Auto)]
    pairing: PairingChoice,
    /// The smallest difference that matters: `2%` of the control, or a number in the metric's unit
    #[arg(long, value_parser = parse_margin, allow_hyphen_values = true)]
    margin: Option<Margin>,
    /// For several tasks: the score of the first metric that counts as 0 and the better one that counts as 1, for every
    /// task or for one, as `0:100` or `pong=-20.7:14.6` [default: `reference` of the spec]
    #[arg(long, value_parser = parse_points, allow_hyphen_values = true, value_name = "[TASK=]ZERO:ONE")]
    reference: Vec<GivenPoints>,
    /// Which way is better
    #[arg(long, value_enum)]
    direction: Option<DirectionChoice>,
    /// The unit of the first metric, where nothing declares it (a table): times (`s`, `ms`, `min`) are compared by ratio
    #[arg(long, value_name = "UNIT")]
    unit: Option<String>,
    /// Whether the answer is about these tasks, or about tasks like them
    /// [default: random for pass/fail and for agents' tasks, fixed for everything else]
    #[arg(long, value_enum)]
    tasks: Option<TasksChoice>,
    /// A difference between the sides to accept: a timing between two machines, a metric that the two sides make
    /// differently, and a task of agents that changed between them, is not judged without it
    #[arg(long, value_enum, value_name = "WHAT")]
    accept: Vec<AcceptChoice>,
    /// What both sides must share, as `model_params=1%` or `curriculum=exact` [default: `fairness` of the spec]
    #[arg(long, value_name = "KEY=TOLERANCE")]
    equal: Vec<EqualRule>,
    /// The share of each side's trials that must count for a verdict [default: `analysis.valid` of the spec, else 0.95
    /// for agent tasks]
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true)]
    valid: Option<f64>,
    /// Chance to find the effect in the plans that are made
    #[arg(long, default_value_t = 0.8, allow_negative_numbers = true)]
    power: f64,
    /// Seed of what is drawn (the numbers over several tasks)
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Exit with code 1 where the primary metric ends in one of these verdicts
    #[arg(long, value_enum, value_delimiter = ',', value_name = "VERDICT")]
    fail_on: Vec<VerdictChoice>,
    /// Print the tables per task, arm and metric too, before the answer
    #[arg(short, long, conflicts_with_all = ["brief", "json"])]
    verbose: bool,
    /// Print one line per metric and no more
    #[arg(long, conflicts_with = "json")]
    brief: bool,
    /// Print the comparison as JSON
    #[arg(long)]
    json: bool,
    /// Write the comparison as Markdown
    #[arg(long, value_name = "FILE")]
    md: Option<PathBuf>,
    /// Write the comparison as CSV
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    #[command(flatten)]
    mapping: MappingArgs,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum TasksChoice {
    /// These tasks, with equal weights
    Fixed,
    /// Tasks like these: each is one observation
    Random,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum VerdictChoice {
    Improved,
    Regressed,
    Equivalent,
    NotWorse,
    Inconclusive,
    Identical,
    Insufficient,
}

pub(crate) fn run(args: &Args, console: &Console) -> Done {
    let files = [args.md.as_deref(), args.csv.as_deref()];
    let printer = written::beside(console.printer, files, args.json)?;
    let compared = args.mapping.session(console).compare(&args.question()?)?;
    let (comparison, watched) = (&compared.comparison, compared.watched.as_ref());
    if let Some(path) = &args.md {
        let text = fairtrial_report::markdown::comparison(comparison, watched);
        written::write(printer, path, text.as_bytes())?;
    }
    if let Some(path) = &args.csv {
        let text = fairtrial_report::csv::comparison(comparison)
            .map_err(|error| Failure::machine(error.to_string()))?;
        written::write(printer, path, text.as_bytes())?;
    }
    if args.json {
        printer.json(&compared);
    } else if args.brief {
        let terminal = printer.terminal();
        printer.page(fairtrial_report::console::brief(comparison, terminal));
    } else {
        let terminal = printer.terminal();
        if args.verbose {
            printer.page(fairtrial_report::console::comparison(
                comparison, watched, terminal,
            ));
        }
        let next = args.next(&typed_words(), comparison, &console.data_words());
        let answer = ComparisonAnswer {
            comparison,
            watched: watched.filter(|_| !args.verbose),
            next: next.as_deref(),
        };
        printer.page(fairtrial_report::console::comparison_answer(
            &answer, terminal,
        ));
    }
    Ok(exit(args, comparison))
}

impl Args {
    /// What shows more than this comparison did: its tables, and a page of the run that it is about.
    fn next(&self, typed: &[String], comparison: &Comparison, data_words: &str) -> Option<String> {
        let tables = (!self.verbose).then(|| with_tables(typed));
        let report = self
            .reported(comparison)
            .map(|run| format!("`fairtrial report{run}{data_words}`"));
        match (tables, report) {
            (Some(tables), Some(report)) => Some(format!("`{tables}` (or {report})")),
            (Some(tables), None) => Some(format!("`{tables}`")),
            (None, report) => report,
        }
    }

    /// The one run that was compared, as a word to type where a name was typed; nothing where several sources, or a table,
    /// were compared.
    fn reported(&self, comparison: &Comparison) -> Option<String> {
        let mut contrasts = comparison.contrasts.iter();
        let is_run = |side: &SideName| matches!(side.origin, Origin::Run { .. });
        let is_one =
            contrasts.all(|of| is_run(&of.control) && of.control.source == of.candidate.source);
        if !is_one || self.mapping.is_given() {
            return None;
        }
        let word = |run: &str| format!(" {}", shell_word(run));
        match (&self.run, &self.sides[..]) {
            (Some(run), _) => Some(word(run)),
            (None, []) => Some(String::new()),
            (None, [run]) if !run.contains([':', '/']) => Some(word(run)),
            _ => None,
        }
    }

    /// What was typed, as the library takes it.
    fn question(&self) -> Result<CompareQuestion, Failure> {
        let accept = self.accept.iter().map(|choice| FactKind::from(*choice));
        Ok(CompareQuestion {
            sides: self.sides.clone(),
            arms_of: self.run.clone(),
            alpha: self.alpha,
            only: self.only.clone(),
            options: CompareOptions {
                reference: GivenPoints::together(&self.reference)?,
                control: self.control.clone(),
                metrics: self.metrics.clone(),
                method: self.method.map(Method::from),
                pairing: self.pairing.into(),
                margin: self.margin,
                direction: self.direction.map(Direction::from),
                unit: self.unit.clone(),
                tasks: self.tasks.map_or(TaskRole::ByKind, TaskRole::from),
                accept: accept.collect(),
                equal: self.equal.clone(),
                valid: self.valid,
                power: self.power,
                seed: self.seed,
                ..CompareOptions::default()
            },
        })
    }
}

/// What was typed after the name of the program.
fn typed_words() -> Vec<String> {
    let typed = std::env::args_os().skip(1);
    typed
        .map(|word| word.to_string_lossy().into_owned())
        .collect()
}

/// The command that was typed, with `-v`.
fn with_tables(typed: &[String]) -> String {
    // What stands behind `--` is no flag.
    let flags = typed.iter().position(|word| word == "--");
    let (before, behind) = typed.split_at(flags.unwrap_or(typed.len()));
    let flag = ["-v".to_owned()];
    let words = before.iter().chain(&flag).chain(behind);
    words.fold("fairtrial".to_owned(), |line, word| {
        format!("{line} {}", shell_word(word))
    })
}

fn exit(args: &Args, comparison: &Comparison) -> Exit {
    let failing = |word: Word| {
        args.fail_on
            .iter()
            .any(|choice| Word::from(*choice) == word)
    };
    let failed = comparison
        .primary()
        .any(|metric| failing(metric.verdict.word));
    if failed { Exit::Failed } else { Exit::Fine }
}

impl From<TasksChoice> for TaskRole {
    fn from(choice: TasksChoice) -> Self {
        match choice {
            TasksChoice::Fixed => Self::Fixed,
            TasksChoice::Random => Self::Random,
        }
    }
}

impl From<VerdictChoice> for Word {
    fn from(choice: VerdictChoice) -> Self {
        match choice {
            VerdictChoice::Improved => Self::Improved,
            VerdictChoice::Regressed => Self::Regressed,
            VerdictChoice::Equivalent => Self::Equivalent,
            VerdictChoice::NotWorse => Self::NotWorse,
            VerdictChoice::Inconclusive => Self::Inconclusive,
            VerdictChoice::Identical => Self::Identical,
            VerdictChoice::Insufficient => Self::Insufficient,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::with_tables;

    #[test]
    fn what_was_typed_is_typed_again_with_one_flag_more() {
        let typed =
            |words: &[&str]| -> Vec<String> { words.iter().map(|&word| word.to_owned()).collect() };
        assert_eq!(
            with_tables(&typed(&[
                "compare",
                "a b.csv",
                "c.csv",
                "--direction",
                "up"
            ])),
            "fairtrial compare 'a b.csv' c.csv --direction up -v"
        );
        assert_eq!(
            with_tables(&typed(&["compare", "--", "-odd", "b"])),
            "fairtrial compare -v -- -odd b"
        );
    }
}
