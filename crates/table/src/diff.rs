//! Two tables, row by row and column by column.

use crate::table::Table;
use fairtrial_text::column::read_number;
use serde::Serialize;

/// How the second table differs from the first.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct TableDiff {
    /// Keys that only the second has.
    pub rows_added: Vec<String>,
    /// Keys that only the first has.
    pub rows_removed: Vec<String>,
    /// Titles that only the second has.
    pub columns_added: Vec<String>,
    /// Titles that only the first has.
    pub columns_removed: Vec<String>,
    /// Columns whose options differ.
    pub columns_changed: Vec<ColumnChange>,
    /// Whether what both have stands in another order.
    pub reordered: bool,
    /// Cells that differ, in the order of the second.
    pub cells: Vec<CellChange>,
    /// Cells that say the same number in another way.
    pub rewritten: Vec<CellChange>,
}

/// A column whose options differ.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ColumnChange {
    /// Its title.
    pub column: String,
    /// The title cell before.
    pub before: String,
    /// The title cell now.
    pub after: String,
}

/// A cell that differs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CellChange {
    /// The row.
    pub row: String,
    /// The column.
    pub column: String,
    /// The text in the first.
    pub before: String,
    /// The text in the second.
    pub after: String,
    /// Difference of the numbers, where both are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delta: Option<f64>,
}

impl TableDiff {
    /// Whether nothing differs.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Compares two tables by their keys and titles.
pub fn diff(first: &Table, second: &Table) -> TableDiff {
    let keys = [first, second].map(|table| table.keys().collect::<Vec<_>>());
    let titles = [first, second].map(|table| {
        let columns = table.columns().iter();
        columns
            .map(|column| column.title.clone())
            .collect::<Vec<_>>()
    });
    let mut found = TableDiff {
        rows_added: without(&keys[1], &keys[0]),
        rows_removed: without(&keys[0], &keys[1]),
        columns_added: without(&titles[1], &titles[0]),
        columns_removed: without(&titles[0], &titles[1]),
        reordered: shared(&keys[0], &keys[1]) != shared(&keys[1], &keys[0])
            || shared(&titles[0], &titles[1]) != shared(&titles[1], &titles[0]),
        ..TableDiff::default()
    };
    for title in shared(&titles[1], &titles[0]) {
        let [Ok(before), Ok(after)] = [first, second].map(|table| table.column(title)) else {
            continue;
        };
        headers(first, second, title, [before, after], &mut found);
    }
    for row in second.rows() {
        let Ok(Some(old)) = first.find(&row.key()) else {
            continue;
        };
        for title in shared(&titles[1], &titles[0]) {
            let [Ok(before), Ok(after)] = [first, second].map(|table| table.column(title)) else {
                continue;
            };
            let texts = [old.cell(before), row.cell(after)];
            let [before, after] = texts.map(|text| text.unwrap_or_default().trim().to_owned());
            cell(row.key(), title.clone(), [before, after], &mut found);
        }
    }
    found
}

fn headers(
    first: &Table,
    second: &Table,
    title: &str,
    [before, after]: [usize; 2],
    found: &mut TableDiff,
) {
    let [old, new] = [&first.columns()[before], &second.columns()[after]];
    let same = old.align == new.align
        && old.hover == new.hover
        && old.hidden == new.hidden
        && old.unknown == new.unknown
        && old.error == new.error;
    if !same {
        found.columns_changed.push(ColumnChange {
            column: title.to_owned(),
            before: first.header_text(before),
            after: second.header_text(after),
        });
    }
}

fn cell(row: String, column: String, [before, after]: [String; 2], found: &mut TableDiff) {
    if before == after {
        return;
    }
    let numbers = [&before, &after].map(|text| read_number(text).map(|number| number.value));
    let delta = match numbers {
        [Some(before), Some(after)] => Some(after - before),
        _ => None,
    };
    let change = CellChange {
        row,
        column,
        before,
        after,
        delta,
    };
    if delta == Some(0.0) {
        found.rewritten.push(change);
    } else {
        found.cells.push(change);
    }
}

fn without(these: &[String], those: &[String]) -> Vec<String> {
    let only = these.iter().filter(|name| !those.contains(name));
    only.cloned().collect()
}

fn shared<'a>(these: &'a [String], those: &[String]) -> Vec<&'a String> {
    these.iter().filter(|name| those.contains(name)).collect()
}
