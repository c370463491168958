//! `archive`: makes one compressed file of a run, and the run of the file again.

use crate::candidates;
use crate::console::Console;
use crate::exit::{Done, Exit};
use fairtrial_session::{ArchiveOptions, Archived};
use fairtrial_text::bytes::size;
use fairtrial_text::count::counted;
use serde_json::json;

/// Make one compressed file of a run, which every command reads, and remove its folders
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  fairtrial archive my_benchmark                                the newest run\n  \
fairtrial archive my_benchmark/20250824__12-34-56 --keep      leave the folders beside the file\n  \
fairtrial archive --restore my_benchmark/20250824__12-34-56   make the folders again"
)]
pub(crate) struct Args {
    /// Runs: NAME for its newest run, or NAME/STAMP, or a run's folder or archive
    #[arg(value_name = "RUN", required = true, add = candidates::runs())]
    runs: Vec<String>,
    /// Make the folders of archived runs again, byte for byte, and remove the archives
    #[arg(long)]
    restore: bool,
    /// Remove nothing: keep the folders beside the archive, or the archive beside the folders
    #[arg(long)]
    keep: bool,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, console: &Console) -> Done {
    let (session, printer) = (console.session(), console.printer);
    let options = if args.keep {
        ArchiveOptions::Keep
    } else {
        ArchiveOptions::Replace
    };
    let mut done = Vec::new();
    for word in &args.runs {
        let run = session.known_run(word)?;
        let made = if args.restore {
            session.restore(&run, options)?
        } else {
            session.archive(&run, options)?
        };
        if args.json {
            done.push(json!({
                "name": run.name(), "stamp": run.stamp(), "archive": made.file, "archive_bytes": made.packed,
                "files": made.files, "bytes": made.bytes,
            }));
        } else {
            let words = words(args, &made);
            printer.line(format!("{} {}: {words}", run.name(), run.stamp()));
        }
    }
    if args.json {
        printer.json(&json!(done));
    }
    Ok(Exit::Fine)
}

fn words(args: &Args, made: &Archived) -> String {
    let (files, bytes) = (counted(made.files, "file"), size(made.bytes));
    let place = made.file.display();
    match (args.restore, args.keep) {
        (true, true) => format!("{files}, {bytes}, are in their folders again; {place} is kept"),
        (true, false) => format!("{files}, {bytes}, are in their folders again"),
        (false, true) => {
            format!(
                "{files}, {bytes}, are {} in {place}, too",
                size(made.packed)
            )
        }
        (false, false) => format!("{files}, {bytes}, are {} in {place}", size(made.packed)),
    }
}
