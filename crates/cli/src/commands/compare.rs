//! `compare`: two arms, two runs, two result files or two tables, metric by metric, each ending in a verdict.

use super::choices::{AcceptChoice, DirectionChoice, PairingChoice};
use crate::absent::{is_path, no_source};
use crate::data_dir;
use crate::exit::{Done, Exit, Failure};
use crate::global::Global;
use crate::newest::tell_passed_over;
use crate::printer::Printer;
use crate::sources::{Place, Source, open_both, place};
use clap::ValueEnum;
use fairtrial_analysis::compare::{GivenPoints, Inputs, Method, TaskRole, Word};
use fairtrial_analysis::compare::{parse_margin, parse_points};
use fairtrial_analysis::dataset::FactKind;
use fairtrial_analysis::watch::{Watch, WatchReport, watch};
use fairtrial_analysis::{CompareOptions, Comparison, Dataset, compare};
use fairtrial_journal::{DataRoot, newest_run};
use fairtrial_model::{Direction, EqualRule, Margin};
use fairtrial_spec::{Analysis, DEFAULT_ALPHA, Spec};
use std::fs;
use std::path::{Path, PathBuf};

/// Compare two sides and say whether the difference is real
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fairtrial compare my_benchmark                     every arm of the newest run against its control
  fairtrial compare control candidate                two arms of the newest run
  fairtrial compare bench/20250824__12-34-56 bench   two runs; the first is the control
  fairtrial compare before.json after.json --json    two result files
  fairtrial compare before.csv after.csv --direction up --metric percent_correct
  fairtrial compare results.csv@main results.csv     a table against its revision on main

