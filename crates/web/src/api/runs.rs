//! All runs, and one of them at a glance.

use super::error::Answered;
use super::state::Api;
use crate::http::{Query, Response};
use fairtrial_journal::RunRow;
use serde::Serialize;
use std::collections::BTreeSet;

/// Runs of one page at most.
const MOST: usize = 500;

/// Some of the runs that a question finds, the newest first.
#[derive(Serialize)]
struct RunsPage {
    total: usize,
    offset: usize,
    names: BTreeSet<String>,
    control: bool,
    root: String,
    rows: Vec<ListedRun>,
}

#[derive(Serialize)]
struct ListedRun {
    /// Its status in a word.
    word: &'static str,
    #[serde(flatten)]
    run: RunRow,
}

/// `running`, how it was closed, or `cut off`.
pub(super) fn word(run: &RunRow) -> &'static str {
    match run.status {
        _ if run.live => "running",
        Some(status) => status.word(),
        None => "cut off",
    }
}

pub(super) fn runs(api: &Api, query: &Query) -> Answered {
    let mut runs = api.session.runs()?;
    let names = runs.iter().map(|run| run.name.clone()).collect();
    let (status, name) = (query.text("status"), query.text("name"));
    let words = query.text("q").to_lowercase();
    let words: Vec<&str> = words.split_whitespace().collect();
    runs.retain(|run| {
        let text = format!("{} {} {} {}", run.name, run.stamp, run.config, word(run));
        let text = text.to_lowercase();
        let failed = run.counts.total() > run.counts.ok;
        (status.is_empty() || word(run) == status || (status == "failures" && failed))
            && (name.is_empty() || run.name == name)
            && words.iter().all(|word| text.contains(word))
    });
    runs.sort_by(|a, b| b.stamp.cmp(&a.stamp).then_with(|| a.name.cmp(&b.name)));
    let (total, offset) = (runs.len(), query.get("offset").unwrap_or(0));
    let most = query.get("limit").unwrap_or(100).min(MOST);
    let rows = runs.into_iter().skip(offset).take(most);
    Ok(Response::json(&RunsPage {
        total,
        offset,
        names,
        control: api.control,
        root: api.session.data_root().path().display().to_string(),
        rows: rows
            .map(|run| ListedRun {
                word: word(&run),
                run,
            })
            .collect(),
    }))
}

pub(super) fn run(api: &Api, query: &Query) -> Answered {
    let run = api.run(query)?;
    let overview = run.look()?.overview()?;
    Ok(Response::json(&overview))
}
