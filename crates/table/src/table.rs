//! A parsed table: titles, rows, and the bytes they came from.

use crate::cell::text_of;
use crate::error::TableError;
use crate::header::Column;
use crate::source::{CellSpan, LineSpan, spans};
use fairtrial_text::nearest::nearest;
use std::collections::HashMap;

/// A table and its bytes.
#[derive(Debug, Clone)]
pub struct Table {
    pub(crate) bytes: Vec<u8>,
    pub(crate) header: LineSpan,
    pub(crate) lines: Vec<LineSpan>,
    columns: Vec<Column>,
    key: usize,
}

/// One row.
#[derive(Debug, Clone, Copy)]
pub struct Row<'a> {
    table: &'a Table,
    place: usize,
}

impl Table {
    /// Finds the cells of a table. The first column is the key.
    pub fn parse(bytes: impl Into<Vec<u8>>) -> Result<Self, TableError> {
        let bytes = bytes.into();
        let mut lines = spans(&bytes)?;
        if lines.first().is_none_or(|line| line.cells.is_empty()) {
            return Err(TableError::Empty);
        }
        let header = lines.remove(0);
        let columns = header
            .cells
            .iter()
            .map(|cell| Column::parse(&text_of(&bytes[cell.bytes.clone()], cell.quoted)))
            .collect();
        Ok(Self {
            bytes,
            header,
            lines,
            columns,
            key: 0,
        })
    }

    /// The same with another key column.
    pub fn with_key(mut self, title: &str) -> Result<Self, TableError> {
        self.key = self.column(title)?;
        Ok(self)
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The columns.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// A title cell as it stands, options included.
    pub fn header_text(&self, column: usize) -> String {
        let cell = self.header.cells.get(column);
        cell.map_or_else(String::new, |cell| {
            let raw = &self.bytes[cell.bytes.clone()];
            text_of(raw, cell.quoted).trim().to_owned()
        })
    }

    /// Title of the key column.
    pub fn key_title(&self) -> &str {
        &self.columns[self.key].title
    }

    pub(crate) fn key_place(&self) -> usize {
        self.key
    }

    /// Place of the column with this title.
    pub fn column(&self, title: &str) -> Result<usize, TableError> {
        let titles = || self.columns.iter().map(|column| column.title.as_str());
        let mut found = titles().enumerate().filter(|(_, known)| *known == title);
        match (found.next(), found.next()) {
            (Some((place, _)), None) => Ok(place),
            (Some(_), Some(_)) => Err(TableError::TwoColumns {
                title: title.to_owned(),
            }),
            (None, _) => Err(TableError::NoColumn {
                title: title.to_owned(),
                near: nearest(title, titles()).map(str::to_owned),
            }),
        }
    }

    /// Every line below the titles, blank ones included.
    pub(crate) fn all_lines(&self) -> impl Iterator<Item = Row<'_>> {
        (0..self.lines.len()).map(|place| Row { table: self, place })
    }

    /// The rows, without blank lines.
    pub fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        self.all_lines().filter(|row| !row.line().cells.is_empty())
    }

    /// The keys, in the table's order.
    pub fn keys(&self) -> impl Iterator<Item = String> + '_ {
        self.rows().map(|row| row.key())
    }

    /// The row with this key, where there is exactly one.
    pub fn find(&self, key: &str) -> Result<Option<Row<'_>>, TableError> {
        let mut found = self.rows().filter(|row| row.key() == key);
        match (found.next(), found.next()) {
            (Some(first), Some(second)) => Err(TableError::TwoRows {
                key: key.to_owned(),
                first: first.line_number(),
                second: second.line_number(),
            }),
            (found, _) => Ok(found),
        }
    }

    /// Whether every row and every column can be named: no key and no title is there twice.
    pub fn unambiguous(&self) -> Result<(), TableError> {
        for column in &self.columns {
            self.column(&column.title)?;
        }
        let mut known = HashMap::new();
        for row in self.rows() {
            let second = row.line_number();
            let key = row.key();
            if let Some(first) = known.insert(key.clone(), second) {
                return Err(TableError::TwoRows { key, first, second });
            }
        }
        Ok(())
    }

    /// The line ending that most lines have.
    pub(crate) fn ending(&self) -> &'static [u8] {
        let all = || std::iter::once(&self.header).chain(&self.lines);
        let count = |wanted: &[u8]| {
            all()
                .filter(|line| &self.bytes[line.bytes.end..line.end] == wanted)
                .count()
        };
        let endings: [&'static [u8]; 3] = [b"\n", b"\r\n", b"\r"];
        let mut best = endings[0];
        for ending in endings {
            if count(ending) > count(best) {
                best = ending;
            }
        }
        best
    }
}

impl<'a> Row<'a> {
    pub(crate) fn line(&self) -> &'a LineSpan {
        &self.table.lines[self.place]
    }

    pub(crate) fn place(&self) -> usize {
        self.place
    }

    /// The row's key, trimmed.
    pub fn key(&self) -> String {
        self.cell(self.table.key)
            .map(|text| text.trim().to_owned())
            .unwrap_or_default()
    }

    /// The text of a cell; nothing where the row ends before it.
    pub fn cell(&self, column: usize) -> Option<String> {
        let span = self.span(column)?;
        Some(text_of(&self.table.bytes[span.bytes.clone()], span.quoted))
    }

    pub(crate) fn span(&self, column: usize) -> Option<&'a CellSpan> {
        self.line().cells.get(column)
    }

    /// All cells.
    pub fn cells(&self) -> impl Iterator<Item = String> + 'a {
        let row = *self;
        (0..row.width()).filter_map(move |column| row.cell(column))
    }

    /// How many cells it has.
    pub fn width(&self) -> usize {
        self.line().cells.len()
    }

    /// The line that it begins on, from 1.
    pub fn line_number(&self) -> usize {
        self.line().number
    }
}
