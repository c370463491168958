//! Results tables, and the rows that tasks feed: every name leads somewhere, every conversion exists.

use super::draft::Draft;
use super::parts::{error, texts};
use crate::diagnostic::Problems;
use crate::document::{Entry, Node};
use crate::metric::conversion;
use crate::spec::table::{Feeds, TableColumn, TableSpec};
use fairtrial_model::MetricDeclaration;
use fairtrial_text::nearest::did_you_mean;

/// The row that a task feeds, as written.
pub(super) fn feeds(draft: &Draft) -> Option<Feeds> {
    Some(Feeds {
        table: draft.text("table")?.to_owned(),
        row: draft.text("row").unwrap_or("{task}").to_owned(),
        was: texts(draft.node.get("was")),
    })
}

/// The tables; tasks that feed none of them are reported.
pub(super) fn tables(
    root: &Node,
    drafts: &[Draft],
    metrics: &[MetricDeclaration],
    problems: &mut Problems,
) -> Vec<TableSpec> {
    let entries = root
        .get("tables")
        .and_then(Node::map)
        .map_or(&[][..], |map| &map.entries);
    let tables: Vec<TableSpec> = entries
        .iter()
        .map(|entry| table(entry, metrics, problems))
        .collect();
    for draft in drafts {
        check_task(draft, &tables, problems);
    }
    tables
}

fn table(entry: &Entry, metrics: &[MetricDeclaration], problems: &mut Problems) -> TableSpec {
    let node = &entry.value;
    let text = |key| node.get(key).and_then(Node::text).map(str::to_owned);
    let columns = node
        .get("columns")
        .and_then(Node::map)
        .map_or(&[][..], |map| &map.entries);
    TableSpec {
        name: entry.key.clone(),
        file: text("file").unwrap_or_default(),
        key: text("key"),
        columns: columns
            .iter()
            .filter_map(|column| self::column(column, metrics, problems))
            .collect(),
        provenance_column: text("provenance_column"),
    }
}

fn column(
    entry: &Entry,
    metrics: &[MetricDeclaration],
    problems: &mut Problems,
) -> Option<TableColumn> {
    let node = &entry.value;
    let place = node.get("metric").unwrap_or(node);
    let metric = place.text()?;
    let names = || metrics.iter().map(|metric| metric.name.as_str());
    if !names().any(|name| name == metric) {
        let help = did_you_mean(metric, names());
        let help = help.unwrap_or_else(|| format!("declare it: [metrics.{metric}]"));
        problems.push(error(place.span, format!("there is no metric `{metric}`")).help(help));
    }
    Some(TableColumn {
        title: entry.key.clone(),
        metric: metric.to_owned(),
        convert: conversion(node, problems),
        decimals: node
            .get("decimals")
            .and_then(Node::whole)
            .and_then(|n| u8::try_from(n).ok()),
        missing: node.get("missing").and_then(Node::text).map(str::to_owned),
    })
}

fn check_task(draft: &Draft, tables: &[TableSpec], problems: &mut Problems) {
    let Some(node) = draft.node.get("table") else {
        for key in ["row", "was"] {
            let own = draft.has_own(key);
            if let Some(entry) = draft.node.map().and_then(|map| map.entry(key))
                && own
            {
                let message = format!("`{key}` goes with `table`, which this task has not");
                problems.push(error(entry.key_span, message).help("remove it, or name the table"));
            }
        }
        return;
    };
    let Some(name) = node.text() else { return };
    let names = || tables.iter().map(|table| table.name.as_str());
    if names().any(|table| table == name) {
        return;
    }
    let help = match did_you_mean(name, names()) {
        Some(help) => help,
        None if tables.is_empty() => format!("declare it: [tables.{name}]"),
        None => format!("the tables are {}", names().collect::<Vec<_>>().join(", ")),
    };
    problems.push(error(node.span, format!("there is no results table `{name}`")).help(help));
}
