//! The records of an event file: a length and bytes, each with a masked CRC-32C.

use crate::error::{FilePlace, InteropError};
use std::io::{self, Read};

/// Bytes of one record.
const MOST_RECORD: u64 = 256 << 20;
const HEADER: usize = 12;

/// A reader of records.
pub(super) struct Records<R> {
    source: R,
    name: String,
    record: Vec<u8>,
    at: u64,
    /// What is wrong with the file, in words.
    pub(super) problems: Vec<String>,
}

/// Whether bytes begin like an event file: a record whose length has the right checksum.
pub(super) fn begins(head: &[u8]) -> bool {
    let Some(header) = head.get(..HEADER) else {
        return false;
    };
    is_right(&header[..8], &header[8..])
}

impl<R: Read> Records<R> {
    pub(super) fn new(name: String, source: R) -> Self {
        Self {
            source,
            name,
            record: Vec::new(),
            at: 0,
            problems: Vec::new(),
        }
    }

    /// The next record; nothing at the end. A tail that is cut off ends the file quietly.
    pub(super) fn next(&mut self) -> Result<Option<&[u8]>, InteropError> {
        loop {
            let mut header = [0; HEADER];
            if !self.fill(&mut header)? {
                return Ok(None);
            }
            let (length, checksum) = header.split_at(8);
            if !is_right(length, checksum) {
                self.problems.push(format!(
                    "{}: a wrong checksum at byte {}; what follows is left out",
                    self.name, self.at
                ));
                return Ok(None);
            }
            let length = u64::from_le_bytes(length.try_into().unwrap_or_default());
            if length > MOST_RECORD {
                let place = FilePlace::of(&self.name);
                let message = format!("one record takes more than {} MiB", MOST_RECORD >> 20);
                return Err(InteropError::content(place, message));
            }
            let mut record = std::mem::take(&mut self.record);
            record.clear();
            // Not reserved at once: the length is only a claim.
            let read = (&mut self.source).take(length).read_to_end(&mut record);
            read.map_err(|error| self.broken(&error))?;
            let mut checksum = [0; 4];
            let whole = record.len() as u64 == length && self.fill(&mut checksum)?;
            let at = self.at;
            self.at += HEADER as u64 + length + 4;
            self.record = record;
            if !whole {
                return Ok(None);
            }
            if is_right(&self.record, &checksum) {
                return Ok(Some(&self.record));
            }
            self.problems.push(format!(
                "{}: a record with a wrong checksum at byte {at} is left out",
                self.name
            ));
        }
    }

    /// Fills all of the bytes; `false` where the file ends before.
    fn fill(&mut self, bytes: &mut [u8]) -> Result<bool, InteropError> {
        match self.source.read_exact(bytes) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
            Err(error) => Err(self.broken(&error)),
        }
    }

    fn broken(&self, error: &io::Error) -> InteropError {
        InteropError::content(FilePlace::of(&self.name), error.to_string())
    }
}

fn is_right(bytes: &[u8], checksum: &[u8]) -> bool {
    let crc = crc32c(bytes);
    let masked = crc.rotate_right(15).wrapping_add(0xA282_EAD8);
    masked.to_le_bytes() == checksum
}

/// The table of CRC-32C (Castagnoli), by byte.
const TABLE: [u32; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut value = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            value = if value & 1 == 1 {
                value >> 1 ^ 0x82F6_3B78
            } else {
                value >> 1
            };
            bit += 1;
        }
        table[byte] = value;
        byte += 1;
    }
    table
};

fn crc32c(bytes: &[u8]) -> u32 {
    let rest = bytes.iter().fold(!0, |crc: u32, byte| {
        TABLE[usize::from(crc as u8 ^ byte)] ^ crc >> 8
    });
    !rest
}

#[cfg(test)]
mod tests {
    use super::crc32c;

    #[test]
    fn the_checksum_is_the_published_one() {
        assert_eq!(crc32c(b"123456789"), 0xE306_9283);
        assert_eq!(crc32c(b""), 0);
    }
}
