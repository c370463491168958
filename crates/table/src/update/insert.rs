//! Rows and columns that the table does not have yet.

use super::change::{Change, NewColumn, RowUpdate};
use super::work::{Added, Rank, Work};
use crate::cell::{bytes_of, pad_like};
use crate::error::TableError;
use crate::header::Column;
use crate::table::{Row, Table};
use std::collections::HashMap;

impl Table {
    pub(super) fn columns_to_add(&self, wanted: &[NewColumn]) -> Vec<Added> {
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
}

impl<'a> Work<'a> {
    pub(super) fn begin_columns(&mut self) {
        for added in &self.added {
            self.changes.push(Change::ColumnAdded {
                column: added.title.clone(),
            });
        }
    }

    pub(super) fn insert(
        &mut self,
        update: &RowUpdate,
        order: &[String],
    ) -> Result<(), TableError> {
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

    pub(super) fn finish_columns(&mut self) {
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
}
