//! `gc`: removes what rollouts left behind when their owner died.

use crate::data_dir;
use crate::exit::{Done, Exit, Failure};
use crate::global::Global;
use crate::printer::Printer;
use fairtrial_agent::sandbox::{Leftover, list_leftovers, remove_leftover};
use fairtrial_journal::{is_live, list_runs};
use serde::Serialize;
use std::path::PathBuf;

/// Remove containers and workspaces of rollouts whose owner is dead
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  fairtrial gc --dry-run      show what would go\n  fairtrial gc"
)]
pub(crate) struct Args {
    /// Show what would be removed, and remove nothing
    #[arg(long)]
    dry_run: bool,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// What was found.
#[derive(Debug, Serialize)]
struct Found {
    removed: bool,
    containers: Vec<Leftover>,
    workspaces: Vec<PathBuf>,
    /// What could not be removed.
    failed: Vec<String>,
}

pub(crate) fn run(args: &Args, global: &Global, printer: Printer) -> Done {
    let mut found = Found {
        removed: !args.dry_run,
        containers: list_leftovers(),
        workspaces: workspaces(global)?,
        failed: Vec::new(),
    };
    if !args.dry_run {
        for container in &found.containers {
            if !remove_leftover(container) {
                found.failed.push(format!("container {}", container.name));
            }
        }
        for folder in &found.workspaces {
            if let Err(error) = std::fs::remove_dir_all(folder) {
                found.failed.push(format!("{}: {error}", folder.display()));
            }
        }
    }
    if args.json {
        printer.json(&found);
    } else {
        for container in &found.containers {
            printer.line(format!(
                "container {} ({})",
                container.name, container.program
            ));
        }
        for folder in &found.workspaces {
            printer.line(format!("workspace {}", folder.display()));
        }
        let word = if args.dry_run { "would go" } else { "removed" };
        printer.tell(format!(
            "{} containers and {} workspaces {word}",
            found.containers.len(),
            found.workspaces.len()
        ));
        for failed in &found.failed {
            printer.warn(format!("not removed: {failed}"));
        }
    }
    Ok(if found.failed.is_empty() {
        Exit::Fine
    } else {
        Exit::Machine
    })
}

/// Workspaces, and baselines that were never finished, of runs that nobody works on.
fn workspaces(global: &Global) -> Result<Vec<PathBuf>, Failure> {
    let root = data_dir::for_here(global.data_dir.as_deref());
    let mut live = Vec::new();
    for run in list_runs(&root)? {
        if is_live(&run)?.is_live() {
            live.push(format!("{}-", run.stamp()));
        }
    }
    let mut found = Vec::new();
    for entry in std::fs::read_dir(root.runs_dir())
        .into_iter()
        .flatten()
        .flatten()
    {
        let name = entry.file_name().to_string_lossy().into_owned();
        let work = entry.path().join("work");
        if work.is_dir() && !live.iter().any(|stamp| name.starts_with(stamp)) {
            found.push(work);
        }
    }
    let cache = fairtrial_engine::task_cache(&root).join("tasks");
    for entry in std::fs::read_dir(cache).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if live.is_empty() && name.starts_with('.') {
            found.push(entry.path());
        }
    }
    found.sort();
    Ok(found)
}
