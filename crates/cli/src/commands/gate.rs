//! `gate`: may this change go in? A verdict as an exit code, for CI.

use super::bench;
use super::choices::{MethodChoice, PairingChoice};
use super::mapping::MappingArgs;
use super::timed_args::TimedArgs;
use crate::bench_display::BenchDisplay;
use crate::candidates;
use crate::console::Console;
use crate::exit::{Done, Exit, Failure};
use crate::printer::Printer;
use crate::written;
use fairtrial_analysis::CompareOptions;
use fairtrial_analysis::bench::BenchEnd;
use fairtrial_analysis::compare::Method;
use fairtrial_analysis::dataset::FactKind;
use fairtrial_analysis::gate::{Gate, GateReason, GateRule, GateWord};
use fairtrial_session::{BenchCommand, GateQuestion, SessionError};
use fairtrial_spec::Filter;
use std::path::PathBuf;

/// Decide whether a run may replace its baseline; the exit code says so
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fairtrial gate                                  the newest run: its arms against its own control
  fairtrial gate bench --baseline branch:main     against the newest run of branch main
  fairtrial gate bench --baseline main.json --rule time=5%:down --md summary.md --junit gate.xml
  fairtrial gate bench --save-baseline main.json  keep this run as a baseline; commit the file
  fairtrial gate --rev main --build make -- ./a in    main timed against your files as they are

