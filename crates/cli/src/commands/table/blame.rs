//! `table blame`: where each row of a table came from, and whether it still says what was written.

use super::paint::Paint;
use crate::console::Console;
use crate::exit::{Done, Exit};
use fairtrial_session::tables::{RowHistory, TableFile};
use fairtrial_table::RowState;
use serde_json::json;

/// Show which run, commit, date and machine each row came from
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The table
    file: String,
    /// Title of the key column [default: the first column]
    #[arg(long, value_name = "TITLE")]
    key: Option<String>,
    /// Mark rows that are older than this many days
    #[arg(long, value_name = "DAYS")]
    older_than: Option<u32>,
    /// Print the origins as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, console: &Console) -> Done {
    let file = TableFile::read(&args.file, args.key.as_deref())?;
    let lines = console.session().blame(&file, args.older_than);
    let printer = console.printer;
    if args.json {
        printer.json(&json!({ "file": file.label, "rows": lines }));
    } else {
        for line in &lines {
            printer.line(words(line, &Paint(printer.terminal().color)));
        }
    }
    Ok(Exit::Fine)
}

fn words(line: &RowHistory, paint: &Paint) -> String {
    let mut parts = Vec::new();
    if let Some(origin) = &line.origin {
        parts.push(origin.in_one_line());
        if let Some(cpu) = &origin.cpu {
            parts.push(format!("({cpu})"));
        }
    }
    match &line.state {
        RowState::AsWritten => {}
        RowState::Edited { columns } => {
            parts.push(paint.yellow(&format!("edited by hand since: {}", columns.join(", "))));
        }
        RowState::Unknown => parts.push(paint.yellow("no run is known")),
    }
    if let Some(git) = &line.git {
        let date = git.date.get(..10).unwrap_or(&git.date);
        parts.push(format!("[git {} {date} {}]", git.commit, git.summary));
    }
    if line.old {
        parts.push(paint.red("old"));
    }
    format!("{}: {}", paint.bold(&line.row), parts.join(" "))
}
