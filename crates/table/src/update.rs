//! Changes to a table, as few bytes as they take.

use crate::TableError;
use crate::cell::{bytes_of, pad_like};
use crate::header::Column;
use crate::number::{ColumnStyle, Decimals, read_number, style_of};
use crate::source::CellSpan;
use crate::table::{Row, Table};
use fairtrial_model::{Conversion, Digits};
use serde::Serialize;
use std::collections::HashMap;
use std::ops::Range;

/// What is to change.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Update {
    /// New values, row by row.
    pub rows: Vec<RowUpdate>,
    /// Columns to add where they are not there.
    pub columns: Vec<NewColumn>,
    /// The keys in the order of whoever keeps the list: a new row goes after the nearest one before it.
    pub order: Vec<String>,
}

/// New values of one row.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RowUpdate {
    /// The row's key.
    pub key: String,
    /// Keys that it had before: such a row is renamed.
    pub was: Vec<String>,
    /// The values.
    pub cells: Vec<NewCell>,
}

/// The new value of one cell.
#[derive(Debug, Clone, PartialEq)]
pub struct NewCell {
    /// The column's title.
    pub title: String,
    /// The value.
    pub value: Value,
}

/// A value to write.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A number, written as its column writes numbers.
    Number {
        /// The number.
        value: f64,
        /// Its unit, needed where the column holds durations.
        unit: Option<String>,
        /// Decimals that win over the column's; before the exponent where it writes one.
        decimals: Option<u8>,
        /// Decimals for a column whose cells do not tell.
        precision: Option<u8>,
    },
    /// A text, written as it is.
    Text(String),
}

/// A column to add at the right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewColumn {
    /// The title with its options.
    pub header: String,
}

/// One thing that changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Change {
    /// A cell has another text.
    Cell {
        /// The row.
        row: String,
        /// The column.
        column: String,
        /// The text before.
        before: String,
        /// The text now.
        after: String,
    },
    /// A row is new.
    RowAdded {
        /// Its key.
        row: String,
        /// The row that it follows; absent where it is the first.
        after: Option<String>,
    },
    /// A row has another key.
    RowRenamed {
        /// The key before.
        from: String,
        /// The key now.
        to: String,
    },
    /// A column is new.
    ColumnAdded {
        /// Its title.
        column: String,
    },
}

/// A table after an update.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Updated {
    /// The new bytes; the old ones where nothing changed.
    pub bytes: Vec<u8>,
    /// What changed, in the order of the update.
    pub changes: Vec<Change>,
    /// The text that each cell of the update has now, by row and column.
    pub texts: Vec<(String, String, String)>,
}

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

    fn columns_to_add(&self, wanted: &[NewColumn]) -> Vec<Added> {
        let mut added: Vec<Added> = Vec::new();
        for column in wanted {
            let title = Column::parse(&column.header).title;
            let known = self.columns().iter().any(|known| known.title == title)
                || added.iter().any(|known| known.title == title);
            if !known {
                added.push(Added {
                    title,
                    header: column.header.clone(),
                    cells: HashMap::new(),
                });
            }
        }
        added
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

/// A column that is being added.
struct Added {
    title: String,
    header: String,
    /// Texts by line.
    cells: HashMap<usize, String>,
}

/// Bytes to replace. Of several at one place, what belongs to a line's own cells comes before what ends the line, that
/// before a line that follows it, and that before the first cell of the line that was next.
struct Edit {
    range: Range<usize>,
    rank: Rank,
    with: Vec<u8>,
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Cell,
    NewCells,
    NewLine,
    FirstCell,
}

/// An update at work.
struct Work<'a> {
    table: &'a Table,
    edits: Vec<Edit>,
    changes: Vec<Change>,
    texts: Vec<(String, String, String)>,
    styles: HashMap<usize, Option<ColumnStyle>>,
    added: Vec<Added>,
}

impl<'a> Work<'a> {
    fn edit_cell(&mut self, row: Row<'_>, span: &CellSpan, with: Vec<u8>) {
        let first = span.bytes.start == row.line().bytes.start;
        let rank = if first { Rank::FirstCell } else { Rank::Cell };
        self.edit(span.bytes.clone(), rank, with);
    }

