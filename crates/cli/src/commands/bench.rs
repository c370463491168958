//! `bench`: is it faster? Commands timed against each other, with hyperfine's flags.

use crate::bench_display::BenchDisplay;
use crate::console::Console;
use crate::exit::{Done, Exit, Failure};
use crate::signals::{self, Placed};
use clap::ValueEnum;
use fairtrial_analysis::bench::BenchEnd;
use fairtrial_analysis::compare::{Pairing, parse_margin};
use fairtrial_analysis::gate::GateWord;
use fairtrial_journal::{Durability, write_atomic_bytes};
use fairtrial_model::{Accepts, Margin, Quiet, TimedOutput};
use fairtrial_report::bench::BenchAnswer;
use fairtrial_session::{
    BenchCommand, BenchMetric, BenchParameter, BenchQuestion, Benched, Controls, Counter,
    ExportQuestion, Exported, GateQuestion, Runs, Session, SessionError, ShellChoice, quiet_cpu,
};
use fairtrial_text::duration::parse_duration;
use std::path::{Path, PathBuf};
use std::time::Duration;

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
    /// A revision to run the one command in, checked out beside your files; once, against your files as they are
    #[arg(long, value_name = "REVISION", conflicts_with_all = ["names", "parameter_list", "parameter_scan"])]
    rev: Vec<String>,
    /// What builds a revision, in its folder; a revision that was built is kept for the next bench
    #[arg(long, value_name = "CMD", requires = "rev")]
    build: Option<String>,
    /// The name of a command, in their order; or, without other commands, `NAME=COMMAND`
    #[arg(short = 'n', long = "command-name", value_name = "NAME")]
    names: Vec<String>,
    /// Runs before the measured ones [default: until the times are stable, at most 5]
    #[arg(short, long, value_name = "NUM")]
    warmup: Option<u32>,
    /// Exactly so many runs of each command
    #[arg(short, long, value_name = "NUM", value_parser = clap::value_parser!(u32).range(1..), conflicts_with_all = ["min_runs", "max_runs", "time_limit"])]
    runs: Option<u32>,
    /// At least so many runs of each command, whatever the time limit
    #[arg(short, long, value_name = "NUM", value_parser = clap::value_parser!(u32).range(2..))]
    min_runs: Option<u32>,
    /// At most so many runs of each command
    #[arg(short = 'M', long, value_name = "NUM", value_parser = clap::value_parser!(u32).range(1..))]
    max_runs: Option<u32>,
    /// How long to wait for the answer, as `10s` or `5m` [default: 30s]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    time_limit: Option<Duration>,
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
    #[arg(long, conflicts_with = "output")]
    show_output: bool,
    /// What becomes of the commands' standard output: `null`, `pipe`, `inherit` or a file [default: null]
    #[arg(long, value_name = "WHERE")]
    output: Option<String>,
    /// The commands' standard input: `null` or a file [default: null]
    #[arg(long, value_name = "WHERE")]
    input: Option<String>,
    /// What is compared
    #[arg(long, value_enum, default_value_t = MetricChoice::Wall)]
    metric: MetricChoice,
    /// Compare counted instructions instead of times, by one run of each command under this tool: noise has no part in it
    #[arg(long, value_enum, conflicts_with_all = ["metric", "runs", "min_runs", "max_runs", "time_limit", "warmup", "export_json", "export_csv", "export_markdown", "show_output", "output"])]
    counter: Option<CounterChoice>,
    /// Keep the commands on one CPU, the last of those that you may use
    #[arg(long, conflicts_with = "counter")]
    pin: bool,
    /// The priority of the commands, from -20 (first; needs a permission) to 19 (last)
    #[arg(long, value_name = "NUM", allow_negative_numbers = true, value_parser = clap::value_parser!(i32).range(-20..=19), conflicts_with = "counter")]
    nice: Option<i32>,
    /// Give the commands the same addresses in every run, where the system allows it
    #[arg(long, conflicts_with = "counter")]
    no_aslr: bool,
    /// The smallest difference that matters, as `1%`
    #[arg(long, value_parser = margin, default_value = "1%")]
    margin: Share,
    /// A parameter and its values, as `threads 1,2,4`: `{threads}` in a command stands for each of them
    #[arg(short = 'L', long, num_args = 2, value_names = ["VAR", "VALUES"], allow_hyphen_values = true)]
    parameter_list: Vec<String>,
    /// A parameter that is a number from MIN to MAX
    #[arg(short = 'P', long, num_args = 3, value_names = ["VAR", "MIN", "MAX"], allow_hyphen_values = true)]
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
    #[arg(long, value_name = "FILE")]
    export_json: Option<PathBuf>,
    /// Which of hyperfine's forms --export-json writes: that of hyperfine 1, or of 2
    #[arg(long, value_name = "1|2", default_value = "1", value_parser = clap::value_parser!(u8).range(1..=2), requires = "export_json")]
    export_json_version: u8,
    /// Write the numbers as hyperfine's CSV
    #[arg(long, value_name = "FILE")]
    export_csv: Option<PathBuf>,
    /// Write the numbers as hyperfine's Markdown table
    #[arg(long, value_name = "FILE")]
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

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum MetricChoice {
    /// The time from start to end
    Wall,
    /// CPU time, user and system together
    Cpu,
    /// User CPU time
    User,
    /// System CPU time
    System,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum CounterChoice {
    /// valgrind's simulated CPU
    Callgrind,
}

/// A share, so that clap shows it as it was typed.
#[derive(Debug, Clone, Copy)]
struct Share(f64);

pub(crate) fn run(args: &Args, console: &Console) -> Done {
    args.unsupported.refuse()?;
    let session = console.session_heard_by(BenchDisplay::new(console.printer));
    let prepared = session.prepare_bench(args.question()?)?;
    let controls = Controls::default();
    signals::reach(&controls, Placed::Timed)?;
    let benched = session.bench(&prepared, &controls).map_err(refused)?;
    show(&benched, args, console);
    export(&benched, args, &session)?;
    let gated = after(&benched, args, &session, console)?;
    Ok(match exit(&benched) {
        Exit::Fine if benched.not_cleaned_up.is_some() => Exit::Failed,
        Exit::Fine => gated,
        ended => ended,
    })
}

/// Writes the files that were asked for.
fn export(benched: &Benched, args: &Args, session: &Session) -> Result<(), Failure> {
    let write = |path: &Path, bytes: &[u8]| write_atomic_bytes(path, Durability::Process, bytes);
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
    let (run, printer) = (&benched.run.report.run, console.printer);
    let name = format!("{}/{}", run.name(), run.stamp());
    let mut exit = Exit::Fine;
    if let Some(baseline) = &args.baseline {
        let gate = session.gate(&GateQuestion {
            run: Some(name.clone()),
            baseline: Some(baseline.clone()),
            rules: Vec::new(),
            alpha: None,
            most_infra: 0.0,
            valid: None,
            // The runs of two benches belong to no pairs.
            pairing: Pairing::Unpaired,
            method: None,
            only: None,
            accept: Vec::new(),
        })?;
        if !args.json {
            printer.page(fairtrial_report::console::gate(&gate, printer.terminal()));
        }
        exit = match gate.word {
            GateWord::Improved | GateWord::Equivalent => Exit::Fine,
            GateWord::Regressed => Exit::Failed,
            GateWord::Invalid => Exit::Machine,
            GateWord::Inconclusive => Exit::Inconclusive,
        };
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
            None => words(benched.metric),
        },
        counted: benched.counter.is_some(),
        margin: benched.margin,
        shell_s: benched.warmth.shell,
        took: benched.took,
    };
    if args.json {
        printer.json(&answer);
    } else {
        printer.page(fairtrial_report::bench::console(&answer, printer.terminal()).trim_end());
    }
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

fn exit(benched: &Benched) -> Exit {
    match benched.end {
        Some(BenchEnd::Interrupted) => Exit::Interrupted,
        Some(BenchEnd::Failed) => Exit::Failed,
        _ => Exit::Fine,
    }
}

const fn words(metric: BenchMetric) -> &'static str {
    match metric {
        BenchMetric::Wall => "wall time",
        BenchMetric::Cpu => "CPU time",
        BenchMetric::User => "user time",
        BenchMetric::System => "system time",
    }
}

