//! Results tables kept in a repository as CSV files: read, update in place, check, render, compare.
//!
//! A table is its bytes. Parsing finds where each cell lies; an update replaces the bytes of the cells that change and
//! nothing else, so that line endings, quoting, padding, a missing last newline and every cell that nobody asked about
//! stay as they are. This crate knows no runs: values come in as numbers, with the row and column they belong to.
#![forbid(unsafe_code)]

mod cell;
mod check;
mod diff;
mod error;
mod header;
mod origin;
pub mod render;
mod source;
mod table;
mod update;

pub use check::{Expected, Finding, FindingKind, check};
pub use diff::{CellChange, ColumnChange, TableDiff, diff};
pub use error::TableError;
pub use header::{Align, Column, HeaderError};
pub use origin::{CellOrigin, ORIGIN_SCHEMA, Origins, RowOrigin, RowState};
pub use table::{Row, Table};
pub use update::{Change, NewCell, NewColumn, RowUpdate, Update, Updated, Value};
