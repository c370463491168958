//! Where each row came from: a side file beside the table, in the repository like the table itself.
//!
//! It also keeps every number at full precision, next to the text that was written: a later comparison uses the number
//! as long as the text still stands, and knows that somebody edited the cell where it does not.

use crate::table::Table;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Version of the side file's form.
pub const ORIGIN_SCHEMA: u32 = 1;

/// The origins of a table's rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Origins {
    /// [`ORIGIN_SCHEMA`].
    pub schema: u32,
    /// By the row's key.
    pub rows: BTreeMap<String, RowOrigin>,
}

impl Default for Origins {
    fn default() -> Self {
        Self {
            schema: ORIGIN_SCHEMA,
            rows: BTreeMap::new(),
        }
    }
}

/// Where one row came from. What was not known is absent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RowOrigin {
    /// The run, as `NAME/STAMP`, or the table that it was copied from.
    pub source: String,
    /// When the run's trials of this row ended, UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// The commit that was run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Whether there were changes that were not committed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dirty: bool,
    /// Where it ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// The processor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu: Option<String>,
    /// How many trials the numbers are the mean of.
    #[serde(default)]
    pub trials: u64,
    /// What was written, by column.
    pub cells: BTreeMap<String, CellOrigin>,
}

/// What was written into a cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CellOrigin {
    /// The text.
    pub text: String,
    /// The number at full precision, in the column's unit; absent where the text was no number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
}

/// What is known about a row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum RowState {
    /// It says what was written.
    AsWritten,
    /// Cells have another text than the one that was written.
    Edited {
        /// Their columns.
        columns: Vec<String>,
    },
    /// Nobody wrote down where it came from.
    Unknown,
}

impl RowOrigin {
    /// One line for a column of the table itself.
    pub fn in_one_line(&self) -> String {
        let commit = self.commit.as_deref().map(|commit| {
            let short = commit.get(..10).unwrap_or(commit);
            format!("{short}{}", if self.dirty { "+" } else { "" })
        });
        let date = self
            .date
            .as_deref()
            .map(|date| date.get(..10).unwrap_or(date).to_owned());
        let parts = [Some(self.source.clone()), commit, date, self.host.clone()];
        parts.into_iter().flatten().collect::<Vec<_>>().join(" ")
    }
}

impl Origins {
    /// Reads a side file.
    pub fn parse(bytes: &[u8]) -> Result<Self, serde_json::Error> {
        serde_json::from_slice(bytes)
    }

    /// The side file's text: sorted, a line per value, so that version control shows what changed.
    pub fn text(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }

    /// Name of the side file of a table.
    pub fn file_name(table: &str) -> String {
        format!("{table}.origins.json")
    }

    /// What is known about a row of the table.
    pub fn state(&self, table: &Table, key: &str) -> RowState {
        let Some(origin) = self.rows.get(key) else {
            return RowState::Unknown;
        };
        let Ok(Some(row)) = table.find(key) else {
            return RowState::Unknown;
        };
        let edited = |(title, written): &(&String, &CellOrigin)| {
            let column = table.column(title).ok();
            let text = column.and_then(|column| row.cell(column));
            text.is_none_or(|text| text.trim() != written.text)
        };
        let columns: Vec<String> = origin
            .cells
            .iter()
            .filter(edited)
            .map(|(title, _)| title.clone())
            .collect();
        if columns.is_empty() {
            RowState::AsWritten
        } else {
            RowState::Edited { columns }
        }
    }

    /// The number behind a cell at full precision, as long as the cell still says what was written.
    pub fn full_precision(&self, key: &str, title: &str, text: &str) -> Option<f64> {
        let written = self.rows.get(key)?.cells.get(title)?;
        written.value.filter(|_| written.text == text.trim())
    }
}
