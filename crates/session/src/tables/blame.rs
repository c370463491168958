//! Where each row of a table came from, and whether it still says what was written.

use super::file::TableFile;
use crate::revision::git;
use crate::session::Session;
use fairtrial_model::UtcTime;
use fairtrial_table::{RowOrigin, RowState};
use serde::Serialize;
use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;

/// One row with what is known.
#[derive(Debug, Serialize)]
pub struct RowHistory {
    /// Its key.
    pub row: String,
    /// Whether it says what was written.
    #[serde(flatten)]
    pub state: RowState,
    /// Where it came from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<RowOrigin>,
    /// What version control says about the line, where no origin is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub git: Option<GitLine>,
    /// Whether it is older than was asked about.
    pub old: bool,
}

/// Who last changed a line.
#[derive(Debug, Clone, Serialize)]
pub struct GitLine {
    /// The commit.
    pub commit: String,
    /// When.
    pub date: String,
    /// Its first line.
    pub summary: String,
}

impl Session {
    /// Which run, commit, date and machine each row of a table came from; rows older than so many days are marked.
    pub fn blame(&self, file: &TableFile, older_than: Option<u32>) -> Vec<RowHistory> {
        let now = (self.caller().now)();
        let history = file.path.as_deref().map(history).unwrap_or_default();
        file.table
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
                let old = older_than.is_some_and(|days| {
                    date.as_deref().is_none_or(|date| is_older(date, days, now))
                });
                RowHistory {
                    row: key,
                    state,
                    origin,
                    git,
                    old,
                }
            })
            .collect()
    }
}

fn is_older(date: &str, days: u32, now: UtcTime) -> bool {
    let limit = now.before(Duration::from_hours(24) * days);
    date.parse::<UtcTime>().map_or(true, |then| then < limit)
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
            let seconds: Option<i64> = seconds.parse().ok();
            let at = seconds.map(|seconds| UtcTime::from_micros(seconds.saturating_mul(1_000_000)));
            date = at.map_or_else(String::new, |at| at.to_string());
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
