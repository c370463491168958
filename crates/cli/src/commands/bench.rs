//! `bench`: is it faster? Commands timed against each other, with hyperfine's flags.

mod question;

use super::timed_args::TimedArgs;
use crate::bench_display::BenchDisplay;
use crate::console::Console;
use crate::exit::{Done, Exit, Failure};
use crate::printer::Printer;
use crate::signals::{self, Placed};
use crate::written;
use fairtrial_analysis::bench::BenchEnd;
use fairtrial_analysis::compare::Pairing;
use fairtrial_model::Accepts;
use fairtrial_report::bench::{BenchAnswer, BenchNumbers};
use fairtrial_session::{
    Benched, Controls, Counter, ExportQuestion, Exported, GateQuestion, PreparedBench, Session,
    SessionError, tuned_words,
};
use std::path::{Path, PathBuf};

/// Time commands against each other and say whether one is faster
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fairtrial bench 'sort big.txt' 'sort -S 1G big.txt'    the second against the first
  fairtrial bench -n old='./old in' -n new='./new in'    with names
  fairtrial bench ./program                              one alone, until its mean is known to ±1 %
  fairtrial bench -r 20 './a' './b'                      exactly 20 runs of each
  fairtrial bench --prepare 'sync' --warmup 3 './a' './b'
  fairtrial bench -L n 1,2,4 './a --threads {n}'         every value against the first
  fairtrial bench --metric cpu './a' './b'               CPU time: less in the way of a busy machine
  fairtrial bench --rev main --build 'make' -- ./a in    main against your files as they are

