//! The command line as the user types it; each command is one file under `commands/`.

use crate::commands::{
    analyze, archive, bench, bisect, cancel, check, compare, completions, data_root, demo, doctor,
    eval, exec, explain, export, gate, gc, history, import, init, list, logs, own, plan, power,
    preset, register, remeasure, report, reproduce, run, schema, serve, sql, status, summarize,
    sweep, table, task, unpack, variance, verify, wait,
};
use crate::console::Console;
use crate::exit::{Done, Exit, Failure};
use crate::global::Global;
use crate::overview::grouped;
use crate::printer::Printer;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use clap_complete::CompleteEnv;
use fairtrial_text::nearest::nearest;
use std::process::ExitCode;

/// Give every change a fair trial: run benchmark experiments and see whether the difference is real.
#[derive(Debug, Parser)]
#[command(name = "fairtrial", version, propagate_version = true, max_term_width = 100, after_help = EXAMPLES)]
pub(crate) struct App {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    global: Global,
}

const EXAMPLES: &str = "\
Examples:
  fairtrial bench 'sleep 0.1' 'sleep 0.2'   is the second command faster?
  fairtrial demo                            a complete small comparison, offline, in seconds
  fairtrial init my-comparison.toml         a spec to start from
  fairtrial run my-comparison.toml          run it; `--resume` finishes it after any interruption
  fairtrial compare my-comparison           the verdict again, with what it rests on
  fairtrial report my-comparison            one page to look at and to send

Exit codes: 0 fine, 1 trials failed or a regression, 2 wrong input, 3 machine or engine, 4 inconclusive (gate), \
130 interrupted.";

#[derive(Debug, Subcommand)]
enum Command {
    Check(check::Args),
    Plan(plan::Args),
    Run(run::Args),
    Bench(Box<bench::Args>),
    Bisect(bisect::Args),
    Status(status::Args),
    Watch(wait::WatchArgs),
    Serve(serve::Args),
    Wait(wait::WaitArgs),
    Cancel(cancel::Args),
    Logs(logs::Args),
    Explain(explain::Args),
    Unpack(unpack::Args),
    List(list::Args),
    Summarize(summarize::Args),
    Import(import::Args),
    Export(export::Args),
    Eval(eval::Args),
    Remeasure(remeasure::Args),
    Archive(archive::Args),
    Gc(gc::Args),
    Task(task::Args),
    Analyze(analyze::Args),
    Variance(variance::Args),
    History(history::Args),
    Power(power::Args),
    Compare(compare::Args),
    Sweep(sweep::Args),
    Gate(gate::Args),
    Report(report::Args),
    Register(register::Args),
    Verify(verify::Args),
    Reproduce(reproduce::Args),
    Schema(schema::Args),
    Init(init::Args),
    Demo(demo::Args),
    Doctor(doctor::Args),
    Where(data_root::Args),
    Sql(sql::Args),
    Table(table::Args),
    Preset(preset::Args),
    Completions(completions::Args),
    #[command(name = "self")]
    Own(own::Args),
    #[command(hide = true)]
    Exec(exec::Args),
}

/// The command line, its commands in groups.
pub(crate) fn command() -> clap::Command {
    grouped(App::command())
}

/// Parses, runs, and turns what came of it into an exit code.
pub(crate) fn main() -> ExitCode {
    CompleteEnv::with_factory(command)
        .var(completions::ASKED_BY)
        .complete();
    let typed = command().try_get_matches();
    let app = typed
        .and_then(|typed| App::from_arg_matches(&typed))
        .unwrap_or_else(|error| with_suggestion(error).exit());
    let printer = Printer::new(app.global.color);
    let console = Console::new(&app.global, printer);
    let done = console.and_then(|console| app.command.run(&console));
    let exit = done.unwrap_or_else(|failure| told(&failure, printer));
    exit_of_output(exit, printer).into()
}

/// Says what went wrong; gives the code.
fn told(failure: &Failure, printer: Printer) -> Exit {
    printer.error(&failure.message, failure.hint.as_deref());
    failure.exit
}

/// Whoever reads a truncated answer must not take it for the whole: the machine failed, whatever the answer was. Wrong
/// input and an interruption stay what they are.
fn exit_of_output(exit: Exit, printer: Printer) -> Exit {
    let Some(error) = printer.finish() else {
        return exit;
    };
    let message =
        format!("cannot write to standard output: {error}; what was written is not whole");
    printer.error(&message, None);
    match exit {
        Exit::Input | Exit::Interrupted => exit,
        _ => Exit::Machine,
    }
}

