//! What is asked of a table, and what became of it.

use serde::Serialize;

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
