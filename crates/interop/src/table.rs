//! Tables with titles, row by row: CSV and TSV files of other tools.

use crate::error::{FilePlace, InteropError};
use fairtrial_model::Number;
use std::collections::HashMap;
use std::io::Read;

/// A table while it is read.
pub(crate) struct Table<R> {
    reader: csv::Reader<R>,
    name: String,
    titles: Vec<String>,
    places: HashMap<String, usize>,
    row: csv::StringRecord,
}

impl<R: Read> Table<R> {
    /// Reads the titles.
    pub(crate) fn open(
        name: impl Into<String>,
        source: R,
        delimiter: u8,
    ) -> Result<Self, InteropError> {
        let name = name.into();
        let mut reader = csv::ReaderBuilder::new()
            .delimiter(delimiter)
            .quoting(delimiter == b',')
            .flexible(true)
            .from_reader(source);
        let wrong =
            |error: csv::Error| InteropError::content(FilePlace::of(&name), error.to_string());
        let titles: Vec<String> = reader
            .headers()
            .map_err(wrong)?
            .iter()
            .map(|title| title.trim_start_matches('\u{feff}').trim().to_owned())
            .collect();
        let places = titles.iter().cloned().zip(0..).collect();
        Ok(Self {
            reader,
            name,
            titles,
            places,
            row: csv::StringRecord::new(),
        })
    }

    /// Refuses a table without these titles.
    pub(crate) fn require(&self, titles: &[&str]) -> Result<(), InteropError> {
        match titles
            .iter()
            .find(|title| !self.places.contains_key(**title))
        {
            None => Ok(()),
            Some(title) => Err(InteropError::content(
                FilePlace::of(&self.name).line(1),
                format!("there is no column `{title}`"),
            )),
        }
    }

    pub(crate) fn titles(&self) -> &[String] {
        &self.titles
    }

    /// Goes to the next row; `false` at the end.
    pub(crate) fn advance(&mut self) -> Result<bool, InteropError> {
        let read = self.reader.read_record(&mut self.row);
        read.map_err(|error| InteropError::content(FilePlace::of(&self.name), error.to_string()))
    }

    /// Where the row stands.
    pub(crate) fn place(&self) -> FilePlace {
        let line = self.row.position().map_or(0, csv::Position::line);
        FilePlace::of(&self.name).line(line)
    }

    /// An error about this row.
    pub(crate) fn wrong(&self, message: impl Into<String>) -> InteropError {
        InteropError::content(self.place(), message)
    }

    /// What stands under a title, trimmed; nothing where the cell is empty or not there.
    pub(crate) fn cell(&self, title: &str) -> Option<&str> {
        self.at(*self.places.get(title)?)
    }

    /// What stands in a column, trimmed; nothing where the cell is empty or not there.
    pub(crate) fn at(&self, column: usize) -> Option<&str> {
        let cell = self.row.get(column)?.trim();
        (!cell.is_empty()).then_some(cell)
    }

    /// The number under a title; marks for "not there" are none, other words are refused.
    pub(crate) fn number(&self, title: &str) -> Result<Option<f64>, InteropError> {
        let Some(cell) = self.cell(title) else {
            return Ok(None);
        };
        if matches!(cell, "NA" | "N/A" | "-") {
            return Ok(None);
        }
        match Number::parse(cell) {
            Some(number) => Ok(Some(number.0)),
            None => Err(InteropError::content(
                self.place().field(title),
                format!("`{cell}` is not a number"),
            )),
        }
    }
}
