//! `table check`: what is wrong with tables, in themselves and against the suite that feeds them.

use super::paint::Paint;
use super::suite::SuiteArgs;
use crate::console::Console;
use crate::exit::{Done, Exit};
use crate::printer::Printer;
use fairtrial_session::tables::TableFindings;
use serde_json::json;
use std::path::PathBuf;

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

pub(super) fn run(args: &Args, console: &Console) -> Done {
    let session = console.session();
    let suite = args.suite.choice();
    let all = session.check_tables(&args.files, &suite, args.table.as_deref())?;
    let findings = all.iter().flat_map(|table| &table.findings);
    let errors = findings.filter(|found| found.error).count();
    if args.json {
        console
            .printer
            .json(&json!({ "errors": errors, "tables": all }));
    } else {
        show(&all, console.printer);
    }
    Ok(if errors > 0 { Exit::Failed } else { Exit::Fine })
}

fn show(all: &[TableFindings], printer: Printer) {
    let paint = Paint(printer.terminal().color);
    for TableFindings { file, findings } in all {
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
