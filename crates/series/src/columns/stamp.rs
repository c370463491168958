//! Which file columns were made from: as the file system describes it, and by its digest.

use crate::digest::file_digest;
use serde::{Deserialize, Serialize};
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// A file as the file system describes it. Who changes the file changes the time of its last change, which only the system
/// sets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FileStamp {
    pub(crate) bytes: u64,
    inode: u64,
    /// Seconds and nanoseconds of the last change of its content, and of anything about it.
    modified: (i64, i64),
    changed: (i64, i64),
}

impl FileStamp {
    /// Of the file at a path; absent where there is no regular one.
    pub(crate) fn of(path: &Path) -> io::Result<Option<Self>> {
        let seen: Metadata = fs::metadata(path)?;
        Ok(seen.is_file().then(|| Self {
            bytes: seen.size(),
            inode: seen.ino(),
            modified: (seen.mtime(), seen.mtime_nsec()),
            changed: (seen.ctime(), seen.ctime_nsec()),
        }))
    }
}

/// A file that columns were made from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SourceFile {
    /// Its path in the trial's folder.
    pub(crate) file: String,
    pub(crate) stamp: FileStamp,
    pub(crate) sha256: String,
}

/// How a file that columns were made from stands to the one that is there now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Freshness {
    /// It is the same file.
    Same,
    /// It is another file with the same content, as after the folder was copied.
    Copied(FileStamp),
    /// It has other content, or is gone.
    Stale,
}

impl SourceFile {
    /// Whether its content is that of the file which is there now.
    pub(crate) fn freshness(&self, dir: &Path) -> Freshness {
        let path = dir.join(&self.file);
        match FileStamp::of(&path).ok().flatten() {
            Some(now) if now == self.stamp => Freshness::Same,
            Some(now) if now.bytes == self.stamp.bytes => match file_digest(&path) {
                Ok(digest) if digest == self.sha256 => Freshness::Copied(now),
                _ => Freshness::Stale,
            },
            _ => Freshness::Stale,
        }
    }
}
