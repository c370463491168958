//! `power`: how many runs a difference needs, from a pilot run or a stated spread.

use super::mapping::MappingArgs;
use crate::candidates;
use crate::console::Console;
use crate::exit::{Done, Exit, Failure};
use crate::written;
use clap::ArgGroup;
use fairtrial_analysis::compare::parse_margin;
use fairtrial_analysis::power::{
    Basis, Pilot, PilotQuestion, PowerGoal, PowerOptions, Rates, RatesOptions, parse_rates, plan,
    plan_rates,
};
use fairtrial_model::{Margin, Stamp};
use fairtrial_session::RunChoice;
use fairtrial_spec::DEFAULT_ALPHA;
use std::path::PathBuf;

/// Plan how many seeds a difference needs, and see what a number of seeds can find
#[derive(Debug, clap::Args)]
#[command(
    group(ArgGroup::new("basis").required(true).args(["name", "sd", "rates"])),
    after_help = "\
Examples:
  fairtrial power pilot --metric overview/reward --effect 2%
  fairtrial power --sd 0.5 --effect 0.2
  fairtrial power --sd 0.5 --correlation 0.8 --effect 0.2 --power 0.9 --n 10 15 20
  fairtrial power --sd 0.5 --effect 0.2 --equivalence   to show that arms are alike within 0.2
  fairtrial power --rates 0.4:0.5                             pass rates of control and candidate
  fairtrial power --sd 0.02 --correlation 0.5 --effect 0.03 --beyond 0.01    a timing, in shares"
)]
pub(crate) struct Args {
    /// The pilot: a benchmark's newest run
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// The run with this stamp, as `20250824__12-34-56`
    #[arg(long, value_name = "STAMP", requires = "name")]
    rollout: Option<Stamp>,
    /// Standard deviation of one run, instead of a pilot
    #[arg(long, value_name = "SD", allow_negative_numbers = true)]
    sd: Option<f64>,
    /// Correlation of the arms over shared seeds, to plan pairs from a stated spread
    #[arg(
        long,
        value_name = "RHO",
        requires = "sd",
        allow_negative_numbers = true
    )]
    correlation: Option<f64>,
    /// The metric of the pilot [default: the first declared one]
    #[arg(long, value_name = "METRIC", requires = "name", add = candidates::metrics())]
    metric: Option<String>,
    /// The control arm of the pilot [default: the spec's]
    #[arg(long, value_name = "ARM", requires = "name")]
    control: Option<String>,
    /// The candidate arm of the pilot [default: the only other one]
    #[arg(long, value_name = "ARM", requires = "name")]
    candidate: Option<String>,
    /// The difference to find: `2%` of the control, or a number in the metric's unit [default: the declared margin]
    #[arg(long, value_parser = parse_margin, value_name = "SIZE", allow_hyphen_values = true)]
    effect: Option<Margin>,
    /// Plan to find arms that are the same equivalent: `--effect` is the margin
    #[arg(long, conflicts_with = "beyond")]
    equivalence: bool,
    /// Pass rates of control and candidate, as `0.4:0.5`, instead of a spread
    #[arg(long, value_parser = parse_rates, value_name = "RATES", conflicts_with_all = ["effect", "beyond", "equivalence", "output"])]
    rates: Option<Rates>,
    /// The share of tasks on which one arm alone passes, to plan pairs of rates [default: that of arms with nothing in common]
    #[arg(long, value_name = "SHARE", requires = "rates")]
    discordance: Option<f64>,
    /// The threshold that the whole interval must clear, as timings must [default: that of the pilot's verdict, else none]
    #[arg(long, value_parser = parse_margin, value_name = "SIZE", allow_hyphen_values = true)]
    beyond: Option<Margin>,
    /// The chance to find it
    #[arg(long, default_value_t = 0.8, allow_negative_numbers = true)]
    power: f64,
    /// Two-sided error rate [default: the spec's, else 0.05]
    #[arg(long, allow_negative_numbers = true)]
    alpha: Option<f64>,
    /// Numbers of pairs, or of runs per arm, to show
    #[arg(long, num_args = 1.., value_name = "N")]
    n: Vec<usize>,
    /// Where the power curve goes: a .png or .svg file
    #[arg(long, value_name = "PLOT")]
    output: Option<PathBuf>,
    /// Print the plan as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    mapping: MappingArgs,
}

pub(crate) fn run(args: &Args, console: &Console) -> Done {
    let printer = written::beside(console.printer, [args.output.as_deref()], args.json)?;
    if let Some(rates) = args.rates {
        let options = RatesOptions {
            discordance: args.discordance,
            power: args.power,
            alpha: args.alpha.unwrap_or(DEFAULT_ALPHA),
            sizes: args.n.clone(),
        };
        let report = plan_rates(rates, &options)?;
        if args.json {
            printer.json(&report);
        } else {
            printer.page(fairtrial_report::power::rates(&report));
        }
        return Ok(Exit::Fine);
    }
    let picture = args.output.as_deref().map(written::kind_of).transpose()?;
    let mut options = PowerOptions {
        goal: if args.equivalence {
            PowerGoal::Equivalence
        } else {
            PowerGoal::Difference
        },
        effect: args.effect,
        power: args.power,
        alpha: args.alpha.unwrap_or(DEFAULT_ALPHA),
        sizes: args.n.clone(),
    };
    let basis = match (&args.name, args.sd) {
        (Some(name), _) => Basis::Pilot(pilot((name, args), &mut options, console)?),
        (None, Some(sd)) => Basis::Stated {
            sd,
            correlation: args.correlation,
            beyond: match args.beyond {
                None => 0.0,
                Some(Margin::Absolute(size)) => size,
                Some(Margin::Relative(_)) => {
                    return Err(Failure::input(
                        "a relative threshold needs a pilot; beside --sd it is a number like the effect (--beyond 0.01)",
                    ));
                }
            },
        },
        (None, None) => {
            return Err(Failure::input(
                "name a pilot run, or state the spread with --sd",
            ));
        }
    };
    let report = plan(&basis, &options)?;
    if let (Some(picture), Some(path)) = (picture, &args.output) {
        let figure = fairtrial_report::power::figure(&report).ok_or_else(|| {
            Failure::input("a power curve needs a difference to find").hint("name it: --effect 2%")
        })?;
        written::write(printer, path, &picture.bytes(&figure)?)?;
    }
    if args.json {
        printer.json(&report);
    } else {
        printer.page(fairtrial_report::console::power(&report, printer.terminal()).trim_end());
    }
    Ok(Exit::Fine)
}

/// The pilot's values; what its spec declares fills in what the user did not say.
fn pilot(
    (name, args): (&str, &Args),
    options: &mut PowerOptions,
    console: &Console,
) -> Result<Pilot, Failure> {
    let run = RunChoice {
        name: Some(name.to_owned()),
        stamp: args.rollout,
    };
    let question = PilotQuestion {
        metric: args.metric.clone(),
        control: args.control.clone(),
        candidate: args.candidate.clone(),
        beyond: args.beyond,
    };
    let found = args.mapping.session(console).pilot(&run, question)?;
    options.effect = options.effect.or_else(|| found.pilot.default_effect());
    options.alpha = args.alpha.unwrap_or(found.alpha);
    Ok(found.pilot)
}
