//! What can be wrong with a table, or with a change to it.

use thiserror::Error;

/// Why a table cannot be read or changed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TableError {
    /// There is not even a title line.
    #[error("the table has no title line")]
    Empty,
    /// A quotation mark without its partner.
    #[error("line {line}: a quotation mark is not closed")]
    Quote {
        /// The line, from 1.
        line: usize,
    },
    /// No such column.
    #[error("there is no column `{title}`{}", hint(.near.as_deref()))]
    NoColumn {
        /// The title.
        title: String,
        /// One that is called nearly so.
        near: Option<String>,
    },
    /// No such row.
    #[error("there is no row `{key}`{}", hint(.near.as_deref()))]
    NoRow {
        /// The key.
        key: String,
        /// One that is called nearly so.
        near: Option<String>,
    },
    /// Two rows have the key.
    #[error(
        "lines {first} and {second} both have the key `{key}`: it is not known which one is meant"
    )]
    TwoRows {
        /// The key.
        key: String,
        /// Line of the first.
        first: usize,
        /// Line of the second.
        second: usize,
    },
    /// Two columns have the title.
    #[error("two columns are called `{title}`: it is not known which one is meant")]
    TwoColumns {
        /// The title.
        title: String,
    },
    /// The row has no such cell.
    #[error("line {line}: the row ends before the column `{title}`")]
    ShortRow {
        /// The line, from 1.
        line: usize,
        /// The column.
        title: String,
    },
    /// Not a number that can be written.
    #[error("row `{key}`, column `{title}`: {value} is not a finite number")]
    NotFinite {
        /// The row.
        key: String,
        /// The column.
        title: String,
        /// The value.
        value: String,
    },
    /// A column of durations, and a value whose unit is not known.
    #[error(
        "row `{key}`, column `{title}` holds durations like `2h56m`, and the unit of the new value is not known: give the metric a `unit`"
    )]
    NoUnit {
        /// The row.
        key: String,
        /// The column.
        title: String,
    },
}

fn hint(near: Option<&str>) -> String {
    near.map_or_else(String::new, |near| format!(" (did you mean `{near}`?)"))
}
