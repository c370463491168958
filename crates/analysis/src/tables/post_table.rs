//! A table of a comparison: which of its rows is meant, and which run wrote it.

use fairtrial_spec::TableColumn;
use fairtrial_table::{Origins, Row, RowState, Table, TableError};

/// A table to compare, with what is known of its rows.
#[derive(Debug, Clone, Copy)]
pub struct PostTable<'a> {
    /// What its reader calls it.
    pub label: &'a str,
    /// Its content.
    pub table: &'a Table,
    /// Where its rows came from.
    pub origins: &'a Origins,
}

/// A row to compare.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PostRow {
    pub(super) key: String,
    /// Keys that it had before.
    pub(super) was: Vec<String>,
}

impl PostRow {
    /// Its key, then those that it had before.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&self.key)
            .chain(&self.was)
            .map(String::as_str)
    }
}

impl<'a> PostTable<'a> {
    /// The row, with the key that it has here.
    pub(super) fn row<'r>(&self, row: &'r PostRow) -> Option<(&'r str, Row<'a>)> {
        let mut names = row.names();
        names.find_map(|name| Some((name, self.table.find(name).ok()??)))
    }

    /// Place of a column.
    pub(super) fn place(&self, column: &TableColumn) -> Option<usize> {
        self.table.column(&column.title).ok()
    }

    /// What wrote a row, where the row still says what was written.
    pub(super) fn written_by(&self, key: &str) -> Option<&'a str> {
        match self.origins.state(self.table, key) {
            RowState::AsWritten => Some(self.origins.rows.get(key)?.source.as_str()),
            RowState::Edited { .. } | RowState::Unknown => None,
        }
    }

    /// Why the table has no number for rows and columns that are in it more than once.
    pub(super) fn ambiguities(&self, rows: &[PostRow], columns: &[TableColumn]) -> Vec<String> {
        let of_rows = rows
            .iter()
            .flat_map(PostRow::names)
            .filter_map(|name| self.table.find(name).err());
        let of_columns = columns
            .iter()
            .filter_map(|column| self.table.column(&column.title).err())
            .filter(|error| !matches!(error, TableError::NoColumn { .. }));
        of_rows
            .chain(of_columns)
            .map(|error| format!("{}: {error}", self.label))
            .collect()
    }
}
