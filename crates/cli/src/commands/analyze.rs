//! `analyze`: full control over the statistics of a comparison of learning curves.

use super::choices::{DirectionChoice, PairingChoice, switch};
use super::curve_window::WindowArgs;
use super::mapping::MappingArgs;
use crate::console::Console;
use crate::exit::{Done, Exit, Failure};
use crate::written;
use clap::{ArgGroup, ValueEnum};
use fairtrial_analysis::compare::parse_margin;
use fairtrial_analysis::curves::{
    self, DEFAULT_N, Histories, Pair, PowerQuestion, Question, Runs, SummaryRule, SummaryType,
};
use fairtrial_model::Margin;
use fairtrial_spec::Filter;
use fairtrial_stats::bootstrap::{Method, Plan};
use fairtrial_stats::{Level, Side};
use std::path::PathBuf;

/// Compare learning curves, with every choice in your hands: summary, bootstrap, t test, power
#[derive(Debug, clap::Args)]
#[command(
    group(ArgGroup::new("runs").required(true).args(["pairs", "control_run_ids"])),
    after_help = "\
Examples:
  fairtrial analyze --control-run-ids pilot:control --candidate-run-ids pilot:candidate
  fairtrial analyze --from histories.csv --control-run-ids run1 run2 --candidate-run-ids run3 run4
  fairtrial analyze --summary.type eval_last_n \\
    --pairs '{\"control\": \"a.csv\", \"candidate\": \"b.csv\", \"seed\": 1072}'

A run id is FILE.csv#RUN, a path of a CSV or JSONL history, a run of --from, a trial of ours (<stamp>-<index>), or \
NAME[/STAMP][:ARM[:SEED]] for all trials of a run, of one of its arms, or of one seed. docs/guides/learning-curves.md tells more."
)]
pub(crate) struct Args {
    /// Pairs of runs as JSON: objects {"control": RUN, "candidate": RUN, "seed": N}, or one array of them
    #[arg(long, num_args = 1.., value_name = "JSON")]
    pairs: Vec<String>,
    /// The control's runs; both sides on the same seeds are compared seed by seed
    #[arg(long, num_args = 1.., value_name = "RUN", requires = "candidate_run_ids")]
    control_run_ids: Vec<String>,
    /// The candidate's runs
    #[arg(long, num_args = 1.., value_name = "RUN", requires = "control_run_ids")]
    candidate_run_ids: Vec<String>,
    /// A table with a run_id column, or a folder of histories, in which run ids are looked for
    #[arg(long, value_name = "PATH")]
    from: Option<PathBuf>,
    /// Of the trials of a run of ours, only these, as task=hard,lr=0.1
    #[arg(long, value_name = "FILTER", value_parser = Filter::parse)]
    only: Option<Filter>,
    /// The metric
    #[arg(long, default_value = "overview/reward", value_name = "KEY")]
    metric: String,
    /// Whether runs belong together
    #[arg(long, value_enum, default_value_t = PairingChoice::Auto)]
    pairing: PairingChoice,
    /// Which way is better [default: what the runs' spec says, else up]
    #[arg(long, value_enum)]
    direction: Option<DirectionChoice>,
    /// The smallest difference that matters, as 0.1 or 2% of the control [default: what the runs' spec says]
    #[arg(long, value_parser = parse_margin, value_name = "SIZE")]
    margin: Option<Margin>,
    #[command(flatten)]
    summary: SummaryArgs,
    #[command(flatten)]
    bootstrap: BootstrapArgs,
    #[command(flatten)]
    beside: BesideArgs,
    /// Write the values and the result as CSV
    #[arg(long = "output.csv_path", value_name = "FILE")]
    csv_path: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    mapping: MappingArgs,
}

/// How a curve becomes a number.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Summary")]
struct SummaryArgs {
    /// One number per curve
    #[arg(long = "summary.type", value_enum, default_value_t = TypeChoice::Auc)]
    kind: TypeChoice,
    #[command(flatten)]
    window: WindowArgs,
    /// How many last values `eval_last_n` averages [default: 5]
    #[arg(long = "summary.n", value_name = "N")]
    n: Option<usize>,
}

/// The bootstrap.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Bootstrap")]
struct BootstrapArgs {
    /// Draw this many resamples, instead of counting all of them without noise
    #[arg(long = "bootstrap.n_resamples", value_name = "N")]
    n_resamples: Option<usize>,
    /// One minus the confidence, also that of the verdict
    #[arg(long = "bootstrap.alpha", default_value_t = 0.05, value_name = "ALPHA")]
    alpha: f64,
    /// Which ends the bootstrap interval has; the verdict is always two-sided
    #[arg(long = "bootstrap.side", value_enum, default_value_t = SideChoice::TwoSided)]
    side: SideChoice,
    /// How the interval is made; `bca-metta` reads old results as they were made
    #[arg(long = "bootstrap.method", value_enum, default_value_t = MethodChoice::Bca)]
    method: MethodChoice,
    /// Draw resamples (10,000 where no other number is given) with this seed
    #[arg(long = "bootstrap.seed", value_name = "SEED")]
    seed: Option<u64>,
}

