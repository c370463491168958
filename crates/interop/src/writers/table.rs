//! Rows as CSV, as JSON lines and as Parquet.

use super::rows::{Cell, Rows};
use crate::error::InteropError;
use crate::parquet::{Parquet, ParquetColumn};
use fairtrial_model::Number;
use fairtrial_text::escape;
use serde_json::{Map, Value};
use std::borrow::Cow;

/// A kind of table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableKind {
    /// Commas between cells.
    Csv,
    /// An object for each row.
    Jsonl,
    /// What pandas, Polars and DuckDB read fastest.
    Parquet,
}

impl TableKind {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Csv, Self::Jsonl, Self::Parquet];

    /// Its name for `--to`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Jsonl => "jsonl",
            Self::Parquet => "parquet",
        }
    }

    /// The file.
    pub fn bytes(self, rows: &Rows) -> Result<Vec<u8>, InteropError> {
        match self {
            Self::Csv => csv(rows),
            Self::Jsonl => jsonl(rows),
            Self::Parquet => Ok(parquet(rows)),
        }
    }
}

fn wrong(error: impl Into<Box<dyn std::error::Error>>) -> InteropError {
    InteropError::Unknown(error.into().to_string())
}

fn csv(rows: &Rows) -> Result<Vec<u8>, InteropError> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let harmless = |text: &String| escape::csv(text).into_owned();
    let titles = rows.titles.iter().map(harmless);
    writer.write_record(titles).map_err(wrong)?;
    for row in &rows.rows {
        let cells = row.iter().map(|cell| match cell {
            Cell::Missing => Cow::Borrowed(&b""[..]),
            Cell::Text(text) => Cow::Owned(harmless(text).into_bytes()),
            Cell::Whole(number) => Cow::Owned(number.to_string().into_bytes()),
            // As short as gives the number back.
            Cell::Number(number) => Cow::Owned(number.to_string().into_bytes()),
        });
        writer.write_record(cells).map_err(wrong)?;
    }
    writer
        .into_inner()
        .map_err(|error| wrong(error.into_error()))
}

fn jsonl(rows: &Rows) -> Result<Vec<u8>, InteropError> {
    let mut out = Vec::new();
    for row in &rows.rows {
        let mut object = Map::new();
        for (title, cell) in rows.titles.iter().zip(row) {
            let value = match cell {
                Cell::Missing => continue,
                Cell::Text(text) => Value::from(text.as_str()),
                Cell::Whole(number) => Value::from(*number),
                Cell::Number(number) => serde_json::to_value(Number(*number)).map_err(wrong)?,
            };
            object.insert(title.clone(), value);
        }
        let text = serde_json::to_string(&object).map_err(wrong)?;
        out.extend_from_slice(escape::json(&text).as_bytes());
        out.push(b'\n');
    }
    Ok(out)
}

fn parquet(rows: &Rows) -> Vec<u8> {
    let mut table = Parquet::default();
    for (place, title) in rows.titles.iter().enumerate() {
        let cells: Vec<&Cell> = rows.rows.iter().map(|row| &row[place]).collect();
        table.column(title, column(&cells));
    }
    table.to_bytes()
}

fn column(cells: &[&Cell]) -> ParquetColumn {
    let has_text = cells.iter().any(|cell| matches!(cell, Cell::Text(_)));
    let has_number = cells.iter().any(|cell| matches!(cell, Cell::Number(_)));
    if has_text {
        let text = |cell: &&Cell| match cell {
            Cell::Text(text) => Some(text.clone()),
            _ => None,
        };
        return ParquetColumn::Texts(cells.iter().map(text).collect());
    }
    if has_number {
        let number = |cell: &&Cell| match cell {
            Cell::Number(number) => Some(*number),
            _ => None,
        };
        return ParquetColumn::Numbers(cells.iter().map(number).collect());
    }
    let whole = |cell: &&Cell| match cell {
        Cell::Whole(number) => i64::try_from(*number).ok(),
        _ => None,
    };
    ParquetColumn::Whole(cells.iter().map(whole).collect())
}
