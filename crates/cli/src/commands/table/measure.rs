//! `table measure`: metrics of per-episode files that no run of ours made, as a table.

use super::suite::SuiteArgs;
use crate::console::Console;
use crate::exit::{Done, Exit};
use fairtrial_session::tables::MeasuredFile;
use fairtrial_text::escape;
use serde_json::Value;
use std::path::PathBuf;

/// Compute the declared metrics of per-episode files, one row per file
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fairtrial table measure --preset tbp results/*/eval_stats.csv > measured.csv
  fairtrial table measure --spec suite.toml results/*/eval_stats.csv --json")]
pub(super) struct Args {
    /// The files; each is named after its folder
    #[arg(required = true)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    suite: SuiteArgs,
    /// Only these metrics
    #[arg(long = "metric", value_name = "METRIC")]
    metrics: Vec<String>,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, console: &Console) -> Done {
    let session = console.session();
    let rows = session.measure_files(&args.files, &args.suite.choice(), &args.metrics)?;
    let printer = console.printer;
    let mut exit = Exit::Fine;
    for row in &rows {
        let troubles: Vec<String> = match row.trouble() {
            Some(why) => vec![why],
            None => row
                .missing()
                .map(|(metric, why)| format!("no `{metric}`: {why}"))
                .collect(),
        };
        if troubles.is_empty() {
            continue;
        }
        for why in troubles {
            printer.warn(format!("{}: {why}", row.file));
        }
        exit = match exit {
            Exit::Input => exit,
            _ if row.is_absent() => Exit::Input,
            _ => Exit::Failed,
        };
    }
    if args.json {
        let all: Vec<Value> = rows.iter().map(MeasuredFile::json).collect();
        printer.json(&all);
    } else {
        printer.page(csv(&rows).trim_end());
    }
    Ok(exit)
}

/// All rows with the metrics that any of them has.
fn csv(rows: &[MeasuredFile]) -> String {
    let mut titles: Vec<&str> = Vec::new();
    for (name, _) in rows.iter().flat_map(MeasuredFile::numbers) {
        if !titles.contains(&name) {
            titles.push(name);
        }
    }
    let quote = |text: &str| {
        // A line end in a title would forge a row.
        let text = escape::csv(text);
        let text = escape::terminal_line(&text);
        if text.contains([',', '"', '\n']) {
            format!("\"{}\"", text.replace('"', "\"\""))
        } else {
            text.into_owned()
        }
    };
    let mut page = std::iter::once("Experiment")
        .chain(titles.iter().copied())
        .map(quote)
        .collect::<Vec<_>>()
        .join(",");
    for row in rows {
        page.push('\n');
        page.push_str(&quote(&row.name));
        for title in &titles {
            page.push(',');
            if let Some((_, value)) = row.numbers().find(|(name, _)| name == title) {
                page.push_str(&value.to_string());
            }
        }
    }
    page
}