A baseline is a name (saved under the data folder), a file, `branch:NAME`, `commit:SHA`, or a run (`NAME`, \
`NAME/STAMP`, a run's folder).

Exit codes: 0 improved or equivalent, 1 regressed, 2 wrong input, 3 invalid (the machine broke too many trials, or the \
run is not finished or has lost records), 4 inconclusive.")]
pub(crate) struct Args {
    /// The run to judge [default: the newest]
    #[arg(add = candidates::runs())]
    run: Option<String>,
    /// What to judge it against [default: the control arm of the same run]
    #[arg(long, value_name = "BASELINE")]
    baseline: Option<String>,
    /// A rule: `metric=margin:direction`, as `time=5%:down`; margin and direction default to the declared ones [default:
    /// every declared metric that has a direction]
    #[arg(long = "rule", value_name = "RULE")]
    rules: Vec<GateRule>,
    /// Two-sided error rate of all rules together [default: the spec's, else 0.05]
    #[arg(long)]
    alpha: Option<f64>,
    /// The share of trials that the machine may break before nothing is concluded
    #[arg(long, default_value_t = 0.1, value_name = "SHARE")]
    most_infra: f64,
    /// The share of each side's trials that must count for a verdict [default: `analysis.valid` of the spec, else 0.95
    /// for agent tasks]
    #[arg(long, value_name = "SHARE")]
    valid: Option<f64>,
    /// Whether units are compared in pairs
    #[arg(long, value_enum, default_value_t = PairingChoice::Auto)]
    pairing: PairingChoice,
    /// Only these trials of both sides, as task=hard,lr=0.1
    #[arg(long, value_name = "FILTER", value_parser = Filter::parse)]
    only: Option<Filter>,
    /// How intervals are made [default: as the spec declares, else by the kind of data]
    #[arg(long, value_enum)]
    method: Option<MethodChoice>,
    #[command(flatten)]
    accepted: Accepted,
    /// End with exit code 0 where the answer is inconclusive
    #[arg(long)]
    allow_inconclusive: bool,
    /// Keep the run as a baseline and judge nothing: a name, or a file that ends in .json
    #[arg(long, value_name = "NAME|FILE", conflicts_with_all = ["baseline", "md", "junit"])]
    save_baseline: Option<String>,
    /// Write a summary as Markdown, for a pull request
    #[arg(long, value_name = "FILE")]
    md: Option<PathBuf>,
    /// Write the answer as JUnit XML
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Print the answer as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    mapping: MappingArgs,
    /// Time this command in the revisions of --rev, and judge that
    #[arg(last = true, value_name = "COMMAND", requires = "rev", conflicts_with_all = ["run", "baseline", "rules", "alpha", "valid", "pairing", "only", "method", "accept_machine", "accept_definition", "accept_task", "save_baseline", "format", "arm", "task", "seed_key"])]
    command: Vec<String>,
    #[command(flatten, next_help_heading = "Revisions")]
    timed: TimedArgs,
}

/// Differences between the sides that the user knows about.
#[derive(Debug, Clone, Copy, clap::Args)]
struct Accepted {
    /// Judge timings that come from different machines
    #[arg(long)]
    accept_machine: bool,
    /// Judge metrics whose numbers the baseline made differently (source, summary, conversion, rounding, unit)
    #[arg(long)]
    accept_definition: bool,
    /// Judge tasks of agents that changed since the baseline, or are scored differently
    #[arg(long)]
    accept_task: bool,
}

impl Accepted {
    fn kinds(self) -> Vec<FactKind> {
        let kinds = [
            (self.accept_machine, FactKind::Machine),
            (self.accept_definition, FactKind::Definition),
            (self.accept_task, FactKind::Task),
        ];
        let accepted = kinds.into_iter().filter(|(accepted, _)| *accepted);
        accepted.map(|(_, kind)| kind).collect()
    }
}

pub(crate) fn run(args: &Args, console: &Console) -> Done {
    if !(0.0..=1.0).contains(&args.most_infra) {
        return Err(Failure::input(format!(
            "--most-infra {} is no share: write 0.1 for 10 %",
            args.most_infra
        )));
    }
    args.check_timed()?;
    if let Some(name) = &args.save_baseline {
        return save(name, args, console);
    }
    let printer = written::beside(
        console.printer,
        [args.md.as_deref(), args.junit.as_deref()],
        args.json,
    )?;
    let mut question = args.question();
    if args.timed.has_revisions() {
        match time_revisions(args, console)? {
            Ok(run) => question.run = Some(run),
            Err(exit) => return Ok(exit),
        }
    }
    let answer = match args.mapping.session(console).gate(&question) {
        // Answered like any other run that cannot be judged: whoever reads the answer of a machine finds it where it
        // always is.
        Err(error @ SessionError::Unfinished { .. }) => {
            let alpha = args.alpha.unwrap_or(CompareOptions::default().alpha);
            let answer = Gate::invalid(
                GateReason::NotJudged {
                    why: error.to_string(),
                },
                alpha,
            );
            write(&answer, args, printer)?;
            if args.json {
                console.printer.json(&answer);
            }
            return Err(error.into());
        }
        answer => answer?,
    };
    write(&answer, args, printer)?;
    if args.json {
        printer.json(&answer);
    } else {
        printer.page(fairtrial_report::console::gate(&answer, printer.terminal()));
    }
    Ok(exit(&answer, args))
}

/// Times the command in the revisions, as `bench` does; gives the run, or how it ended without one that can be judged.
fn time_revisions(args: &Args, console: &Console) -> Result<Result<String, Exit>, Failure> {
    let session = console.session_heard_by(BenchDisplay::new(console.printer));
    let command = BenchCommand::of_words(&args.command);
    let prepared = session.prepare_bench(args.timed.question(vec![command]))?;
    let benched = bench::measured(&session, &prepared, console).map_err(unjudged)?;
    bench::show_failure(&benched, console);
    Ok(match benched.end {
        Some(BenchEnd::Interrupted) => {
            let unjudged = "interrupted: nothing is judged; the runs so far are kept as `bench`";
            console.printer.tell(unjudged);
            Err(Exit::Interrupted)
        }
        // Neither better nor worse: there is no answer.
        Some(BenchEnd::Failed) => Err(Exit::Machine),
        _ => Ok(benched.run_name()),
    })
}

/// A command that fails is no regression: nothing is judged.
fn unjudged(mut failure: Failure) -> Failure {
    if failure.exit == Exit::Failed {
        failure.exit = Exit::Machine;
    }
    failure
}

impl Args {
    /// Revisions have a command, and flags about what is timed have revisions.
    fn check_timed(&self) -> Result<(), Failure> {
        if self.timed.has_revisions() {
            let hint = "fairtrial gate --rev main --build 'make' -- ./program input";
            let no_command = || Failure::input("there is no command to time in the revisions");
            return match self.command[..] {
                [] => Err(no_command().hint(hint)),
                _ => Ok(()),
            };
        }
        self.timed.first_given().map_or(Ok(()), |flag| {
            let why = "is about what `gate --rev REVISION -- COMMAND` times; a run has its own";
            Err(Failure::input(format!("{flag} {why}")))
        })
    }

    /// What was typed, as the library takes it.
    fn question(&self) -> GateQuestion {
        GateQuestion {
            run: self.run.clone(),
            baseline: self.baseline.clone(),
            rules: self.rules.clone(),
            alpha: self.alpha,
            most_infra: self.most_infra,
            valid: self.valid,
            pairing: self.pairing.into(),
            method: self.method.map(Method::from),
            only: self.only.clone(),
            accept: self.accepted.kinds(),
        }
    }
}

fn save(name: &str, args: &Args, console: &Console) -> Done {
    let session = args.mapping.session(console);
    let saved = session.save_baseline(args.run.as_deref(), name)?;
    let printer = console.printer;
    if args.json {
        printer.json(&saved);
    } else {
        printer.line(format!(
            "kept {} ({} trials) as {}",
            saved.of,
            saved.trials,
            saved.baseline.display()
        ));
    }
    Ok(Exit::Fine)
}

fn exit(answer: &Gate, args: &Args) -> Exit {
    match answer.word {
        GateWord::Inconclusive if args.allow_inconclusive => Exit::Fine,
        word => word.into(),
    }
}

fn write(answer: &Gate, args: &Args, printer: Printer) -> Result<(), Failure> {
    let files = [
        (
            &args.md,
            fairtrial_report::markdown::gate as fn(&Gate) -> String,
        ),
        (&args.junit, fairtrial_report::junit::gate),
    ];
    for (path, text) in files {
        if let Some(path) = path {
            written::write(printer, path, text(answer).as_bytes())?;
        }
    }
    Ok(())
}