    fn edit(&mut self, range: Range<usize>, rank: Rank, with: Vec<u8>) {
        self.edits.push(Edit { range, rank, with });
    }

    fn begin_columns(&mut self) {
        for added in &self.added {
            self.changes.push(Change::ColumnAdded {
                column: added.title.clone(),
            });
        }
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

    fn insert(&mut self, update: &RowUpdate, order: &[String]) -> Result<(), TableError> {
        let mut texts: HashMap<&str, String> = HashMap::new();
        for cell in &update.cells {
            if !self.added.iter().any(|added| added.title == cell.title) {
                self.table.column(&cell.title)?;
            }
            texts.insert(&cell.title, self.text(&update.key, cell)?);
        }
        let place = self.place(&update.key, order);
        let like = place.or_else(|| self.table.rows().next());
        let key = self.table.key_place();
        let mut line = Vec::new();
        for (number, column) in self.table.columns().iter().enumerate() {
            let text = if number == key {
                update.key.as_str()
            } else {
                texts.get(column.title.as_str()).map_or("", String::as_str)
            };
            let neighbour = like.and_then(|row| row.cell(number)).unwrap_or_default();
            let padded = if text.is_empty() || number == key {
                text.to_owned()
            } else {
                pad_like(&neighbour, text)
            };
            if number > 0 {
                line.push(b',');
            }
            line.extend(bytes_of(&padded, false));
        }
        for added in &self.added {
            line.push(b',');
            let text = texts.get(added.title.as_str()).map_or("", String::as_str);
            line.extend(bytes_of(text, false));
        }
        self.insert_line(place, line);
        self.changes.push(Change::RowAdded {
            row: update.key.clone(),
            after: place.map(|row| row.key()),
        });
        for (title, text) in texts {
            self.texts
                .push((update.key.clone(), title.to_owned(), text));
        }
        Ok(())
    }

    /// The row that a new one follows: the nearest before it in the order; else what comes before the nearest after it;
    /// else the last.
    fn place(&self, key: &str, order: &[String]) -> Option<Row<'a>> {
        let rows: Vec<Row<'a>> = self.table.rows().collect();
        let with_key = |key: &String| rows.iter().position(|row| row.key() == *key);
        let Some(own) = order.iter().position(|known| known == key) else {
            return rows.last().copied();
        };
        if let Some(before) = order[..own].iter().rev().find_map(with_key) {
            return Some(rows[before]);
        }
        match order[own + 1..].iter().find_map(with_key) {
            Some(0) => None,
            Some(after) => Some(rows[after - 1]),
            None => rows.last().copied(),
        }
    }

    /// Puts a line behind a row, or behind the titles; a last line without an ending stays one.
    fn insert_line(&mut self, place: Option<Row<'_>>, mut line: Vec<u8>) {
        let ending = self.table.ending();
        let before = place.map_or(&self.table.header, |row| row.line());
        let bare = before.bytes.end == before.end;
        if bare {
            line.splice(0..0, ending.iter().copied());
        } else {
            line.extend(ending);
        }
        let at = before.end;
        self.edit(at..at, Rank::NewLine, line);
    }

    fn finish_columns(&mut self) {
        if self.added.is_empty() {
            return;
        }
        let headers: Vec<u8> = self
            .added
            .iter()
            .flat_map(|added| [b",".to_vec(), bytes_of(&added.header, false)].concat())
            .collect();
        let at = self.table.header.bytes.end;
        self.edit(at..at, Rank::NewCells, headers);
        let width = self.table.columns().len();
        for row in self.table.rows() {
            let mut cells = vec![b','; width.saturating_sub(row.width())];
            for added in &self.added {
                cells.push(b',');
                let text = added.cells.get(&row.place()).map_or("", String::as_str);
                cells.extend(bytes_of(text, false));
            }
            let at = row.line().bytes.end;
            self.edit(at..at, Rank::NewCells, cells);
        }
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