The commands run in turns, in random order, one at a time, until it is decided or the time is up.
The flags have the names that hyperfine gives them. The run is kept: `report`, `compare` and `gate`
work on it by the name `bench`.")]
#[allow(clippy::struct_excessive_bools, reason = "clap's form of flags")]
pub(crate) struct Args {
    /// The commands; the others are compared with the first
    #[arg(value_name = "COMMAND")]
    commands: Vec<String>,
    #[command(flatten)]
    timed: TimedArgs,
    /// The name of a command, in their order; or, without other commands, `NAME=COMMAND`
    #[arg(
        short = 'n',
        long = "command-name",
        value_name = "NAME",
        conflicts_with = "rev"
    )]
    names: Vec<String>,
    /// Runs before the measured ones [default: until the times are stable, at most 5]
    #[arg(short, long, value_name = "NUM", conflicts_with = "counter")]
    warmup: Option<u32>,
    /// Exactly so many runs of each command
    #[arg(short, long, value_name = "NUM", value_parser = clap::value_parser!(u32).range(1..), conflicts_with_all = ["min_runs", "max_runs", "time_limit", "counter"])]
    runs: Option<u32>,
    /// At least so many runs of each command, whatever the time limit
    #[arg(short, long, value_name = "NUM", value_parser = clap::value_parser!(u32).range(2..), conflicts_with = "counter")]
    min_runs: Option<u32>,
    /// At most so many runs of each command
    #[arg(short = 'M', long, value_name = "NUM", value_parser = clap::value_parser!(u32).range(1..), conflicts_with = "counter")]
    max_runs: Option<u32>,
    /// Run before the first run; once for all commands, or once for each of them
    #[arg(short, long, value_name = "CMD")]
    setup: Vec<String>,
    /// Run before each run, outside of the measured time; once for all commands, or once for each of them
    #[arg(short, long, value_name = "CMD")]
    prepare: Vec<String>,
    /// Run after each run, outside of the measured time; once for all commands, or once for each of them
    #[arg(short = 'C', long, value_name = "CMD")]
    conclude: Vec<String>,
    /// Run after the last run; once for all commands, or once for each of them
    #[arg(short, long, value_name = "CMD")]
    cleanup: Vec<String>,
    /// The shell that runs the commands; `none` for no shell [default: /bin/sh, only where a command needs one]
    #[arg(short = 'S', long, value_name = "SHELL", conflicts_with = "no_shell")]
    shell: Option<String>,
    /// Without a shell: each command is split into words
    #[arg(short = 'N')]
    no_shell: bool,
    /// Count runs that fail: all of them, or those with these exit codes
    #[arg(short, long, value_name = "CODES", num_args = 0..=1, require_equals = true, default_missing_value = "all-non-zero", value_parser = accepts)]
    ignore_failure: Option<Accepts>,
    /// Show what the commands write
    #[arg(long, conflicts_with_all = ["output", "counter"])]
    show_output: bool,
    /// What becomes of the commands' standard output: `null`, `pipe`, `inherit` or a file [default: null]
    #[arg(long, value_name = "WHERE", conflicts_with = "counter")]
    output: Option<String>,
    /// The commands' standard input: `null` or a file [default: null]
    #[arg(long, value_name = "WHERE")]
    input: Option<String>,
    /// Keep the commands on one CPU, the last of those that you may use
    #[arg(long, conflicts_with = "counter")]
    pin: bool,
    /// The priority of the commands, from -20 (first; needs a permission) to 19 (last)
    #[arg(long, value_name = "NUM", allow_negative_numbers = true, value_parser = clap::value_parser!(i32).range(-20..=19), conflicts_with = "counter")]
    nice: Option<i32>,
    /// Give the commands the same addresses in every run, where the system allows it
    #[arg(long, conflicts_with = "counter")]
    no_aslr: bool,
    /// A parameter and its values, as `threads 1,2,4`: `{threads}` in a command stands for each of them
    #[arg(short = 'L', long, num_args = 2, value_names = ["VAR", "VALUES"], allow_hyphen_values = true, conflicts_with = "rev")]
    parameter_list: Vec<String>,
    /// A parameter that is a number from MIN to MAX
    #[arg(short = 'P', long, num_args = 3, value_names = ["VAR", "MIN", "MAX"], allow_hyphen_values = true, conflicts_with = "rev")]
    parameter_scan: Vec<String>,
    /// The step of --parameter-scan
    #[arg(
        short = 'D',
        long,
        value_name = "DELTA",
        default_value = "1",
        requires = "parameter_scan"
    )]
    parameter_step_size: String,
    /// Write the times as hyperfine's JSON
    #[arg(long, value_name = "FILE", conflicts_with = "counter")]
    export_json: Option<PathBuf>,
    /// Which of hyperfine's forms --export-json writes: that of hyperfine 1, or of 2
    #[arg(long, value_name = "1|2", default_value = "1", value_parser = clap::value_parser!(u8).range(1..=2), requires = "export_json")]
    export_json_version: u8,
    /// Write the numbers as hyperfine's CSV
    #[arg(long, value_name = "FILE", conflicts_with = "counter")]
    export_csv: Option<PathBuf>,
    /// Write the numbers as hyperfine's Markdown table
    #[arg(long, value_name = "FILE", conflicts_with = "counter")]
    export_markdown: Option<PathBuf>,
    /// Keep the run as a baseline of this name
    #[arg(long, value_name = "NAME", conflicts_with = "no_save")]
    save_baseline: Option<String>,
    /// Compare one command with a baseline of itself, which an earlier bench kept
    #[arg(long, value_name = "NAME", conflicts_with = "no_save")]
    baseline: Option<String>,
    /// Leave no run behind
    #[arg(long)]
    no_save: bool,
    /// Print the answer as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    unsupported: Unsupported,
}

/// Flags of hyperfine that are known and not supported: whoever types one is told so, by name.
#[derive(Debug, clap::Args)]
struct Unsupported {
    #[arg(long, hide = true)]
    reference: Option<String>,
    #[arg(long, hide = true)]
    style: Option<String>,
    #[arg(long, hide = true)]
    sort: Option<String>,
    #[arg(short = 'u', long, hide = true)]
    time_unit: Option<String>,
    #[arg(long, hide = true)]
    export_asciidoc: Option<String>,
    #[arg(long, hide = true)]
    export_orgmode: Option<String>,
}

