//! An update at work: the bytes to replace, and what they change.

use super::change::Change;
use crate::table::Table;
use fairtrial_text::column::ColumnStyle;
use std::collections::HashMap;
use std::ops::Range;

/// Bytes to replace. Of several at one place, what belongs to a line's own cells comes before what ends the line, that
/// before a line that follows it, and that before the first cell of the line that was next.
pub(super) struct Edit {
    pub(super) range: Range<usize>,
    pub(super) rank: Rank,
    pub(super) with: Vec<u8>,
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rank {
    Cell,
    NewCells,
    NewLine,
    FirstCell,
}

/// An update at work.
pub(super) struct Work<'a> {
    pub(super) table: &'a Table,
    pub(super) edits: Vec<Edit>,
    pub(super) changes: Vec<Change>,
    pub(super) texts: Vec<(String, String, String)>,
    pub(super) styles: HashMap<usize, Option<ColumnStyle>>,
    pub(super) added: Vec<Added>,
}

/// A column that is being added.
pub(super) struct Added {
    pub(super) title: String,
    pub(super) header: String,
    /// Texts by line.
    pub(super) cells: HashMap<usize, String>,
}
