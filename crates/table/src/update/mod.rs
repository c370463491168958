//! Changes to a table, as few bytes as they take.

mod change;
mod insert;
mod work;

pub use change::{Change, NewCell, NewColumn, RowUpdate, Update, Updated, Value};

use crate::cell::{bytes_of, pad_like};
use crate::error::TableError;
use crate::source::CellSpan;
use crate::table::{Row, Table};
use fairtrial_model::Conversion;
use fairtrial_text::column::{ColumnStyle, Decimals, read_number, style_of};
use fairtrial_text::digits::Digits;
use std::collections::HashMap;
use std::ops::Range;
use work::{Edit, Rank, Work};

impl Table {
    /// The table with the update in it. A value that is the same number as the one that stands there changes nothing.
    pub fn update(&self, update: &Update) -> Result<Updated, TableError> {
        let mut work = Work {
            table: self,
            edits: Vec::new(),
            changes: Vec::new(),
            texts: Vec::new(),
            styles: HashMap::new(),
            added: self.columns_to_add(&update.columns),
        };
        work.begin_columns();
        for row in &update.rows {
            work.row(row, &update.order)?;
        }
        work.finish_columns();
        Ok(work.finish())
    }

    /// What a column shows of its numbers; absent where it holds none.
    pub fn digits(&self, column: usize) -> Option<Digits> {
        self.style(column)?.shown()
    }

    /// What the last digit of a duration in a column stands for, in seconds; absent where it holds no durations.
    pub fn duration_step(&self, column: usize, seconds: f64) -> Option<f64> {
        self.style(column)?.duration_step(seconds)
    }

    fn style(&self, column: usize) -> Option<ColumnStyle> {
        let cells: Vec<String> = self.rows().filter_map(|row| row.cell(column)).collect();
        style_of(cells.iter().map(String::as_str))
    }
}

impl Work<'_> {
    fn edit_cell(&mut self, row: Row<'_>, span: &CellSpan, with: Vec<u8>) {
        let first = span.bytes.start == row.line().bytes.start;
        let rank = if first { Rank::FirstCell } else { Rank::Cell };
        self.edit(span.bytes.clone(), rank, with);
    }

    fn edit(&mut self, range: Range<usize>, rank: Rank, with: Vec<u8>) {
        self.edits.push(Edit { range, rank, with });
    }

    fn row(&mut self, update: &RowUpdate, order: &[String]) -> Result<(), TableError> {
        let table = self.table;
        if let Some(row) = table.find(&update.key)? {
            return self.existing(row, update);
        }
        for was in &update.was {
            if let Some(row) = table.find(was)? {
                self.rename(row, was, &update.key);
                return self.existing(row, update);
            }
        }
        self.insert(update, order)
    }

    fn rename(&mut self, row: Row<'_>, from: &str, to: &str) {
        let column = self.table.key_place();
        if let (Some(span), Some(old)) = (row.span(column), row.cell(column)) {
            let new = pad_like(&old, to);
            self.edit_cell(row, span, bytes_of(&new, span.quoted));
        }
        self.changes.push(Change::RowRenamed {
            from: from.to_owned(),
            to: to.to_owned(),
        });
    }

    fn existing(&mut self, row: Row<'_>, update: &RowUpdate) -> Result<(), TableError> {
        for cell in &update.cells {
            let text = self.text(&update.key, cell)?;
            if let Some(added) = self.added.iter_mut().find(|add| add.title == cell.title) {
                added.cells.insert(row.place(), text.clone());
                self.remember(&update.key, &cell.title, text);
                continue;
            }
            let column = self.table.column(&cell.title)?;
            let (Some(span), Some(old)) = (row.span(column), row.cell(column)) else {
                return Err(TableError::ShortRow {
                    line: row.line_number(),
                    title: cell.title.clone(),
                });
            };
            if same(&old, &text, &cell.value) {
                self.remember(&update.key, &cell.title, old.trim().to_owned());
                continue;
            }
            let new = pad_like(&old, &text);
            self.edit_cell(row, span, bytes_of(&new, span.quoted));
            self.changes.push(Change::Cell {
                row: update.key.clone(),
                column: cell.title.clone(),
                before: old.trim().to_owned(),
                after: text.clone(),
            });
            self.remember(&update.key, &cell.title, text);
        }
        Ok(())
    }

    fn remember(&mut self, row: &str, column: &str, text: String) {
        self.texts.push((row.to_owned(), column.to_owned(), text));
    }

    /// The text for a value, as its column writes it.
    fn text(&mut self, key: &str, cell: &NewCell) -> Result<String, TableError> {
        let (value, unit, decimals, precision) = match &cell.value {
            Value::Text(text) => return Ok(text.clone()),
            Value::Number {
                value,
                unit,
                decimals,
                precision,
            } => (*value, unit, *decimals, *precision),
        };
        if !value.is_finite() {
            return Err(TableError::NotFinite {
                key: key.to_owned(),
                title: cell.title.clone(),
                value: value.to_string(),
            });
        }
        let is_new = self.added.iter().any(|added| added.title == cell.title);
        let known = if is_new {
            None
        } else {
            let table = self.table;
            let column = table.column(&cell.title)?;
            *self
                .styles
                .entry(column)
                .or_insert_with(|| table.style(column))
        };
        let mut style = known.unwrap_or_else(|| ColumnStyle::plain(precision));
        // A precision counts decimals of the number, not those before an exponent.
        if let (Decimals::Trimmed(_), Some(precision), false) =
            (style.decimals, precision, style.is_scientific())
        {
            style.decimals = Decimals::Fixed(precision);
        }
        if let Some(decimals) = decimals {
            style.decimals = Decimals::Fixed(decimals);
        }
        if !style.is_duration() {
            return Ok(style.write(value));
        }
        let no_unit = || TableError::NoUnit {
            key: key.to_owned(),
            title: cell.title.clone(),
        };
        let unit = unit.as_deref().ok_or_else(no_unit)?;
        let seconds = Conversion::between(unit, "s").map_err(|_| no_unit())?;
        Ok(style.write(seconds.apply(value)))
    }

    fn finish(mut self) -> Updated {
        // The sort is stable: insertions of one rank at one place stay in the order in which they were made.
        self.edits
            .sort_by(|a, b| (a.range.start, &a.rank).cmp(&(b.range.start, &b.rank)));
        let old = &self.table.bytes;
        let mut bytes = Vec::with_capacity(old.len() + 256);
        let mut at = 0;
        for Edit { range, with, .. } in self.edits {
            bytes.extend_from_slice(&old[at..range.start]);
            bytes.extend(with);
            at = range.end;
        }
        bytes.extend_from_slice(&old[at..]);
        Updated {
            bytes,
            changes: self.changes,
            texts: self.texts,
        }
    }
}

/// Whether a cell says already what shall be written: the same text, or for numbers the same number.
fn same(old: &str, new: &str, value: &Value) -> bool {
    if old.trim() == new.trim() {
        return true;
    }
    matches!(value, Value::Number { .. })
        && match (read_number(old), read_number(new)) {
            (Some(old), Some(new)) => old.value == new.value,
            _ => false,
        }
}
