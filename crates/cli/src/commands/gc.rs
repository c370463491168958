//! `gc`: removes what rollouts left behind when their owner died, and images on request.

use crate::console::Console;
use crate::exit::{Done, Exit};
use crate::printer::Printer;
use fairtrial_session::{Checkpoints, Images, Leftovers};

/// Remove containers and workspaces of rollouts whose owner is dead
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  fairtrial gc --dry-run      show what would go\n  fairtrial gc\n  fairtrial gc --images       images built from Dockerfiles of tasks too\n  fairtrial gc --checkpoints  what trials saved that ended well"
)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is an option of its own"
)]
pub(crate) struct Args {
    /// Remove the images that were built for tasks of this data folder, too; the next run builds them again
    #[arg(long)]
    images: bool,
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
    let mut found = console.session().leftovers(images, checkpoints)?;
    if !args.dry_run {
        found.remove();
    }
    if args.json {
        console.printer.json(&found);
    } else {
        show(&found, console.printer);
    }
    Ok(if found.failed.is_empty() {
        Exit::Fine
    } else {
        Exit::Machine
    })
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
