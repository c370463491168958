//! A mark beside a journal that was found whole: which file that was, as the file system describes it. As long as the file is that
//! one, its chain need not be followed again, which takes most of the time of reading a large one.
//!
//! Whoever changes the file changes the time of its last change, which only the system sets, and the chain is followed again. The
//! chain itself is no more than that: who rewrites the whole file can make a new one. `verify` follows it in any case.

use crate::atomic::{Durability, write_atomic_bytes};
use crate::reading::read_if_there;
use serde::{Deserialize, Serialize};
use std::fs::Metadata;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// A file as the file system describes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Seal {
    pub(crate) size: u64,
    inode: u64,
    /// Seconds and nanoseconds of the last change of its content, and of anything about it.
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Seal {
    /// Describes a file.
    pub(crate) fn of(path: &Path) -> io::Result<Self> {
        let seen: Metadata = path.metadata()?;
        Ok(Self {
            size: seen.size(),
            inode: seen.ino(),
            modified: (seen.mtime(), seen.mtime_nsec()),
            changed: (seen.ctime(), seen.ctime_nsec()),
        })
    }

    /// Keeps that the journal was found whole. Where that cannot be written, the next reader follows the chain.
    pub(crate) fn keep(&self, journal: &Path) {
        if let Ok(text) = serde_json::to_vec(self) {
            let _ = write_atomic_bytes(&file(journal), Durability::Process, &text);
        }
    }

    /// Whether the journal was found whole, and is the same file since.
    pub(crate) fn holds(journal: &Path) -> bool {
        let kept = read_if_there(&file(journal)).ok().flatten();
        let kept = kept.and_then(|text| serde_json::from_slice::<Self>(&text).ok());
        kept.is_some_and(|kept| Self::of(journal).is_ok_and(|now| now == kept))
    }
}

fn file(journal: &Path) -> PathBuf {
    journal.with_file_name("sealed.json")
}
