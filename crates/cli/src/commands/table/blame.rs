//! `table blame`: where each row of a table came from, and whether it still says what was written.

use super::file::TableFile;
use super::paint::Paint;
use crate::exit::{Done, Exit};
use crate::printer::Printer;
use crate::revision::git;
use crate::time;
use fairtrial_table::{RowOrigin, RowState};
use jiff::{Timestamp, ToSpan, tz::TimeZone};
use serde::Serialize;
use serde_json::json;
use std::collections::HashMap;
use std::path::Path;

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

/// One row with what is known.
#[derive(Serialize)]
struct Line {
    row: String,
    #[serde(flatten)]
    state: RowState,
    #[serde(skip_serializing_if = "Option::is_none")]
    origin: Option<RowOrigin>,
    /// What version control says about the line, where no origin is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    git: Option<GitLine>,
    old: bool,
}

/// Who last changed a line.
#[derive(Debug, Clone, Serialize)]
struct GitLine {
    commit: String,
    date: String,
    summary: String,
}

pub(super) fn run(args: &Args, printer: Printer) -> Done {
    let file = TableFile::read(&args.file, args.key.as_deref())?;
    let history = file.path.as_deref().map(history).unwrap_or_default();
    let lines: Vec<Line> = file
        .table
        .rows()
        .map(|row| {
            let key = row.key();
            let state = file.origins.state(&file.table, &key);
            let origin = file.origins.rows.get(&key).cloned();
            let git = match state {
                RowState::AsWritten => None,
                _ => history.get(&row.line_number()).cloned(),
            };
            let date = origin
                .as_ref()
                .and_then(|origin| origin.date.clone())
                .or_else(|| git.as_ref().map(|git| git.date.clone()));
            let old = args
                .older_than
                .is_some_and(|days| date.as_deref().is_none_or(|date| is_older(date, days)));
            Line {
                row: key,
                state,
                origin,
                git,
                old,
            }
        })
        .collect();
    if args.json {
        printer.json(&json!({ "file": file.label, "rows": lines }));
    } else {
        for line in &lines {
            printer.line(words(line, &Paint(printer.terminal().color)));
        }
    }
    Ok(Exit::Fine)
}

fn words(line: &Line, paint: &Paint) -> String {
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

fn is_older(date: &str, days: u32) -> bool {
    let Ok(then) = date.parse::<Timestamp>() else {
        return true;
    };
    let Ok(now) = time::now().to_string().parse::<Timestamp>() else {
        return false;
    };
    let limit = now
        .to_zoned(TimeZone::UTC)
        .checked_sub(i64::from(days).days());
    limit.is_ok_and(|limit| then < limit.timestamp())
}

/// What version control knows about each line; nothing outside a repository.
fn history(path: &Path) -> HashMap<usize, GitLine> {
    let git = git(path, "blame").args(["--line-porcelain", "--"]);
    let Ok(output) = git.args([path]).output() else {
        return HashMap::new();
    };
    let text = String::from_utf8_lossy(&output);
    let mut found = HashMap::new();
    let (mut commit, mut number) = (String::new(), 0);
    let (mut date, mut summary) = (String::new(), String::new());
    for line in text.lines() {
        if line.starts_with('\t') {
            let commit = commit.get(..10).unwrap_or(&commit).to_owned();
            let (date, summary) = (date.clone(), summary.clone());
            found.insert(
                number,
                GitLine {
                    commit,
                    date,
                    summary,
                },
            );
        } else if let Some(seconds) = line.strip_prefix("committer-time ") {
            let at = seconds.parse().ok().map(Timestamp::from_second);
            date = at
                .and_then(Result::ok)
                .map_or_else(String::new, |at| at.to_string());
        } else if let Some(text) = line.strip_prefix("summary ") {
            text.clone_into(&mut summary);
        } else {
            let mut words = line.split(' ');
            let first = words.next().unwrap_or_default();
            let is_hash = first.len() == 40 && first.bytes().all(|b| b.is_ascii_hexdigit());
            if is_hash && let Some(now) = words.nth(1).and_then(|word| word.parse().ok()) {
                first.clone_into(&mut commit);
                number = now;
            }
        }
    }
    found
}