pub(crate) fn run(args: &Args, console: &Console) -> Done {
    args.unsupported.refuse()?;
    let files = [&args.export_json, &args.export_csv, &args.export_markdown];
    let files = files.map(|file| file.as_deref());
    let printer = written::beside(console.printer, files, args.json)?;
    let console = &console.with_printer(printer);
    let session = console.session_heard_by(BenchDisplay::new(console.printer));
    args.check_exports()?;
    let prepared = session.prepare_bench(args.question()?)?;
    if let Some(baseline) = &args.baseline {
        session.check_bench_baseline(&prepared, baseline)?;
    }
    let benched = measured(&session, &prepared, console)?;
    show(&benched, args, console);
    show_failure(&benched, console);
    export(&benched, args, &session, printer)?;
    let ended = exit(&benched);
    if ended != Exit::Fine {
        args.tell_left_alone(console);
        return Ok(ended);
    }
    let gated = after(&benched, args, &session, console)?;
    Ok(match benched.not_cleaned_up {
        Some(_) => Exit::Failed,
        None => gated,
    })
}

/// Runs a bench that Ctrl-C ends.
pub(crate) fn measured(
    session: &Session,
    prepared: &PreparedBench,
    console: &Console,
) -> Result<Benched, Failure> {
    // Whether that can be read decides nothing here; `doctor` says so.
    if let Ok(Some(tuned)) = session.tuning().tuned() {
        console.printer.tell(tuned_words(&tuned));
    }
    let controls = Controls::default();
    signals::reach(&controls, Placed::Timed)?;
    session.bench(prepared, &controls).map_err(refused)
}

/// Writes the files that were asked for.
fn export(
    benched: &Benched,
    args: &Args,
    session: &Session,
    printer: Printer,
) -> Result<(), Failure> {
    let write = |path: &Path, bytes: &[u8]| written::write(printer, path, bytes);
    if let Some(path) = &args.export_json {
        let question = ExportQuestion {
            to: match args.export_json_version {
                2 => "hyperfine-v2".to_owned(),
                _ => "hyperfine".to_owned(),
            },
            ..ExportQuestion::default()
        };
        if let Exported::File(bytes) = session.export(&benched.run.report.run, &question)? {
            write(path, &bytes)?;
        }
    }
    if let Some(path) = &args.export_csv {
        let text = fairtrial_report::bench::csv(&benched.timings);
        let text = text.map_err(|error| Failure::machine(error.to_string()))?;
        write(path, text.as_bytes())?;
    }
    if let Some(path) = &args.export_markdown {
        let text = fairtrial_report::bench::markdown(&benched.timings);
        write(path, text.as_bytes())?;
    }
    Ok(())
}

/// Judges the run against a baseline, and keeps it as one.
fn after(benched: &Benched, args: &Args, session: &Session, console: &Console) -> Done {
    let (name, printer) = (benched.run_name(), console.printer);
    let mut exit = Exit::Fine;
    if let Some(baseline) = &args.baseline {
        let gate = session.gate(&GateQuestion {
            run: Some(name.clone()),
            baseline: Some(baseline.clone()),
            rules: Vec::new(),
            alpha: None,
            most_infra: 0.0,
            valid: None,
            pairing: Pairing::Auto,
            method: None,
            only: None,
            accept: Vec::new(),
        })?;
        if !args.json {
            printer.page(fairtrial_report::console::gate(&gate, printer.terminal()));
        }
        exit = gate.word.into();
    }
    if let Some(baseline) = &args.save_baseline {
        let saved = session.save_baseline(Some(&name), baseline)?;
        printer.tell(format!("kept {} as {}", saved.of, saved.baseline.display()));
    }
    Ok(exit)
}

