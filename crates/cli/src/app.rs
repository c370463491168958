//! The command line as the user types it; each command is one file under `commands/`.

use crate::commands::{
    analyze, cancel, check, compare, completions, demo, doctor, eval, exec, gate, gc, init, list,
    logs, plan, power, preset, register, report, run, schema, status, summarize, sweep, table,
    task, variance, verify, wait,
};
use crate::exit::{Done, Failure};
use crate::global::Global;
use crate::printer::Printer;
use clap::{CommandFactory, Parser, Subcommand};
use std::process::ExitCode;

/// Give every change a fair trial: run benchmark experiments and see whether the difference is real.
#[derive(Debug, Parser)]
#[command(name = "fairtrial", version, propagate_version = true, max_term_width = 100, after_help = EXAMPLES)]
struct App {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    global: Global,
}

const EXAMPLES: &str = "\
Examples:
  fairtrial demo                        a complete small comparison, offline, in under a minute
  fairtrial init > bench.toml           a spec to start from
  fairtrial run bench.toml              run it; `--resume` goes on after any interruption
  fairtrial summarize bench --latest    the table again

Exit codes: 0 fine, 1 trials failed or a regression, 2 wrong input, 3 machine or engine, 4 inconclusive (gate),
130 interrupted.";

#[derive(Debug, Subcommand)]
enum Command {
    Check(check::Args),
    Plan(plan::Args),
    Run(run::Args),
    Status(status::Args),
    Watch(wait::WatchArgs),
    Wait(wait::WaitArgs),
    Cancel(cancel::Args),
    Logs(logs::Args),
    List(list::Args),
    Summarize(summarize::Args),
    Eval(eval::Args),
    Gc(gc::Args),
    Task(task::Args),
    Analyze(analyze::Args),
    Variance(variance::Args),
    Power(power::Args),
    Compare(compare::Args),
    Sweep(sweep::Args),
    Gate(gate::Args),
    Report(report::Args),
    Register(register::Args),
    Verify(verify::Args),
    Schema(schema::Args),
    Init(init::Args),
    Demo(demo::Args),
    Doctor(doctor::Args),
    Table(table::Args),
    Preset(preset::Args),
    Completions(completions::Args),
    #[command(hide = true)]
    Exec(exec::Args),
}

/// Parses, runs, and turns what came of it into an exit code.
pub(crate) fn main() -> ExitCode {
    let app = App::parse();
    let printer = Printer::new(app.global.color);
    match app.command.run(&app.global, printer) {
        Ok(exit) => exit.into(),
        Err(Failure {
            exit,
            message,
            hint,
        }) => {
            printer.error(&message, hint.as_deref());
            exit.into()
        }
    }
}

impl Command {
    fn run(self, global: &Global, printer: Printer) -> Done {
        match self {
            Self::Check(args) => check::run(&args, global, printer),
            Self::Plan(args) => plan::run(&args, global, printer),
            Self::Run(args) => run::run(&args, global, printer),
            Self::Status(args) => status::run(&args, global, printer),
            Self::Watch(args) => wait::watch(&args, global, printer),
            Self::Wait(args) => wait::wait(&args, global, printer),
            Self::Cancel(args) => cancel::run(&args, global, printer),
            Self::Logs(args) => logs::run(&args, global, printer),
            Self::Exec(args) => exec::run(&args, printer),
            Self::List(args) => list::run(&args, global, printer),
            Self::Analyze(args) => analyze::run(&args, global, printer),
            Self::Variance(args) => variance::run(&args, global, printer),
            Self::Power(args) => power::run(&args, global, printer),
            Self::Summarize(args) => summarize::run(&args, global, printer),
            Self::Gc(args) => gc::run(&args, global, printer),
            Self::Task(args) => task::run(&args, global, printer),
            Self::Eval(args) => eval::run(&args, global, printer),
            Self::Compare(args) => compare::run(&args, global, printer),
            Self::Sweep(args) => sweep::run(&args, global, printer),
            Self::Gate(args) => gate::run(&args, global, printer),
            Self::Report(args) => report::run(&args, global, printer),
            Self::Register(args) => register::run(&args, printer),
            Self::Verify(args) => verify::run(&args, global, printer),
            Self::Schema(args) => Ok(schema::run(&args, printer)),
            Self::Init(args) => init::run(&args, printer),
            Self::Demo(args) => demo::run(&args, global, printer),
            Self::Doctor(args) => Ok(doctor::run(&args, global, printer)),
            Self::Table(args) => table::run(&args, global, printer),
            Self::Preset(args) => preset::run(&args, printer),
            Self::Completions(args) => Ok(completions::run(&args, App::command(), printer)),
        }
    }
}
