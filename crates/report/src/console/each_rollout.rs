//! A row for each rollout of a run: how it ended, what it scored and what that took.

use super::page::Page;
use super::terminal::Terminal;
use crate::grid::{Column, Grid, Section};
use fairtrial_model::{Outcome, Record};
use fairtrial_text::excerpt::excerpt;

/// Letters of a reason.
const WHY: usize = 60;

/// The columns with numbers: their titles, their metrics, and how many digits they show.
const NUMBERS: [(&str, &str, usize); 6] = [
    ("score", "score", 3),
    ("solved", "solved", 0),
    ("tests", "tests_passed", 0),
    ("tokens", "tokens_total", 0),
    ("$", "cost_usd", 4),
    ("agent s", "agent_s", 1),
];

/// The table, on a terminal.
pub fn each_rollout(records: &[Record], terminal: Terminal) -> String {
    let mut page = Page::new(terminal);
    page.section(&section(records));
    page.finish()
}

fn section(records: &[Record]) -> Section {
    let mut columns = vec![
        Column::words("trial"),
        Column::words("task"),
        Column::words("arm"),
        Column::numbers("rollout"),
        Column::words("outcome"),
    ];
    let numbers = NUMBERS.iter().enumerate();
    columns.extend(numbers.map(|(place, (title, ..))| {
        let rank = u8::try_from(place.saturating_sub(1)).unwrap_or(u8::MAX);
        Column::numbers(*title).may_go(rank)
    }));
    columns.push(Column::words("why").may_go(9));
    let mut grid = Grid::new(columns);
    for record in records {
        let key = &record.trial;
        let mut row = vec![
            key.index.to_string().into(),
            key.task.as_str().into(),
            key.arm.clone().unwrap_or_default().into(),
            key.rollout.to_string().into(),
            record.outcome.to_string().into(),
        ];
        for (_, metric, digits) in NUMBERS {
            let value = record.metrics.get(metric);
            let text = value.map(|value| format!("{:.digits$}", value.0));
            // What is not known is no 0.
            row.push(text.unwrap_or_else(|| "-".to_owned()).into());
        }
        row.push(why(record).into());
        grid.push(row);
    }
    Section {
        title: "each rollout".to_owned(),
        grid: grid.without_empty_columns(),
        notes: Vec::new(),
    }
}

fn why(record: &Record) -> String {
    let limited = record
        .facts
        .get("limited")
        .map(|limit| format!("ended at {limit}"));
    let cause = record
        .cause
        .as_ref()
        .filter(|_| record.outcome != Outcome::Ok);
    let why = cause
        .map(ToString::to_string)
        .or(limited)
        .unwrap_or_default();
    excerpt(why.lines().next().unwrap_or_default(), WHY)
}
