//! `task new`: makes a prepared task from a repository, a commit and an instruction.

use crate::console::Console;
use crate::exit::{Done, Exit};
use fairtrial_session::NewTask;
use serde_json::json;
use std::path::PathBuf;

/// Make prepared agent tasks
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: TaskCommand,
}

#[derive(Debug, clap::Subcommand)]
enum TaskCommand {
    New(NewArgs),
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

pub(crate) fn run(args: &Args, console: &Console) -> Done {
    let TaskCommand::New(args) = &args.command;
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
        printer.tell("name it as `prepared_dir` in a spec; `fairtrial check SPEC` looks into it");
    }
    Ok(Exit::Fine)
}
