//! `table update`: a run's numbers, or another table's, into a table; nothing else of the file changes.

use super::paint::Paint;
use crate::console::Console;
use crate::exit::{Done, Exit, Failure};
use crate::printer::Printer;
use fairtrial_session::tables::{
    Additions, LeftRow, Parts, TableNote, TableUpdate, UpdateOptions, UpdateRequest, UpdateSource,
    WhyLeft, WriteMode,
};
use fairtrial_table::Change;
use fairtrial_text::count::counted;
use serde_json::{Value as Json, json};
use std::path::PathBuf;

/// Write results into a table, cell by cell; every other byte of the file stays as it is
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fairtrial table update benchmarks/main.csv --from suite   the newest run of `suite`
  fairtrial table update --from suite/20250824__12-34-56    every table that the run feeds
  fairtrial table update main.csv --from suite --rows 'base_*' --dry-run
  fairtrial table update main.csv --from-table new.csv

A row is written when all its trials ended well; the others are left as they are and named, with exit code 1.
Where each row came from is kept beside the table, in FILE.csv.origins.json.")]
#[allow(clippy::struct_excessive_bools, reason = "clap's form of flags")]
pub(super) struct Args {
    /// The table [default: every table that the run feeds]
    file: Option<PathBuf>,
    /// The run: `NAME` (its newest), `NAME/STAMP` or a run's folder
    #[arg(long, value_name = "RUN", required_unless_present = "from_table")]
    from: Option<String>,
    /// Another table, or the same in a revision (`FILE.csv@main`)
    #[arg(long, value_name = "FILE", conflicts_with = "from", requires = "file")]
    from_table: Option<String>,
    /// Only these rows; `*` stands for any text
    #[arg(long, value_name = "PATTERN", value_delimiter = ',')]
    rows: Vec<String>,
    /// With --from-table: copy only these columns; `*` stands for any text
    #[arg(
        long,
        value_name = "PATTERN",
        value_delimiter = ',',
        requires = "from_table"
    )]
    columns: Vec<String>,
    /// The table's name in the spec, where its file does not tell
    #[arg(long, value_name = "NAME", requires = "file")]
    table: Option<String>,
    /// Add columns that the table does not have
    #[arg(long)]
    add_columns: bool,
    /// With --from-table: add rows that the table does not have
    #[arg(long, requires = "from_table")]
    add_rows: bool,
    /// Write rows whose trials ran only a part of the episodes too
    #[arg(long)]
    allow_part: bool,
    /// Refuse unless the file has this SHA-256 (as `table compare --json` gives it)
    #[arg(long, value_name = "SHA256", requires = "file")]
    expect: Option<String>,
    /// Show what would change and write nothing
    #[arg(long)]
    dry_run: bool,
    /// Print what changed as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, console: &Console) -> Done {
    let results = console.session().update_tables(&args.request()?)?;
    let left = results.iter().any(|result| !result.left.is_empty());
    if args.json {
        let tables: Vec<Json> = results.iter().map(as_json).collect();
        console
            .printer
            .json(&json!({ "dry_run": args.dry_run, "tables": tables }));
    } else {
        for result in &results {
            show(result, args, console.printer);
        }
    }
    Ok(if left { Exit::Failed } else { Exit::Fine })
}

impl Args {
    /// What was typed, as the library takes it.
    fn request(&self) -> Result<UpdateRequest, Failure> {
        let source = match (&self.from_table, &self.from) {
            (Some(from), _) => UpdateSource::Table {
                from: from.clone(),
                file: self.file.clone().unwrap_or_default(),
            },
            (None, Some(run)) => UpdateSource::Run {
                run: run.clone(),
                file: self.file.clone(),
                table: self.table.clone(),
            },
            (None, None) => return Err(Failure::input("say where the numbers are: --from RUN")),
        };
        Ok(UpdateRequest {
            source,
            options: UpdateOptions {
                rows: self.rows.clone(),
                columns: self.columns.clone(),
                add: Additions {
                    columns: self.add_columns,
                    rows: self.add_rows,
                },
                parts: if self.allow_part {
                    Parts::Write
                } else {
                    Parts::Leave
                },
            },
            expect: self.expect.clone(),
            mode: if self.dry_run {
                WriteMode::DryRun
            } else {
                WriteMode::Write
            },
        })
    }
}

fn as_json(result: &TableUpdate) -> Json {
    let left = |left: &LeftRow| json!({ "row": left.row, "reason": left_words(&left.why) });
    json!({
        "file": result.file.path,
        "origins": result.file.origins_path(),
        "before_sha256": result.file.sha256(),
        "after_sha256": result.after_sha256(),
        "written": result.written,
        "changes": result.updated.changes,
        "rows": result.rows,
        "left": result.left.iter().map(left).collect::<Vec<_>>(),
        "notes": result.notes.iter().map(note_words).collect::<Vec<_>>(),
    })
}

fn show(result: &TableUpdate, args: &Args, printer: Printer) {
    let paint = Paint(printer.terminal().color);
    printer.line(paint.bold(&result.file.label));
    for change in &result.updated.changes {
        printer.line(change_line(change, &paint));
    }
    for LeftRow { row, why } in &result.left {
        let reason = left_words(why);
        printer.line(paint.yellow(&format!("! {row} is left as it is: {reason}")));
    }
    for note in &result.notes {
        printer.line(paint.yellow(&format!("! {}", note_words(note))));
    }
    let verb = if args.dry_run {
        "would change"
    } else {
        "changed"
    };
    printer.line(format!(
        "{} {verb} by {} of results; {} left as they are",
        counted(result.updated.changes.len(), "place"),
        counted(result.rows.len(), "row"),
        counted(result.left.len(), "row"),
    ));
}

fn left_words(why: &WhyLeft) -> String {
    match why {
        WhyLeft::Trials(reason) => reason.clone(),
        WhyLeft::Part(reason) => format!("{reason} (`--allow-part` writes it)"),
        WhyLeft::NoSuchRow => "the table has no such row (`--add-rows` adds it)".to_owned(),
    }
}

fn note_words(note: &TableNote) -> String {
    match note {
        TableNote::NoColumn(error) => format!("{error}; `--add-columns` adds it"),
        TableNote::Row(text) => text.clone(),
    }
}

fn change_line(change: &Change, paint: &Paint) -> String {
    match change {
        Change::Cell {
            row,
            column,
            before,
            after,
        } => format!(
            "~ {row} · {column}: {} → {}",
            paint.red(before),
            paint.green(after)
        ),
        Change::RowAdded { row, after } => {
            let place = after
                .as_ref()
                .map_or_else(|| "at the top".to_owned(), |row| format!("after {row}"));
            paint.green(&format!("+ {row} ({place})"))
        }
        Change::RowRenamed { from, to } => {
            format!("~ {} → {}", paint.red(from), paint.green(to))
        }
        Change::ColumnAdded { column } => paint.green(&format!("+ column {column}")),
    }
}