impl Args {
    /// What was typed, as the library takes it.
    fn question(&self) -> Result<BenchQuestion, Failure> {
        let (output, shows_output) = self.outputs();
        Ok(BenchQuestion {
            parameters: self.parameters()?,
            revisions: self.rev.clone(),
            build: self.build.clone(),
            shell: self.shell_choice(),
            output,
            shows_output,
            input: self.input.clone().filter(|input| input != "null"),
            warmup: self.warmup,
            setup: self.setup.clone(),
            prepare: self.prepare.clone(),
            conclude: self.conclude.clone(),
            cleanup: self.cleanup.clone(),
            accepts: self.ignore_failure.clone().unwrap_or_default(),
            runs: match self.runs {
                Some(runs) => Runs::exactly(runs),
                None => Runs {
                    least: self.min_runs,
                    most: self.max_runs,
                    limit: self.time_limit.unwrap_or(Runs::LIMIT),
                },
            },
            metric: match self.metric {
                MetricChoice::Wall => BenchMetric::Wall,
                MetricChoice::Cpu => BenchMetric::Cpu,
                MetricChoice::User => BenchMetric::User,
                MetricChoice::System => BenchMetric::System,
            },
            counter: self
                .counter
                .map(|CounterChoice::Callgrind| Counter::Callgrind),
            quiet: self.quiet()?,
            margin: self.margin.0,
            saves: !self.no_save,
            ..BenchQuestion::new(self.named_commands()?)
        })
    }

