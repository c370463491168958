//! `gc`: removes what rollouts left behind when their owner died, and on request images and old runs.

use crate::commands::timed_args::duration;
use crate::console::Console;
use crate::exit::{Done, Exit, Failure};
use crate::printer::Printer;
use fairtrial_session::{Checkpoints, Images, Keep, Leftovers, OldRuns};
use fairtrial_text::count::counted;
use serde::Serialize;
use std::time::Duration;

/// Remove containers and workspaces of rollouts whose owner is dead, and old runs
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  fairtrial gc --dry-run      show what would go\n  fairtrial gc\n  fairtrial gc --images       images built from Dockerfiles of tasks too\n  \
fairtrial gc --checkpoints  what trials saved that ended well\n  \
fairtrial gc --keep 90d --keep-last 20          show which runs would go\n  \
fairtrial gc --keep 90d --keep-last 20 --yes    remove them"
)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is an option of its own"
)]
pub(crate) struct Args {
    /// Remove the images that were built for tasks of this data folder, too; the next run builds them again
    #[arg(long)]
    images: bool,
    /// Also old runs, with all files of their trials: all but those that ended within this time (`90d`, `12h`). Runs that are
    /// at work, cut off, registered, or made into a baseline stay, and those whose records another run took over
    #[arg(long, value_name = "TIME", value_parser = duration)]
    keep: Option<Duration>,
    /// Also old runs: all but so many of the newest of each benchmark; with --keep, those that neither of both keeps
    #[arg(long, value_name = "N")]
    keep_last: Option<usize>,
    /// Remove old runs; without it they are shown, and nothing is removed
    #[arg(long, conflicts_with = "dry_run")]
    yes: bool,
    /// Remove what trials saved to go on from (`checkpoint`) and that ended well, or whose run is gone
    #[arg(long)]
    checkpoints: bool,
    /// Show what would be removed, and remove nothing
    #[arg(long)]
    dry_run: bool,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, console: &Console) -> Done {
    let images = if args.images {
        Images::Include
    } else {
        Images::Keep
    };
    let checkpoints = if args.checkpoints {
        Checkpoints::Include
    } else {
        Checkpoints::Keep
    };
    let session = console.session();
    let keep = Keep {
        newer_than: args.keep,
        last: args.keep_last,
    };
    let wants_runs = keep != Keep::default();
    if args.yes && !wants_runs {
        return Err(Failure::input(
            "--yes removes old runs: say which stay, with --keep TIME or --keep-last N",
        ));
    }
    let mut runs = wants_runs.then(|| session.old_runs(&keep)).transpose()?;
    let mut found = session.leftovers(images, checkpoints)?;
    if !args.dry_run && (args.yes || !wants_runs) {
        found.remove();
        if let Some(runs) = &mut runs {
            runs.remove(&session);
        }
    }
    let failed = runs.iter().any(|runs| !runs.failed.is_empty());
    if args.json {
        console.printer.json(&Cleaning {
            leftovers: &found,
            runs: runs.as_ref(),
        });
    } else {
        show(&found, console.printer);
        if let Some(runs) = &runs {
            show_runs(runs, console.printer);
        }
    }
    Ok(if found.failed.is_empty() && !failed {
        Exit::Fine
    } else {
        Exit::Machine
    })
}

/// All that was found, as JSON.
#[derive(Debug, Serialize)]
struct Cleaning<'a> {
    #[serde(flatten)]
    leftovers: &'a Leftovers,
    #[serde(skip_serializing_if = "Option::is_none")]
    runs: Option<&'a OldRuns>,
}

fn show_runs(runs: &OldRuns, printer: Printer) {
    for run in &runs.go {
        let ended = run
            .ended_at
            .map_or_else(String::new, |at| format!(", ended {at}"));
        let trials = counted(run.trials, "trial");
        printer.line(format!("run {} {} ({trials}{ended})", run.name, run.stamp));
    }
    for run in &runs.stay {
        printer.line(format!("{} {} stays: {}", run.name, run.stamp, run.why));
    }
    let count = counted(runs.go.len() as u64, "run");
    printer.tell(match (runs.removed, runs.go.is_empty()) {
        (true, _) => format!("{count} removed"),
        (false, true) => "no old run would go".to_owned(),
        (false, false) => {
            format!("{count} would go; the same command with --yes removes what is listed")
        }
    });
    for failed in &runs.failed {
        printer.warn(format!("not removed: {failed}"));
    }
}

fn show(found: &Leftovers, printer: Printer) {
    for container in &found.containers {
        printer.line(format!(
            "container {} ({})",
            container.name, container.program
        ));
    }
    for monitor in &found.monitors {
        printer.line(format!(
            "monitor {} (process {})",
            monitor.name, monitor.pid
        ));
    }
    for folder in &found.workspaces {
        printer.line(format!("workspace {}", folder.display()));
    }
    for folder in &found.checkpoints {
        printer.line(format!("checkpoint {}", folder.display()));
    }
    for image in &found.images {
        printer.line(format!("image {} ({})", image.name, image.program));
    }
    let word = if found.removed { "removed" } else { "would go" };
    printer.tell(format!(
        "{} containers, {} workspaces, {} images and {} checkpoints {word}",
        found.containers.len(),
        found.workspaces.len(),
        found.images.len(),
        found.checkpoints.len()
    ));
    for failed in &found.failed {
        printer.warn(format!("not removed: {failed}"));
    }
}
