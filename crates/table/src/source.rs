//! Where each cell of a CSV file lies, byte by byte.
//!
//! Quotation marks count only at the beginning of a cell, as Python's `csv` has it; lines end with LF, CRLF or CR, also
//! mixed; the last line may have no ending.

use crate::error::TableError;
use std::ops::Range;

/// A cell: where its bytes are, quotation marks included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CellSpan {
    pub(crate) bytes: Range<usize>,
    pub(crate) quoted: bool,
}

/// A line's cells; a blank line has none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LineSpan {
    pub(crate) cells: Vec<CellSpan>,
    /// Number of the line that it begins on, from 1.
    pub(crate) number: usize,
    /// Its bytes without the ending.
    pub(crate) bytes: Range<usize>,
    /// Where its ending ends.
    pub(crate) end: usize,
}

const BOM: &[u8] = b"\xef\xbb\xbf";

/// Finds the lines and cells.
pub(crate) fn spans(bytes: &[u8]) -> Result<Vec<LineSpan>, TableError> {
    let mut scanner = Scanner {
        bytes,
        at: if bytes.starts_with(BOM) { BOM.len() } else { 0 },
        line: 1,
    };
    let mut lines = Vec::new();
    while scanner.at < bytes.len() {
        lines.push(scanner.line()?);
    }
    Ok(lines)
}

struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
    line: usize,
}

impl Scanner<'_> {
    fn line(&mut self) -> Result<LineSpan, TableError> {
        let (start, number) = (self.at, self.line);
        let mut cells = Vec::new();
        loop {
            cells.push(self.cell()?);
            if self.bytes.get(self.at) != Some(&b',') {
                break;
            }
            self.at += 1;
        }
        let end_of_cells = self.at;
        self.ending();
        if end_of_cells == start {
            cells.clear();
        }
        Ok(LineSpan {
            cells,
            number,
            bytes: start..end_of_cells,
            end: self.at,
        })
    }

    /// One cell; afterwards `at` is on the comma, the line's ending or the end.
    fn cell(&mut self) -> Result<CellSpan, TableError> {
        let start = self.at;
        let quoted = self.bytes.get(start) == Some(&b'"');
        if quoted {
            self.quoted()?;
        }
        while !matches!(self.bytes.get(self.at), None | Some(b',' | b'\n' | b'\r')) {
            self.at += 1;
        }
        Ok(CellSpan {
            bytes: start..self.at,
            quoted,
        })
    }

    fn quoted(&mut self) -> Result<(), TableError> {
        let line = self.line;
        self.at += 1;
        loop {
            match (self.bytes.get(self.at), self.bytes.get(self.at + 1)) {
                (None, _) => return Err(TableError::Quote { line }),
                (Some(b'"'), Some(b'"')) => self.at += 2,
                (Some(b'"'), _) => {
                    self.at += 1;
                    return Ok(());
                }
                (Some(byte), _) => {
                    self.line += usize::from(*byte == b'\n');
                    self.at += 1;
                }
            }
        }
    }

    fn ending(&mut self) {
        match (self.bytes.get(self.at), self.bytes.get(self.at + 1)) {
            (Some(b'\r'), Some(b'\n')) => self.at += 2,
            (Some(b'\r' | b'\n'), _) => self.at += 1,
            _ => {}
        }
        self.line += 1;
    }
}