    fn quiet(&self) -> Result<Quiet, Failure> {
        let unknown = || Failure::input("--pin: this system does not say which CPUs may be used");
        let cpu = self.pin.then(|| quiet_cpu().ok_or_else(unknown));
        Ok(Quiet {
            cpu: cpu.transpose()?,
            nice: self.nice,
            fixed_addresses: self.no_aslr,
        })
    }

    fn outputs(&self) -> (TimedOutput, bool) {
        match self.output.as_deref() {
            _ if self.show_output => (TimedOutput::Pipe, true),
            Some("inherit") => (TimedOutput::Pipe, true),
            None | Some("null") => (TimedOutput::Discard, false),
            Some("pipe") => (TimedOutput::Pipe, false),
            Some(file) => (TimedOutput::File(file.to_owned()), false),
        }
    }

    fn shell_choice(&self) -> ShellChoice {
        match self.shell.as_deref() {
            _ if self.no_shell => ShellChoice::Never,
            None => ShellChoice::WhenNeeded,
            Some("none") => ShellChoice::Never,
            Some("default") => ShellChoice::Named("/bin/sh".to_owned()),
            Some(shell) => ShellChoice::Named(shell.to_owned()),
        }
    }

    fn parameters(&self) -> Result<Vec<BenchParameter>, Failure> {
        let lists = self.parameter_list.chunks_exact(2);
        let lists = lists.map(|list| Ok(BenchParameter::list(&list[0], &list[1])));
        let scans = self.parameter_scan.chunks_exact(3);
        let scans = scans.map(|scan| {
            let range = [&*scan[1], &*scan[2], &*self.parameter_step_size];
            Ok(BenchParameter::scan(&scan[0], range)?)
        });
        lists.chain(scans).collect()
    }

    fn named_commands(&self) -> Result<Vec<BenchCommand>, Failure> {
        if let (false, [_, ..]) = (self.rev.is_empty(), &self.commands[..]) {
            return Ok(vec![BenchCommand::of_words(&self.commands)]);
        }
        if self.commands.is_empty() {
            return self.commands_in_names();
        }
        if self.names.len() > self.commands.len() {
            return Err(Failure::input(format!(
                "there are {} names for {} commands",
                self.names.len(),
                self.commands.len()
            )));
        }
        let commands = self.commands.iter().enumerate();
        Ok(commands
            .map(|(place, text)| BenchCommand {
                name: self.names.get(place).cloned(),
                text: text.clone(),
            })
            .collect())
    }

    fn commands_in_names(&self) -> Result<Vec<BenchCommand>, Failure> {
        if self.names.is_empty() {
            let hint = "fairtrial bench 'command one' 'command two'";
            return Err(Failure::input("there is no command to time").hint(hint));
        }
        let named = self.names.iter().map(|given| {
            let (name, text) = given.split_once('=').ok_or_else(|| {
                Failure::input(format!("`-n {given}` names no command"))
                    .hint("write -n NAME='COMMAND', or give the commands after the names")
            })?;
            Ok(BenchCommand {
                name: Some(name.to_owned()),
                text: text.to_owned(),
            })
        });
        named.collect()
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

fn duration(text: &str) -> Result<Duration, String> {
    let seconds = parse_duration(text).map_err(|error| error.to_string())?;
    Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())
}

fn margin(text: &str) -> Result<Share, String> {
    match parse_margin(text)? {
        Margin::Relative(share) if share > 0.0 => Ok(Share(share)),
        _ => Err("give a share of the time above 0, like 1%".to_owned()),
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
