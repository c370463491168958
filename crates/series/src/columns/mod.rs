//! The points of a trial's curves in columns, in one file of its folder: for each file that they come from, which one that
//! was and its digest; for each curve, where its steps and its values lie, each 64-bit number after the other.
//!
//! Columns are derived. Where they are missing, damaged or of another file than the one that is there, the file itself is
//! read, and they are made again where that can be done.

mod form;
mod packed;
mod stamp;
mod unpack;
mod write;

pub use form::COLUMNS_FILE;
pub(crate) use form::{ColumnId, PACKED_FROM};
pub(crate) use packed::PackedColumn;
pub(crate) use stamp::FileStamp;
pub(crate) use unpack::Columns;
pub(crate) use write::{Packing, write};