/// Adds the subcommand that may be meant: clap finds none for a short word with two letters swapped.
fn with_suggestion(mut error: clap::Error) -> clap::Error {
    if error.kind() != ErrorKind::InvalidSubcommand
        || error.get(ContextKind::SuggestedSubcommand).is_some()
    {
        return error;
    }
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand) else {
        return error;
    };
    let app = App::command();
    let mut parent = &app;
    for argument in std::env::args().skip(1).take_while(|it| it != word) {
        parent = parent.find_subcommand(&argument).unwrap_or(parent);
    }
    let shown = parent.get_subcommands().filter(|it| !it.is_hide_set());
    if let Some(meant) = nearest(word, shown.map(clap::Command::get_name)) {
        let meant = ContextValue::Strings(vec![meant.to_owned()]);
        error.insert(ContextKind::SuggestedSubcommand, meant);
    }
    error
}

impl Command {
    /// Whether it looks into the data folder.
    fn uses_data(&self) -> bool {
        !matches!(
            self,
            Self::Exec(_)
                | Self::Register(_)
                | Self::Schema(_)
                | Self::Init(_)
                | Self::Doctor(_)
                | Self::Preset(_)
                | Self::Completions(_)
                | Self::Own(_)
        )
    }

    fn run(self, console: &Console) -> Done {
        if self.uses_data() {
            console.session().check_data_root()?;
        }
        match self {
            Self::Check(args) => Ok(check::run(&args, console)),
            Self::Plan(args) => plan::run(&args, console),
            Self::Run(args) => run::run(&args, console),
            Self::Bench(args) => bench::run(&args, console),
            Self::Bisect(args) => bisect::run(&args, console),
            Self::Status(args) => status::run(&args, console),
            Self::Watch(args) => wait::watch(&args, console),
            Self::Serve(args) => serve::run(&args, console),
            Self::Wait(args) => wait::wait(&args, console),
            Self::Cancel(args) => cancel::run(&args, console),
            Self::Logs(args) => logs::run(&args, console),
            Self::Explain(args) => explain::run(&args, console),
            Self::Unpack(args) => unpack::run(&args, console),
            Self::Exec(args) => exec::run(&args, console),
            Self::List(args) => list::run(&args, console),
            Self::Analyze(args) => analyze::run(&args, console),
            Self::Variance(args) => variance::run(&args, console),
            Self::History(args) => history::run(&args, console),
            Self::Power(args) => power::run(&args, console),
            Self::Summarize(args) => summarize::run(&args, console),
            Self::Archive(args) => archive::run(&args, console),
            Self::Gc(args) => gc::run(&args, console),
            Self::Import(args) => import::run(&args, console),
            Self::Export(args) => export::run(&args, console),
            Self::Task(args) => task::run(&args, console),
            Self::Eval(args) => eval::run(&args, console),
            Self::Remeasure(args) => remeasure::run(&args, console),
            Self::Compare(args) => compare::run(&args, console),
            Self::Sweep(args) => sweep::run(&args, console),
            Self::Gate(args) => gate::run(&args, console),
            Self::Report(args) => report::run(&args, console),
            Self::Register(args) => register::run(&args, console),
            Self::Verify(args) => verify::run(&args, console),
            Self::Reproduce(args) => reproduce::run(&args, console),
            Self::Schema(args) => Ok(schema::run(&args, console.printer)),
            Self::Init(args) => init::run(&args, console.printer),
            Self::Demo(args) => demo::run(&args, console),
            Self::Doctor(args) => doctor::run(&args, console),
            Self::Where(args) => Ok(data_root::run(&args, console)),
            Self::Sql(args) => sql::run(&args, console),
            Self::Table(args) => table::run(&args, console),
            Self::Preset(args) => preset::run(&args, console.printer),
            Self::Completions(args) => completions::run(&args, console.printer),
            Self::Own(args) => Ok(own::run(&args, console.printer)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::App;
    use clap::{Command, CommandFactory};

    /// Longer lines are wrapped, and a wrapped example cannot be pasted.
    const WIDTH: usize = 100;

    fn long_lines(command: &Command, found: &mut Vec<String>) {
        let help = command.get_after_help().into_iter();
        let texts = help.chain(command.get_after_long_help());
        for text in texts.map(ToString::to_string) {
            let examples = text.lines().filter(|line| line.starts_with("  "));
            let long = examples.filter(|line| line.chars().count() > WIDTH);
            found.extend(long.map(|line| format!("{}: {line}", command.get_name())));
        }
        for inner in command.get_subcommands() {
            long_lines(inner, found);
        }
    }

    #[test]
    fn no_example_is_wrapped() {
        let mut found = Vec::new();
        long_lines(&App::command(), &mut found);
        assert!(found.is_empty(), "{}", found.join("\n"));
    }
}
