//! `gc`: removes what rollouts left behind when their owner died, and images on request.

use crate::exit::{Done, Exit, Failure};
use crate::global::Global;
use crate::printer::Printer;
use crate::{agents, data_dir};
use fairtrial_agent::baseline;
use fairtrial_agent::sandbox::{
    BuiltImage, Leftover, Monitor, end_monitor, list_images, list_leftovers, list_monitors,
    remove_image, remove_leftover,
};
use fairtrial_engine::{image_cache, task_cache};
use fairtrial_journal::{DataRoot, is_live, list_runs};
use serde::Serialize;
use std::path::PathBuf;

/// Remove containers and workspaces of rollouts whose owner is dead
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  fairtrial gc --dry-run      show what would go\n  fairtrial gc\n  fairtrial gc --images       images built from Dockerfiles of tasks too"
)]
pub(crate) struct Args {
    /// Remove the images that were built for tasks of this data folder, too; the next run builds them again
    #[arg(long)]
    images: bool,
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
    /// Monitors of containers that are gone.
    monitors: Vec<Monitor>,
    workspaces: Vec<PathBuf>,
    images: Vec<BuiltImage>,
    /// What could not be removed.
    failed: Vec<String>,
}

pub(crate) fn run(args: &Args, global: &Global, printer: Printer) -> Done {
    let root = data_dir::for_here(global.data_dir.as_deref())?;
    let live = live_runs(&root)?;
    if args.images && !live.is_empty() {
        let message = "a run is at work here, and it may need its images";
        return Err(Failure::input(message).hint("wait for it, or leave out --images"));
    }
    let leftovers = list_leftovers();
    let mut found = Found {
        removed: !args.dry_run,
        containers: leftovers.found,
        monitors: list_monitors(),
        workspaces: workspaces(&root, &live),
        images: if args.images {
            list_images(&image_cache(&root))
        } else {
            Vec::new()
        },
        failed: leftovers
            .silent
            .iter()
            .map(|silent| format!("containers of {silent}"))
            .collect(),
    };
    if !args.dry_run {
        found.remove();
    }
    if args.json {
        printer.json(&found);
    } else {
        found.show(printer);
    }
    Ok(if found.failed.is_empty() {
        Exit::Fine
    } else {
        Exit::Machine
    })
}

impl Found {
    fn remove(&mut self) {
        for container in &self.containers {
            if !remove_leftover(container) {
                self.failed.push(format!("container {}", container.name));
            }
        }
        // Podman may have forgotten one just now.
        self.monitors = list_monitors();
        for monitor in &self.monitors {
            if !end_monitor(monitor) {
                self.failed.push(format!("process {}", monitor.pid));
            }
        }
        for folder in &self.workspaces {
            if let Err(error) = std::fs::remove_dir_all(folder) {
                self.failed.push(format!("{}: {error}", folder.display()));
            }
        }
        for image in &self.images {
            if !remove_image(image) {
                self.failed
                    .push(format!("image {}: a container may use it", image.name));
            }
        }
    }

    fn show(&self, printer: Printer) {
        for container in &self.containers {
            printer.line(format!(
                "container {} ({})",
                container.name, container.program
            ));
        }
        for monitor in &self.monitors {
            printer.line(format!(
                "monitor {} (process {})",
                monitor.name, monitor.pid
            ));
        }
        for folder in &self.workspaces {
            printer.line(format!("workspace {}", folder.display()));
        }
        for image in &self.images {
            printer.line(format!("image {} ({})", image.name, image.program));
        }
        let word = if self.removed { "removed" } else { "would go" };
        printer.tell(format!(
            "{} containers, {} workspaces and {} images {word}",
            self.containers.len(),
            self.workspaces.len(),
            self.images.len()
        ));
        for failed in &self.failed {
            printer.warn(format!("not removed: {failed}"));
        }
    }
}

/// How the names of trials begin whose run somebody works on.
fn live_runs(root: &DataRoot) -> Result<Vec<String>, Failure> {
    let mut live = Vec::new();
    for run in list_runs(root)? {
        if is_live(&run)?.is_live() {
            live.push(format!("{}-", run.stamp()));
        }
    }
    Ok(live)
}

/// Workspaces of runs that nobody works on, and baselines that nobody will finish.
fn workspaces(root: &DataRoot, live: &[String]) -> Vec<PathBuf> {
    let dead = |name: &str| !live.iter().any(|stamp| name.starts_with(stamp));
    let mut found = agents::workspaces(root, dead);
    found.extend(baseline::abandoned(&task_cache(root)));
    found.sort();
    found
}
