//! `task new`: makes a prepared task from a repository, a commit and an instruction.

use crate::data_dir;
use crate::exit::{Done, Exit, Failure};
use crate::global::Global;
use crate::printer::Printer;
use fairtrial_agent::baseline;
use fairtrial_agent::check::check_task;
use fairtrial_agent::findings::Findings;
use fairtrial_agent::format::{Reading, read_task};
use fairtrial_engine::task_cache;
use serde_json::json;
use std::path::{Path, PathBuf};

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

pub(crate) fn run(args: &Args, global: &Global, printer: Printer) -> Done {
    let TaskCommand::New(args) = &args.command;
    if args.dir.exists() {
        let message = format!("{} is there already", args.dir.display());
        return Err(Failure::input(message).hint("name another folder; nothing was changed"));
    }
    let id = args.dir.file_name().unwrap_or_default().to_string_lossy();
    let url = url(&args.repo)?;
    let mut tests = Vec::new();
    for test in &args.tests {
        tests.push(json!({
            "path": test, "rubric_id": "task_completion", "content": read(test)?,
        }));
    }
    let mut meta = json!({
        "task_id": id,
        "metadata": { "title": id, "tags": [] },
        "repo": {
            "git_url": url, "branch": args.branch,
            "start_commit_sha": args.commit, "end_commit_sha": args.solution,
        },
        "lm": { "instructions": read(&args.instruction)? },
        "evaluation": {
            "rubrics": [{ "id": "task_completion", "criterion": "The task is done", "weight": 1.0 }],
            "test_scripts": tests,
        },
    });
    write(&args.dir, &meta)?;
    let mut findings = Findings::default();
    let token = std::env::var("PRIVATE_GITHUB_PAT").ok();
    let reading = Reading {
        dir: &args.dir,
        overrides: None,
        apply_overrides: false,
        token: token.as_deref(),
    };
    match read_task(&reading, &mut findings) {
        Ok(read) => {
            check_task(&read.task, &mut findings);
            let cache = task_cache(&data_dir::for_here(global.data_dir.as_deref())?);
            if let Err(error) = baseline::fetch(&cache, &read.task, token.as_deref()) {
                findings.error(error.to_string());
            }
            let pinned = read.task.repo.and_then(|repo| repo.start);
            if args.commit.is_none() {
                meta["repo"]["start_commit_sha"] = pinned.into();
                write(&args.dir, &meta)?;
                findings
                    .warnings
                    .retain(|text| !text.contains("no start commit"));
            }
        }
        Err(error) => findings.error(error.to_string()),
    }
    if !findings.errors.is_empty() {
        let _ = std::fs::remove_dir_all(&args.dir);
        return Err(Failure::input(findings.errors.join("\n       ")).hint("nothing was made"));
    }
    if args.json {
        printer.json(&json!({ "dir": args.dir, "warnings": findings.warnings }));
    } else {
        for warning in &findings.warnings {
            printer.warn(warning);
        }
        printer.line(format!("made {}", args.dir.display()));
        printer.tell("name it as `prepared_dir` in a spec; `fairtrial check SPEC` looks into it");
    }
    Ok(Exit::Fine)
}

/// The repository as a task names it: a path is from the root, because the task lies elsewhere.
fn url(repo: &str) -> Result<String, Failure> {
    let local = Path::new(repo);
    if local.is_dir() {
        return Ok(data_dir::absolute(local).display().to_string());
    }
    if repo.contains(':') {
        return Ok(repo.to_owned());
    }
    let message = format!("there is no folder {repo} here, and it is no URL");
    Err(Failure::input(message).hint("nothing was made"))
}

fn read(path: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(path)
        .map_err(|error| Failure::input(format!("cannot read {}: {error}", path.display())))
}

fn write(dir: &Path, meta: &serde_json::Value) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(meta).unwrap_or_default();
    std::fs::create_dir_all(dir)
        .and_then(|()| std::fs::write(dir.join("tb_meta.json"), text + "\n"))
        .map_err(|error| Failure::machine(format!("cannot write {}: {error}", dir.display())))
}
