//! A journal that was cut short in the middle of a line, made whole.

use crate::atomic::{parent, sync_dir};
use crate::chain::LineHash;
use crate::error::{At, JournalError};
use crate::line::MAX_LINE;
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

/// A journal that is open for writing and ends with a whole line.
pub(super) struct Opened {
    pub(super) file: File,
    pub(super) len: u64,
    pub(super) repaired: Option<Repair>,
    /// The hash of its last line.
    pub(super) last: Option<LineHash>,
}

/// Opens the journal for writing, cut to the end of its last whole line.
/// A new one is there after a crash of the machine, where it `lasts`.
pub(super) fn open_repaired(path: &Path, lasts: bool) -> Result<Opened, JournalError> {
    let is_new = !path.exists();
    let mut options = OpenOptions::new();
    let file = options.read(true).write(true).create(true).truncate(false);
    let file = file.open(path).at("open", path)?;
    if is_new && lasts {
        sync_dir(parent(path))?;
    }
    let len = file.metadata().at("read", path)?.len();
    let good = after_last_newline(&file, len).at("read", path)?;
    let last = last_line(&file, good).at("read", path)?;
    let mut repaired = None;
    if good < len {
        file.set_len(good).at("repair", path)?;
        file.sync_all().at("repair", path)?;
        repaired = Some(Repair {
            offset: good,
            bytes: len - good,
        });
    }
    Ok(Opened {
        file,
        len: good,
        repaired,
        last,
    })
}

/// The hash of the line that ends before `end`, which is after its newline.
fn last_line(file: &File, end: u64) -> io::Result<Option<LineHash>> {
    let Some(newline) = end.checked_sub(1) else {
        return Ok(None);
    };
    let start = after_last_newline(file, newline)?;
    // A line that is longer than any of ours is damage, and the next one says so.
    let mut line = vec![0; (newline - start).min(MAX_LINE as u64) as usize];
    file.read_exact_at(&mut line, start)?;
    Ok(Some(LineHash::of(&line)))
}

/// The place after the last newline before `end`, found from there backwards.
fn after_last_newline(file: &File, end: u64) -> io::Result<u64> {
    let mut chunk = [0; 4096];
    let mut end = end;
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
