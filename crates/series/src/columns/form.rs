//! The file of columns: eight letters, the length of the header and its CRC-32, the header as JSON, then the columns.

use super::stamp::SourceFile;
use crate::lines::WantedColumn;
use crate::origin::FileForm;
use crate::step_facts::StepFacts;
use serde::{Deserialize, Serialize};
use std::io::{self, Read, Write};

/// The file of the columns, in the trial's folder.
pub const COLUMNS_FILE: &str = "series.columns";

/// Bytes of a file from which on its curves are packed: of shorter ones they are read as fast, and no folder gets a file
/// more for them.
pub(crate) const PACKED_FROM: u64 = 64 << 10;

/// What the file begins with.
const LETTERS: [u8; 8] = *b"FTSERIES";
/// Raised when an older reader would misread the form.
const SCHEMA: u32 = 1;
/// Bytes of a header at most: a damaged length must not fill the memory.
const MOST_HEADER: u32 = 256 << 20;

/// Which curve a column is of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ColumnId {
    /// The file that it comes from, in the trial's folder, and how that was read.
    pub(crate) file: String,
    pub(crate) form: FileForm,
    pub(crate) key: String,
    /// The key of the steps, where it is declared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) step: Option<String>,
}

impl ColumnId {
    pub(crate) fn of(file: &str, form: FileForm, wanted: WantedColumn<'_>) -> Self {
        Self {
            file: file.to_owned(),
            form,
            key: wanted.key.to_owned(),
            step: wanted.step.map(str::to_owned),
        }
    }
}

/// So many numbers in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct NumberColumn {
    /// Bytes from the end of the header on.
    pub(super) at: u64,
    pub(super) crc: u32,
}

/// A curve in the file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct CurveEntry {
    #[serde(flatten)]
    pub(super) id: ColumnId,
    #[serde(flatten)]
    pub(super) facts: StepFacts,
    pub(super) steps: NumberColumn,
    pub(super) values: NumberColumn,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) notes: Vec<String>,
}

/// What the file says before its columns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct ColumnsHeader {
    pub(super) schema: u32,
    pub(super) sources: Vec<SourceFile>,
    pub(super) curves: Vec<CurveEntry>,
}

impl ColumnsHeader {
    pub(super) fn new(sources: Vec<SourceFile>, curves: Vec<CurveEntry>) -> Self {
        Self {
            schema: SCHEMA,
            sources,
            curves,
        }
    }

    /// Writes the beginning of the file.
    pub(super) fn write(&self, to: &mut impl Write) -> io::Result<()> {
        let text = serde_json::to_vec(self)?;
        let length = u32::try_from(text.len()).map_err(io::Error::other)?;
        to.write_all(&LETTERS)?;
        to.write_all(&length.to_le_bytes())?;
        to.write_all(&crc32fast::hash(&text).to_le_bytes())?;
        to.write_all(&text)
    }

    /// Reads the beginning of the file, and says where the columns begin; absent where it is none of ours.
    pub(super) fn read(from: &mut impl Read) -> Option<(Self, u64)> {
        let mut begin = [0; 16];
        from.read_exact(&mut begin).ok()?;
        let number = |at: usize| {
            let bytes = begin[at..at + 4].try_into().ok();
            bytes.map(u32::from_le_bytes)
        };
        let (length, crc) = (number(8)?, number(12)?);
        if begin[..8] != LETTERS || length > MOST_HEADER {
            return None;
        }
        let mut text = Vec::new();
        let read = from.take(u64::from(length)).read_to_end(&mut text).ok()?;
        if read != length as usize || crc32fast::hash(&text) != crc {
            return None;
        }
        let header: Self = serde_json::from_slice(&text).ok()?;
        (header.schema == SCHEMA).then_some((header, 16 + u64::from(length)))
    }
}
