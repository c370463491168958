//! The points of a trial's curves in columns, in one file of its folder: for each file that they come from, which one that
//! was and its digest; for each curve, where its steps and its values lie, each 64-bit number after the other.
//!
//! Columns are derived. Where they are missing, damaged or of another file than the one that is there, the file itself is
//! read, and they are made again where that can be done.

mod form;
mod stamp;
mod unpack;
mod write;

pub(crate) use form::ColumnId;
pub(crate) use stamp::FileStamp;
pub(crate) use unpack::{Columns, PackedColumn};
pub(crate) use write::{Packing, write};

/// The file of the columns, in the trial's folder.
pub const COLUMNS_FILE: &str = "series.columns";

/// Bytes of a file from which on its curves are packed: of shorter ones they are read as fast, and no folder gets a file
/// more for them.
pub(crate) const PACKED_FROM: u64 = 64 << 10;
