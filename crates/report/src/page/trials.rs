//! The trials of a run: a table of all of them, and of a small run each one whole.

use super::content::Block;
use crate::grid::{Cell, Column, Grid, Section};
use fairtrial_analysis::report::{ReportData, WholeTrial};
use fairtrial_text::count::counted;
use fairtrial_text::significant::short;

/// The trials of a report.
pub(super) fn trials(data: &ReportData) -> Vec<Block> {
    let all = &data.trials;
    if all.count == 0 {
        return Vec::new();
    }
    let count = counted(all.count as u64, "trial");
    let words = if all.whole.is_empty() {
        format!(
            "This run has {count}. With scripts this is a table of them; `fairtrial export {}` writes it as CSV.",
            data.run.name
        )
    } else {
        String::new()
    };
    let mut blocks = vec![Block::AllTrials(words)];
    blocks.extend(all.whole.iter().map(one));
    blocks
}

fn one(trial: &WholeTrial) -> Block {
    let (title, inside) = parts(trial);
    Block::Trial {
        index: trial.ended.index,
        title,
        inside,
    }
}

/// Who a trial is and how it ended, and what is known of it.
pub(super) fn parts(trial: &WholeTrial) -> (String, Vec<Block>) {
    let ended = &trial.ended;
    let cause = ended.cause.as_ref();
    let cause = cause.map_or(String::new(), |cause| format!(": {cause}"));
    let mut inside = Vec::new();
    inside.extend(trial.notes.iter().cloned().map(Block::Words));
    let logs = ended.logs.iter().map(|log| Block::Log {
        title: match log.file.as_str() {
            "command.sh" => "command".to_owned(),
            file if log.more && file.starts_with("logs/") => format!("{file}, last lines"),
            file if log.more => format!("{file}, first lines"),
            file => file.to_owned(),
        },
        lines: log.lines.clone(),
    });
    inside.extend(logs);
    let metrics = trial.metrics.iter();
    let metrics = metrics.map(|(name, value)| (name.clone(), short(value.0)));
    inside.extend(pairs("Metrics", metrics.collect()));
    let used = trial.resources.as_object().into_iter().flatten();
    let used = used.map(|(name, value)| {
        let text = value.as_str().map(str::to_owned);
        (name.clone(), text.unwrap_or_else(|| value.to_string()))
    });
    inside.extend(pairs("Resources", used.collect()));
    let facts = trial.facts.iter();
    let facts = facts.map(|(name, value)| (name.clone(), value.clone()));
    inside.extend(pairs("What it said about itself", facts.collect()));
    if ended.packed {
        inside.push(Block::Words(format!(
            "Its files are packed with those of other trials: `fairtrial unpack` with `--trial {}` puts them into `{}`.",
            ended.index, ended.dir
        )));
    } else if !ended.dir.is_empty() {
        inside.push(Block::Words(format!("Its files are in `{}`.", ended.dir)));
    }
    let title = format!("{}: {}, {}{cause}", ended.index, ended.trial, ended.outcome);
    (title, inside)
}

/// Names with their values, where there are any.
fn pairs(title: &str, pairs: Vec<(String, String)>) -> Option<Block> {
    let cell = |text: String| Cell {
        text,
        ..Cell::default()
    };
    let rows: Vec<Vec<Cell>> = pairs
        .into_iter()
        .map(|(name, value)| vec![cell(name), cell(value)])
        .collect();
    (!rows.is_empty()).then(|| {
        Block::Table(Section {
            title: title.to_owned(),
            grid: Grid {
                columns: vec![Column::words("name"), Column::numbers("value")],
                rows,
            },
            notes: Vec::new(),
        })
    })
}