/// What stands beside the verdict.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "t test and power")]
struct BesideArgs {
    /// Show the t test with its assumptions
    #[arg(long = "ttest.enabled", value_parser = switch, default_value = "true", num_args = 0..=1, default_missing_value = "true", value_name = "BOOL")]
    ttest: bool,
    /// Below this p value an assumption is called doubtful; the test is shown all the same
    #[arg(
        long = "ttest.assumption_alpha",
        default_value_t = 0.05,
        value_name = "ALPHA"
    )]
    assumption_alpha: f64,
    /// Plan how many runs an effect needs
    #[arg(long = "power.enabled", value_parser = switch, default_value = "false", num_args = 0..=1, default_missing_value = "true", value_name = "BOOL")]
    power: bool,
    /// The effect to find, in the metric's unit
    #[arg(
        long = "power.target_effect_size",
        default_value_t = 0.2,
        value_name = "SIZE"
    )]
    target_effect_size: f64,
    /// The chance to find it (called beta in the original, which means the power by it)
    #[arg(long = "power.beta", default_value_t = 0.8, value_name = "POWER")]
    beta: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum TypeChoice {
    /// Area under the curve
    Auc,
    /// Mean of the last values
    #[value(name = "eval_last_n", alias = "last_n")]
    EvalLastN,
    /// Least-squares slope over all points
    Slope,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum SideChoice {
    TwoSided,
    Greater,
    Less,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum MethodChoice {
    /// Bias-corrected and accelerated
    Bca,
    /// Quantiles
    Percentile,
    /// The original's BCa, which applies half of the correction
    BcaMetta,
}

pub(crate) fn run(args: &Args, console: &Console) -> Done {
    let printer = written::beside(console.printer, [args.csv_path.as_deref()], args.json)?;
    args.summary.check()?;
    let question = args.question();
    question.check()?;
    let session = args.mapping.session(console);
    let mut histories = session.histories(args.from.clone(), args.only.clone());
    let runs = args.runs(&mut histories)?;
    session.tell_sources(&mut histories)?;
    let analysis = curves::analyze(runs, &question)?;
    if let Some(path) = &args.csv_path {
        let text = fairtrial_report::curves::csv(&analysis)
            .map_err(|error| Failure::machine(error.to_string()))?;
        written::write(printer, path, text.as_bytes())?;
    }
    if args.json {
        printer.json(&analysis);
    } else {
        printer.page(fairtrial_report::console::analysis(&analysis, printer.terminal()).trim_end());
    }
    Ok(Exit::Fine)
}

impl Args {
    fn runs(&self, histories: &mut Histories) -> Result<Runs, Failure> {
        if self.pairs.is_empty() {
            return Ok(Runs::Lists {
                control: histories.read(&self.control_run_ids, &self.metric)?,
                candidate: histories.read(&self.candidate_run_ids, &self.metric)?,
            });
        }
        let mut pairs = Vec::new();
        for pair in Pair::parse(&self.pairs)? {
            let control = histories.read_one(&pair.control, &self.metric)?;
            let candidate = histories.read_one(&pair.candidate, &self.metric)?;
            pairs.push((pair, control, candidate));
        }
        Ok(Runs::Pairs(pairs))
    }

    fn question(&self) -> Question {
        let BesideArgs {
            ttest,
            assumption_alpha,
            power,
            target_effect_size,
            beta,
        } = self.beside;
        Question {
            metric: self.metric.clone(),
            summary: self.summary.rule(),
            bootstrap: self.bootstrap.plan(),
            drawn: self.bootstrap.n_resamples.is_some() || self.bootstrap.seed.is_some(),
            assumption_alpha: ttest.then_some(assumption_alpha),
            power: power.then_some(PowerQuestion {
                target: target_effect_size,
                power: beta,
            }),
            pairing: self.pairing.into(),
            direction: self.direction.map(Into::into),
            margin: self.margin,
        }
    }
}

impl SummaryArgs {
    /// Refuses what the type of summary would not look at.
    fn check(&self) -> Result<(), Failure> {
        let idle = match self.kind {
            TypeChoice::Auc => None,
            _ => self.window.given(),
        };
        let (name, of) = match idle {
            Some(name) => (name, "auc"),
            None if self.n.is_some() && self.kind != TypeChoice::EvalLastN => ("n", "eval_last_n"),
            None => return Ok(()),
        };
        Err(Failure::input(format!(
            "--summary.{name} says something about --summary.type {of} alone"
        )))
    }

    fn rule(&self) -> SummaryRule {
        SummaryRule {
            kind: match self.kind {
                TypeChoice::Auc => SummaryType::Auc,
                TypeChoice::EvalLastN => SummaryType::EvalLastN,
                TypeChoice::Slope => SummaryType::Slope,
            },
            window: self.window.window(),
            scale: self.window.scale(),
            n: self.n.unwrap_or(DEFAULT_N),
        }
    }
}

impl BootstrapArgs {
    fn plan(&self) -> Plan {
        let method = match self.method {
            MethodChoice::Bca => Method::Bca,
            MethodChoice::Percentile => Method::Percentile,
            MethodChoice::BcaMetta => Method::BcaMetta,
        };
        let usual = Plan::new(method, self.seed.unwrap_or(0));
        Plan {
            level: Level {
                alpha: self.alpha,
                side: match self.side {
                    SideChoice::TwoSided => Side::TwoSided,
                    SideChoice::Greater => Side::Greater,
                    SideChoice::Less => Side::Less,
                },
            },
            resamples: self.n_resamples.unwrap_or(usual.resamples),
            ..usual
        }
    }
}
