//! `task new` makes a prepared task from a repository, a commit and an instruction; `task check` looks whether tasks are
//! sound.

use crate::console::Console;
use crate::exit::{Done, Exit};
use crate::run_display::{RunDisplay, Shown};
use crate::signals::{self, Placed};
use fairtrial_session::{Controls, NewTask, Soundness, SoundnessQuestion, TaskSoundness};
use fairtrial_spec::SandboxKind;
use serde_json::json;
use std::path::PathBuf;

/// Make agent tasks, and look whether they are sound
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: TaskCommand,
}

#[derive(Debug, clap::Subcommand)]
enum TaskCommand {
    New(NewArgs),
    Check(CheckArgs),
}

/// Make a prepared task from a repository, a commit and an instruction
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples (in a git repository):\n  echo 'Make the README friendlier' > task.md\n  fairtrial task new data/tasks/prepared/readme --repo . --instruction task.md\n\n  fairtrial task new data/tasks/prepared/fix-parser --instruction task.md \\\n    --repo https://github.com/me/parser --commit 1a2b3c4 --test tests/test_parser.py"
)]
struct NewArgs {
    /// The folder to make; it must not be there
    dir: PathBuf,
    /// The repository: a URL or a local path
    #[arg(long, value_name = "URL")]
    repo: String,
    /// The commit the agent starts from [default: where the branch is now]
    #[arg(long, value_name = "SHA")]
    commit: Option<String>,
    /// The commit of the reference solution, for the `oracle` agent
    #[arg(long, value_name = "SHA")]
    solution: Option<String>,
    /// The branch [default: the one that the repository names as its own]
    #[arg(long)]
    branch: Option<String>,
    /// A file with what the agent is told
    #[arg(long, value_name = "FILE")]
    instruction: PathBuf,
    /// Test scripts, hidden until the agent has stopped; each keeps its path
    #[arg(long = "test", value_name = "FILE")]
    tests: Vec<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// Look whether tasks are sound: the reference solution must score 1 and doing nothing 0, every time
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  fairtrial task check data/tasks/prepared/fix-parser\n  fairtrial task check data/tasks/prepared/* --sandbox podman\n\nExit code 0: all are sound. 1: a task is not. 3: a rollout could not be scored."
)]
struct CheckArgs {
    /// Folders of tasks
    #[arg(required = true, value_name = "DIR")]
    dirs: Vec<PathBuf>,
    /// How often each is tried
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=1000))]
    times: u32,
    /// The sandbox [default: as for a run]
    #[arg(long, value_name = "KIND", value_parser = sandbox)]
    sandbox: Option<SandboxKind>,
    /// Another value of the spec that tries them, as `defaults.sandbox.image=NAME` or `defaults.timeout=5m`
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// The sandbox that a word names.
fn sandbox(word: &str) -> Result<SandboxKind, String> {
    SandboxKind::from_word(word).ok_or_else(|| {
        let known: Vec<&str> = SandboxKind::ALL.iter().map(|kind| kind.word()).collect();
        format!("the sandboxes are {}", known.join(", "))
    })
}

pub(crate) fn run(args: &Args, console: &Console) -> Done {
    match &args.command {
        TaskCommand::New(args) => make(args, console),
        TaskCommand::Check(args) => check(args, console),
    }
}

fn check(args: &CheckArgs, console: &Console) -> Done {
    let printer = console.printer;
    let session = console.session_heard_by(RunDisplay::new(console, Shown::Json, None));
    let controls = Controls::default();
    signals::reach(&controls, Placed::Here)?;
    let question = SoundnessQuestion {
        dirs: args.dirs.clone(),
        times: args.times,
        sandbox: args.sandbox,
        set: args.set.clone(),
    };
    let found = session.check_soundness(&question, &controls)?;
    if args.json {
        printer.json(&found);
    } else {
        show(&found, console);
    }
    Ok(if found.tasks.iter().all(TaskSoundness::is_sound) {
        Exit::Fine
    } else if found.tasks.iter().any(|task| task.is_unscored) {
        Exit::Machine
    } else {
        Exit::Failed
    })
}

fn show(found: &Soundness, console: &Console) {
    let printer = console.printer;
    for task in &found.tasks {
        if task.is_sound() {
            printer.line(format!("sound      {}", task.dir));
            continue;
        }
        printer.line(format!("not sound  {}", task.dir));
        for problem in &task.problems {
            printer.line(format!("             {problem}"));
        }
    }
    let sound = found.tasks.iter().filter(|task| task.is_sound()).count();
    printer.tell(format!(
        "{sound} of {} tasks are sound; `fairtrial logs {} --rollout {}` shows what their tests said",
        found.tasks.len(),
        found.run.name(),
        found.run.stamp()
    ));
}

fn make(args: &NewArgs, console: &Console) -> Done {
    let warnings = console.session().make_task(&NewTask {
        dir: args.dir.clone(),
        repo: args.repo.clone(),
        commit: args.commit.clone(),
        solution: args.solution.clone(),
        branch: args.branch.clone(),
        instruction: args.instruction.clone(),
        tests: args.tests.clone(),
    })?;
    let printer = console.printer;
    if args.json {
        printer.json(&json!({ "dir": args.dir, "warnings": warnings }));
    } else {
        for warning in &warnings {
            printer.warn(warning);
        }
        printer.line(format!("made {}", args.dir.display()));
        printer.tell("name it as `prepared_dir` in a spec; `fairtrial check SPEC` looks into it, `fairtrial task check DIR` tries it");
    }
    Ok(Exit::Fine)
}