Verdicts: improved, regressed, equivalent, not worse, inconclusive, identical, insufficient.")]
pub(crate) struct Args {
    /// The control first: runs (`NAME`, `NAME/STAMP` or a run's folder), arms, result JSON files or CSV tables
    #[arg(required = true, num_args = 1.., value_name = "SIDE")]
    sides: Vec<String>,
    /// The run or table whose arms the sides are [default: the newest run]
    #[arg(long, value_name = "RUN")]
    run: Option<String>,
    /// The control arm [default: the spec's]
    #[arg(long, value_name = "ARM")]
    control: Option<String>,
    /// A metric; the first one given decides [default: the declared ones]
    #[arg(long = "metric", value_name = "METRIC")]
    metrics: Vec<String>,
    /// Two-sided error rate [default: the spec's, else 0.05]
    #[arg(long, allow_negative_numbers = true)]
    alpha: Option<f64>,
    /// How intervals are made
    #[arg(long, value_enum, default_value_t = MethodChoice::Auto)]
    method: MethodChoice,
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
    /// Whether the answer is about these tasks, or about tasks like them
    /// [default: random for pass/fail and for agents' tasks, fixed for everything else]
    #[arg(long, value_enum)]
    tasks: Option<TasksChoice>,
    /// A difference between the sides to accept: a timing between two machines, and a metric that the two sides make
    /// differently, is not judged without it
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
    /// Seed of what is drawn (the chance to be best, the numbers over several tasks)
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Exit with code 1 where the primary metric ends in one of these verdicts
    #[arg(long, value_enum, value_delimiter = ',', value_name = "VERDICT")]
    fail_on: Vec<VerdictChoice>,
    /// Print the comparison as JSON
    #[arg(long)]
    json: bool,
    /// Write the comparison as Markdown
    #[arg(long, value_name = "FILE")]
    md: Option<PathBuf>,
    /// Write the comparison as CSV
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum MethodChoice {
    /// By the kind of data
    Auto,
    /// Student's t on the pairs, Welch's t without pairs
    T,
    /// The same on logarithms: a ratio
    LogRatio,
    /// Hodges-Lehmann with its rank-based interval
    Rank,
    /// Tango and McNemar for pairs, Newcombe and Barnard else
    Proportion,
    /// Percentile bootstrap
    Percentile,
    /// `BCa` bootstrap
    Bca,
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

pub(crate) fn run(args: &Args, global: &Global, printer: Printer) -> Done {
    let root = data_dir::for_here(global.data_dir.as_deref())?;
    let asked = Asked::read(args, &root, printer)?;
    let options = options(args, &asked)?;
    let inputs = match (&asked.first, &asked.second) {
        (control, Some(candidate)) => Inputs::Two(&control.data, &candidate.data),
        (only, None) => Inputs::Arms(&only.data),
    };
    let comparison = compare(inputs, &options).map_err(Failure::from)?;
    let watched = asked.watched(printer);
    write(args.md.as_deref(), || {
        Ok(fairtrial_report::markdown::comparison(
            &comparison,
            watched.as_ref(),
        ))
    })?;
    write(args.csv.as_deref(), || {
        fairtrial_report::csv::comparison(&comparison).map_err(|error| error.to_string())
    })?;
    if args.json {
        printer.json(&Printed {
            comparison: &comparison,
            watched,
        });
    } else {
        printer.page(fairtrial_report::console::comparison(
            &comparison,
            watched.as_ref(),
            printer.terminal(),
        ));
    }
    Ok(exit(args, &comparison))
}

/// The arms of a finished run against its control, as `run` ends with; absent where the spec compares nothing. Why
/// there is no verdict is said.
pub(crate) fn arms(data: &Dataset, spec: &Spec, printer: Printer) -> Option<Comparison> {
    if spec.arms.len() < 2 {
        return None;
    }
    compare(Inputs::Arms(data), &CompareOptions::declared(spec))
        .map_err(|error| printer.tell(format!("no verdict: {error}")))
        .ok()
}

/// What `--json` prints: the comparison, and what changed in watched paths.
#[derive(serde::Serialize)]
struct Printed<'a> {
    #[serde(flatten)]
    comparison: &'a Comparison,
    #[serde(skip_serializing_if = "Option::is_none")]
    watched: Option<WatchReport>,
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

fn write(
    path: Option<&Path>,
    text: impl FnOnce() -> Result<String, String>,
) -> Result<(), Failure> {
    let Some(path) = path else {
        return Ok(());
    };
    let text = text().map_err(Failure::machine)?;
    fs::write(path, text)
        .map_err(|error| Failure::machine(format!("cannot write {}: {error}", path.display())))
}

fn options(args: &Args, asked: &Asked) -> Result<CompareOptions, Failure> {
    let analysis = asked.latest_spec().map(|spec| &spec.analysis);
    Ok(CompareOptions {
        reference: GivenPoints::together(&args.reference)?,
        alpha: args
            .alpha
            .or(analysis.map(Analysis::alpha))
            .unwrap_or(DEFAULT_ALPHA),
        control: asked.control.clone().or_else(|| args.control.clone()),
        candidates: asked.candidates.clone(),
        metrics: args.metrics.clone(),
        primary: analysis.and_then(|analysis| analysis.metric.clone()),
        method: args.method.into(),
        pairing: args.pairing.into(),
        margin: args.margin,
        direction: args.direction.map(Direction::from),
        tasks: args.tasks.map_or(TaskRole::ByKind, TaskRole::from),
        accept: args
            .accept
            .iter()
            .map(|choice| FactKind::from(*choice))
            .collect(),
        equal: equal_rules(asked.latest_spec(), &args.equal),
        valid: args.valid,
        power: args.power,
        seed: args.seed,
        ..CompareOptions::default()
    })
}

/// The spec's rules; one on the command line wins over the spec's about the same key.
fn equal_rules(spec: Option<&Spec>, given: &[EqualRule]) -> Vec<EqualRule> {
    let declared = spec.map_or(&[][..], |spec| &spec.equal);
    let kept = declared
        .iter()
        .filter(|rule| given.iter().all(|other| other.key != rule.key));
    kept.chain(given).cloned().collect()
}

/// What the sides on the command line mean.
struct Asked {
    first: Source,
    second: Option<Source>,
    control: Option<String>,
    candidates: Vec<String>,
}

impl Asked {
    fn read(args: &Args, root: &DataRoot, printer: Printer) -> Result<Self, Failure> {
        // With --run the sides are arms, whatever else has their names.
        let source = |side: &String| match args.run {
            Some(_) => Ok(None),
            None => place(side, root, printer),
        };
        let places: Vec<Option<Place>> = args.sides.iter().map(source).collect::<Result<_, _>>()?;
        let sides = args.sides.iter().zip(&places);
        let absent: Vec<&str> = sides
            .filter(|(_, place)| place.is_none())
            .map(|(side, _)| side.as_str())
            .collect();
        let found: Option<Vec<Place>> = places.into_iter().collect();
        let alone = |first: Source| Self {
            first,
            second: None,
            control: None,
            candidates: Vec::new(),
        };
        match (found.as_deref(), &args.sides[..]) {
            (Some([only]), _) => Ok(alone(only.open(printer)?)),
            (Some([control, candidate]), _) => {
                let (first, second) = open_both(control, candidate, printer)?;
                Ok(Self {
                    second: Some(second),
                    ..alone(first)
                })
            }
            (Some(_), sides) => Err(Failure::input(format!(
                "two sources at most can be compared, these are {}",
                sides.len()
            ))),
            (None, [control, candidates @ ..]) if !candidates.is_empty() => {
                if let Some(other) = args.control.as_ref().filter(|other| *other != control) {
                    return Err(Failure::input(format!(
                        "the first arm, `{control}`, is the control, and --control names `{other}`"
                    )));
                }
                let first = arms_source(args, root, &absent, printer)?.open(printer)?;
                if let Some(side) = no_arm(args, &absent, first.spec.as_ref()) {
                    return Err(no_source(side, root));
                }
                Ok(Self {
                    control: Some(control.clone()),
                    candidates: candidates.to_vec(),
                    ..alone(first)
                })
            }
            (None, sides) => Err(no_source(sides.first().map_or("", String::as_str), root)),
        }
    }

    /// The spec that says what is declared.
    fn latest_spec(&self) -> Option<&Spec> {
        self.second.as_ref().unwrap_or(&self.first).spec.as_ref()
    }

    /// What changed in the paths that the spec watches, from the control's commit to the candidate's.
    fn watched(&self, printer: Printer) -> Option<WatchReport> {
        let candidate = self.second.as_ref()?;
        let spec = candidate
            .spec
            .as_ref()
            .filter(|spec| !spec.provenance.watch.is_empty())?;
        let question = Watch {
            folder: Path::new(&spec.base_dir),
            paths: &spec.provenance.watch,
            from: self.first.commit.as_deref()?,
            to: candidate.commit.as_deref(),
        };
        watch(question)
            .map_err(|error| printer.warn(format!("watched paths: {error}")))
            .ok()
    }
}

/// The side that can only be meant as a file or a run that is not there: it is no arm, and either looks like a path or
/// stands beside a side that is a file or a run.
fn no_arm<'a>(args: &Args, absent: &[&'a str], spec: Option<&Spec>) -> Option<&'a str> {
    let arms = spec.map_or(&[][..], |spec| &spec.arms);
    let is_arm = |side: &str| arms.iter().any(|arm| arm.name == side);
    let beside_a_source = args
        .sides
        .iter()
        .any(|side| !absent.contains(&side.as_str()) && !is_arm(side));
    let mut others = absent.iter().copied().filter(|side| !is_arm(side));
    others.find(|side| args.run.is_none() && (beside_a_source || is_path(side)))
}

/// The run, or the table, whose arms were named.
fn arms_source(
    args: &Args,
    root: &DataRoot,
    absent: &[&str],
    printer: Printer,
) -> Result<Place, Failure> {
    if let Some(name) = &args.run {
        return place(name, root, printer)?.ok_or_else(|| no_source(name, root));
    }
    let newest = newest_run(root)?;
    let newest = newest.ok_or_else(|| no_source(absent.first().unwrap_or(&""), root))?;
    tell_passed_over(&newest, true, printer)?;
    Ok(Place::Run(newest))
}

impl From<MethodChoice> for Method {
    fn from(choice: MethodChoice) -> Self {
        match choice {
            MethodChoice::Auto => Self::Auto,
            MethodChoice::T => Self::T,
            MethodChoice::LogRatio => Self::LogRatio,
            MethodChoice::Rank => Self::Rank,
            MethodChoice::Proportion => Self::Proportion,
            MethodChoice::Percentile => Self::Percentile,
            MethodChoice::Bca => Self::Bca,
        }
    }
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
