//! `table check`: what is wrong with tables, in themselves and against the suite that feeds them.

use super::file::TableFile;
use super::paint::Paint;
use super::suite::{SuiteArgs, table_for};
use crate::exit::{Done, Exit, Failure};
use crate::printer::Printer;
use fairtrial_analysis::tables::suite_rows;
use fairtrial_spec::Spec;
use fairtrial_table::{Expected, Finding, check};
use serde_json::json;
use std::path::{Path, PathBuf};

/// Check tables: keys, options, shape; with --spec also stale, missing and renamed rows
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The tables [default: those that the spec feeds]
    files: Vec<PathBuf>,
    #[command(flatten)]
    suite: SuiteArgs,
    /// The table's name in the spec, where its file does not tell
    #[arg(long, value_name = "NAME")]
    table: Option<String>,
    /// Print the findings as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, printer: Printer) -> Done {
    let spec = args.suite.spec(printer)?;
    let mut files = args.files.clone();
    if files.is_empty()
        && let Some(spec) = &spec
    {
        files.extend(super::suite::fed(spec).into_iter().map(|(_, path)| path));
    }
    if files.is_empty() {
        return Err(Failure::input("no table was named").hint("fairtrial table check FILE.csv"));
    }
    let mut all: Vec<(String, Vec<Finding>)> = Vec::new();
    for path in &files {
        all.push((
            path.display().to_string(),
            of_file(path, spec.as_ref(), args.table.as_deref())?,
        ));
    }
    let errors = all
        .iter()
        .flat_map(|(_, findings)| findings)
        .filter(|found| found.error)
        .count();
    if args.json {
        let tables: Vec<_> = all
            .iter()
            .map(|(file, findings)| json!({ "file": file, "findings": findings }))
            .collect();
        printer.json(&json!({ "errors": errors, "tables": tables }));
    } else {
        show(&all, printer);
    }
    Ok(if errors > 0 { Exit::Failed } else { Exit::Fine })
}

fn of_file(path: &Path, spec: Option<&Spec>, name: Option<&str>) -> Result<Vec<Finding>, Failure> {
    let declared = spec
        .map(|spec| Ok::<_, Failure>((spec, table_for(spec, path, name)?)))
        .transpose()?;
    let key = declared.and_then(|(_, table)| table.key.as_deref());
    let file = TableFile::read(&path.display().to_string(), key)?;
    let expected = declared
        .map(|(spec, table)| {
            let rows = suite_rows(spec, &table.name)?;
            Ok::<_, Failure>(Expected {
                renamed: rows
                    .iter()
                    .flat_map(|row| row.was.iter().map(|was| (was.clone(), row.key.clone())))
                    .collect(),
                keys: rows.into_iter().map(|row| row.key).collect(),
                columns: table
                    .columns
                    .iter()
                    .map(|column| column.title.clone())
                    .collect(),
            })
        })
        .transpose()?;
    Ok(check(&file.table, expected.as_ref()))
}

fn show(all: &[(String, Vec<Finding>)], printer: Printer) {
    let paint = Paint(printer.terminal().color);
    for (file, findings) in all {
        for found in findings {
            let place = found
                .line
                .map_or_else(|| file.clone(), |line| format!("{file}:{line}"));
            let label = if found.error {
                paint.red("error")
            } else {
                paint.yellow("warning")
            };
            printer.line(format!("{place}: {label}: {}", found.message));
            if let Some(help) = &found.help {
                printer.line(format!("  help: {help}"));
            }
        }
        if findings.is_empty() {
            printer.line(format!("{file}: {}", paint.green("in order")));
        }
    }
}
