//! `table update`: a run's numbers, or another table's, into a table; nothing else of the file changes.

use super::file::{TableFile, origins_path, sha256};
use super::gather::{self, Gathered};
use super::lock::FolderLock;
use super::paint::Paint;
use super::suite::{self, fed, table_for};
use crate::exit::{Done, Exit, Failure};
use crate::global::Global;
use crate::printer::Printer;
use fairtrial_spec::TableSpec;
use fairtrial_table::{CellOrigin, Change, Origins, Updated};
use fairtrial_text::count::counted;
use serde_json::{Value as Json, json};
use std::path::{Path, PathBuf};

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

pub(super) fn run(args: &Args, global: &Global, printer: Printer) -> Done {
    let results = match (&args.from_table, &args.from) {
        (Some(other), _) => vec![from_table(args, other)?],
        (None, Some(run)) => from_run(args, run, global, printer)?,
        (None, None) => return Err(Failure::input("say where the numbers are: --from RUN")),
    };
    let left = results
        .iter()
        .any(|result| !result.gathered.left.is_empty());
    if args.json {
        let tables: Vec<Json> = results.iter().map(Outcome::json).collect();
        printer.json(&json!({ "dry_run": args.dry_run, "tables": tables }));
    } else {
        for result in &results {
            result.show(args, printer);
        }
    }
    Ok(if left { Exit::Failed } else { Exit::Fine })
}

fn from_run(
    args: &Args,
    name: &str,
    global: &Global,
    printer: Printer,
) -> Result<Vec<Outcome>, Failure> {
    let ran = suite::open(name, global, printer)?;
    let tables: Vec<(&TableSpec, PathBuf)> = match &args.file {
        Some(file) => vec![(
            table_for(&ran.spec, file, args.table.as_deref())?,
            file.clone(),
        )],
        None => fed(&ran.spec),
    };
    if tables.is_empty() {
        return Err(
            Failure::input(format!("no task of {} feeds a table", ran.spec.source))
                .hint("give tasks `table = NAME` and declare [tables.NAME]"),
        );
    }
    let options = gather::Options {
        rows: &args.rows,
        add_columns: args.add_columns,
        allow_part: args.allow_part,
    };
    let mut results = Vec::new();
    for (table, path) in tables {
        let _alone = FolderLock::of(&path);
        let file = read(args, &path, table.key.as_deref())?;
        let gathered = gather::from_run(&ran, table, &file, &options, printer)?;
        results.push(Outcome::write(args, file, gathered)?);
    }
    Ok(results)
}

fn from_table(args: &Args, other: &str) -> Result<Outcome, Failure> {
    let path = args.file.clone().unwrap_or_default();
    let _alone = FolderLock::of(&path);
    let file = read(args, &path, None)?;
    let source = TableFile::read(other, None)?;
    let options = gather::TableOptions {
        rows: &args.rows,
        add_rows: args.add_rows,
        add_columns: args.add_columns,
    };
    let gathered = gather::from_table(&source, &file, &options)?;
    Outcome::write(args, file, gathered)
}

fn read(args: &Args, path: &Path, key: Option<&str>) -> Result<TableFile, Failure> {
    let file = TableFile::read(&path.display().to_string(), key).map_err(|failure| {
        if path.exists() {
            failure
        } else {
            failure.hint("name the table: fairtrial table update FILE.csv --from RUN")
        }
    })?;
    if let Some(expected) = &args.expect
        && *expected != file.sha256()
    {
        return Err(Failure::input(format!(
            "{} changed since the baseline was read; nothing was written",
            path.display()
        ))
        .hint("compare again: fairtrial table compare"));
    }
    Ok(file)
}

/// What came of one table.
struct Outcome {
    file: TableFile,
    gathered: Gathered,
    updated: Updated,
    written: bool,
}

impl Outcome {
    fn write(args: &Args, file: TableFile, gathered: Gathered) -> Result<Self, Failure> {
        let updated = file
            .table
            .update(&gathered.update)
            .map_err(|error| Failure::input(format!("{}: {error}", file.label)))?;
        let mut written = false;
        if !args.dry_run && !gathered.origins.is_empty() {
            if updated.bytes != file.table.bytes() {
                file.replace(&updated.bytes)?;
                written = true;
            }
            file.replace_origins(&origins(&file, &gathered, &updated))?;
        }
        Ok(Self {
            file,
            gathered,
            updated,
            written,
        })
    }

    fn json(&self) -> Json {
        let path = self.file.path.as_deref();
        json!({
            "file": path,
            "origins": path.map(origins_path),
            "before_sha256": self.file.sha256(),
            "after_sha256": sha256(&self.updated.bytes),
            "written": self.written,
            "changes": self.updated.changes,
            "rows": self.gathered.origins.keys().collect::<Vec<_>>(),
            "left": self.gathered.left.iter().map(|(row, reason)| json!({ "row": row, "reason": reason }))
                .collect::<Vec<_>>(),
            "notes": self.gathered.notes,
        })
    }

    fn show(&self, args: &Args, printer: Printer) {
        let paint = Paint(printer.terminal().color);
        printer.line(paint.bold(&self.file.label));
        for change in &self.updated.changes {
            printer.line(change_line(change, &paint));
        }
        for (row, reason) in &self.gathered.left {
            printer.line(paint.yellow(&format!("! {row} is left as it is: {reason}")));
        }
        for note in &self.gathered.notes {
            printer.line(paint.yellow(&format!("! {note}")));
        }
        let rows = self.gathered.origins.len();
        let verb = if args.dry_run {
            "would change"
        } else {
            "changed"
        };
        printer.line(format!(
            "{} {verb} by {} of results; {} left as they are",
            counted(self.updated.changes.len(), "place"),
            counted(rows, "row"),
            counted(self.gathered.left.len(), "row"),
        ));
    }
}

/// The side file after an update.
fn origins(file: &TableFile, gathered: &Gathered, updated: &Updated) -> Origins {
    let mut origins = file.origins.clone();
    for change in &updated.changes {
        if let Change::RowRenamed { from, .. } = change {
            origins.rows.remove(from);
        }
    }
    for (key, (origin, values)) in &gathered.origins {
        let mut origin = origin.clone();
        for (row, column, text) in &updated.texts {
            if row == key {
                let value = values.get(column).copied();
                let text = text.clone();
                origin
                    .cells
                    .insert(column.clone(), CellOrigin { text, value });
            }
        }
        origins.rows.insert(key.clone(), origin);
    }
    origins
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
