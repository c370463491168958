//! `table diff`: two tables, or two revisions of one, cell by cell.

use super::paint::Paint;
use crate::exit::{Done, Exit};
use crate::printer::Printer;
use fairtrial_session::tables::TableFile;
use fairtrial_table::{TableDiff, diff};
use serde_json::json;

/// Show how two tables differ, cell by cell
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fairtrial table diff old.csv new.csv
  fairtrial table diff benchmarks/main.csv@main benchmarks/main.csv
  fairtrial table diff benchmarks/main.csv --rev v1.2

Exit code: 0 also where they differ; --fail-on-change makes that 1.")]
pub(super) struct Args {
    /// The first table; `FILE.csv@REVISION` for one in the repository's history
    first: String,
    /// The second table [default with --rev: the first as it is now]
    #[arg(required_unless_present = "rev")]
    second: Option<String>,
    /// The first table as it was in this revision
    #[arg(long, value_name = "REVISION", conflicts_with = "second")]
    rev: Option<String>,
    /// Title of the key column [default: the first column]
    #[arg(long, value_name = "TITLE")]
    key: Option<String>,
    /// Exit with code 1 where the tables differ
    #[arg(long)]
    fail_on_change: bool,
    /// Print the differences as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, printer: Printer) -> Done {
    let (first, second) = match (&args.second, &args.rev) {
        (Some(second), _) => (args.first.clone(), second.clone()),
        (None, rev) => {
            let rev = rev.as_deref().unwrap_or("HEAD");
            (format!("{}@{rev}", args.first), args.first.clone())
        }
    };
    let first = TableFile::read(&first, args.key.as_deref())?;
    let second = TableFile::read(&second, args.key.as_deref())?;
    let found = diff(&first.table, &second.table);
    if args.json {
        printer.json(&json!({ "first": first.label, "second": second.label, "diff": found }));
    } else {
        show(&found, printer);
    }
    Ok(if args.fail_on_change && !found.is_empty() {
        Exit::Failed
    } else {
        Exit::Fine
    })
}

fn show(found: &TableDiff, printer: Printer) {
    let paint = Paint(printer.terminal().color);
    if found.is_empty() {
        printer.line("the tables say the same");
        return;
    }
    for row in &found.rows_removed {
        printer.line(paint.red(&format!("- {row}")));
    }
    for row in &found.rows_added {
        printer.line(paint.green(&format!("+ {row}")));
    }
    for column in &found.columns_removed {
        printer.line(paint.red(&format!("- column {column}")));
    }
    for column in &found.columns_added {
        printer.line(paint.green(&format!("+ column {column}")));
    }
    for change in &found.columns_changed {
        printer.line(format!(
            "~ column {} → {}",
            paint.red(&change.before),
            paint.green(&change.after)
        ));
    }
    for change in &found.cells {
        let delta = change.delta.map_or_else(String::new, |delta| {
            format!(" ({})", fairtrial_text::significant::general(delta, 9))
        });
        printer.line(format!(
            "~ {} · {}: {} → {}{delta}",
            change.row,
            change.column,
            paint.red(&change.before),
            paint.green(&change.after)
        ));
    }
    if !found.rewritten.is_empty() {
        printer.line(format!(
            "{} cells say the same number in another way",
            found.rewritten.len()
        ));
    }
    if found.reordered {
        printer.line("rows or columns stand in another order");
    }
}