/// A command that fails is a failure of its own, as when it fails later.
fn refused(error: SessionError) -> Failure {
    let (failed, interrupted) = (
        matches!(error, SessionError::BenchFailed { .. }),
        matches!(error, SessionError::BenchInterrupted { .. }),
    );
    let mut failure = Failure::from(error);
    if interrupted {
        failure.exit = Exit::Interrupted;
    } else if failed {
        failure.exit = Exit::Failed;
        return failure.hint(COUNT_FAILURES);
    }
    failure
}

const COUNT_FAILURES: &str = "--ignore-failure counts runs that fail all the same";

fn show(benched: &Benched, args: &Args, console: &Console) {
    let printer = console.printer;
    let answer = BenchAnswer {
        answers: &benched.answers,
        commands: &benched.timings,
        noticed: &benched.noticed,
        end: benched.end,
        metric: match benched.counter {
            Some(Counter::Callgrind) => "instructions",
            None => benched.metric.words(),
        },
        numbers: match (benched.counter, benched.metric.counter()) {
            (Some(_), _) => BenchNumbers::Exact,
            (None, Some(_)) => BenchNumbers::Counts,
            (None, None) => BenchNumbers::Times,
        },
        margin: benched.margin,
        shell_s: benched.warmth.shell,
        took: benched.took,
    };
    if args.json {
        printer.json(&answer);
    } else {
        printer.page(fairtrial_report::bench::console(&answer, printer.terminal()).trim_end());
    }
}

/// The command that failed, with what it said; and what cleans up, where that did.
pub(crate) fn show_failure(benched: &Benched, console: &Console) {
    let printer = console.printer;
    if let Some(failure) = &benched.failure {
        let said = if failure.said.is_empty() {
            String::new()
        } else {
            format!(". It said:\n{}", failure.said)
        };
        let message = format!("`{}` failed: {}{said}", failure.command, failure.how);
        printer.error(&message, Some(COUNT_FAILURES));
    }
    if let Some(error) = &benched.not_cleaned_up {
        printer.error(&error.to_string(), None);
    }
}

impl Args {
    /// A bench that did not come to its end is no baseline, and is not judged by one.
    fn tell_left_alone(&self, console: &Console) {
        if let Some(baseline) = &self.baseline {
            let said = format!("nothing is judged against the baseline `{baseline}`");
            console.printer.tell(said);
        }
        if let Some(baseline) = &self.save_baseline {
            let said = format!("nothing is kept as the baseline `{baseline}`");
            console.printer.tell(said);
        }
    }
}

fn exit(benched: &Benched) -> Exit {
    match benched.end {
        Some(BenchEnd::Interrupted) => Exit::Interrupted,
        Some(BenchEnd::Failed) => Exit::Failed,
        _ => Exit::Fine,
    }
}

impl Unsupported {
    /// Names the first flag that was typed.
    fn refuse(&self) -> Result<(), Failure> {
        let given = [
            ("--reference", self.reference.is_some()),
            ("--style", self.style.is_some()),
            ("--sort", self.sort.is_some()),
            ("--time-unit", self.time_unit.is_some()),
            ("--export-asciidoc", self.export_asciidoc.is_some()),
            ("--export-orgmode", self.export_orgmode.is_some()),
        ];
        match given.iter().find(|(_, given)| *given) {
            None => Ok(()),
            Some((flag, _)) => Err(Failure::input(format!(
                "hyperfine's {flag} is not supported by `fairtrial bench` yet; nothing was run"
            ))),
        }
    }
}

fn accepts(text: &str) -> Result<Accepts, String> {
    if text == "all-non-zero" {
        return Ok(Accepts::Any);
    }
    let codes = text.split(',').map(|code| code.trim().parse());
    let codes: Result<Vec<i32>, _> = codes.collect();
    codes
        .map(Accepts::Codes)
        .map_err(|_| format!("`{text}` is not `all-non-zero` or a list of exit codes"))
}
