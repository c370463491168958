//! A journal that was cut short in the middle of a line, made whole.

use crate::atomic::{parent, sync_dir};
use crate::error::{At, JournalError};
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// An unfinished last line that was cut off when the journal was opened for writing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Repair {
    /// Where it began.
    pub offset: u64,
    /// How long it was.
    pub bytes: u64,
}

/// Opens the journal for writing with its length up to the end of the last whole line, to which it is cut.
pub(super) fn open_repaired(path: &Path) -> Result<(File, u64, Option<Repair>), JournalError> {
    let is_new = !path.exists();
    let mut options = OpenOptions::new();
    let file = options.read(true).write(true).create(true).truncate(false);
    let file = file.open(path).at("open", path)?;
    if is_new {
        sync_dir(parent(path))?;
    }
    let len = file.metadata().at("read", path)?.len();
    let good = end_of_last_line(&file, len).at("read", path)?;
    if good == len {
        return Ok((file, len, None));
    }
    file.set_len(good).at("repair", path)?;
    file.sync_all().at("repair", path)?;
    let repair = Repair {
        offset: good,
        bytes: len - good,
    };
    Ok((file, good, Some(repair)))
}

/// The place after the last newline, found from the end.
fn end_of_last_line(file: &File, len: u64) -> io::Result<u64> {
    let mut chunk = [0; 4096];
    let mut end = len;
    while end > 0 {
        let start = end.saturating_sub(chunk.len() as u64);
        let part = &mut chunk[..(end - start) as usize];
        file.read_exact_at(part, start)?;
        if let Some(place) = part.iter().rposition(|byte| *byte == b'\n') {
            return Ok(start + place as u64 + 1);
        }
        end = start;
    }
    Ok(0)
}
