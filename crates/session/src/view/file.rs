//! Files that a trial left, read without leaving its folder: a link that a trial made leads nowhere here.

use super::run_view::RunView;
use crate::error::SessionError;
use fairtrial_episode::open_beneath;
use fairtrial_journal::{DataRoot, FilesOfTrials, FolderFiles, RecordFile, TrialFile};
use fairtrial_model::Record;
use serde::Serialize;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Component, Path, PathBuf};

/// Bytes of a file that are handed over at once.
pub(super) const MOST_AT_ONCE: u64 = 256 * 1024;
/// Files of a trial that are listed, and folders that are looked into below each other.
const MOST_FILES: usize = 500;
const DEEPEST: usize = 6;

/// A file of a trial.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FileEntry {
    /// Its path inside of the trial's folder.
    pub path: String,
    /// How large it is.
    pub bytes: u64,
}

/// A part of a text file.
#[derive(Debug, Serialize)]
pub struct FilePart {
    /// The text; what is no text is written out as such.
    pub text: String,
    /// Where it begins.
    pub from: u64,
    /// Where the next part begins.
    pub to: u64,
    /// How large the file is.
    pub size: u64,
}

impl RunView {
    /// A part of a file of an attempt, as text; without a place to begin, its end.
    pub fn file_part(
        &self,
        (trial, attempt): (u64, u32),
        path: &str,
        from: Option<u64>,
    ) -> Result<FilePart, SessionError> {
        let (mut file, size) = self.file(trial, attempt, path)?;
        let end = from.is_none();
        let mut from = from.unwrap_or_else(|| size.saturating_sub(MOST_AT_ONCE / 4));
        let mut bytes = Vec::new();
        let read = file.seek(SeekFrom::Start(from));
        read.and_then(|_| file.take(MOST_AT_ONCE).read_to_end(&mut bytes))
            .map_err(|error| unreadable(path, &error))?;
        if end && from > 0 {
            // From the middle of a line there is no sense in beginning.
            let start = bytes.iter().position(|byte| *byte == b'\n');
            let start = start.map_or(0, |place| place + 1);
            bytes.drain(..start);
            from += start as u64;
        }
        // A letter that is cut in two comes whole with the next part.
        let whole = match std::str::from_utf8(&bytes) {
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            _ => bytes.len(),
        };
        Ok(FilePart {
            text: String::from_utf8_lossy(&bytes[..whole]).into_owned(),
            from,
            to: from + whole as u64,
            size,
        })
    }

    /// A file of an attempt, opened, and its size.
    pub fn file(
        &self,
        trial: u64,
        attempt: u32,
        path: &str,
    ) -> Result<(TrialFile, u64), SessionError> {
        let dir = self.dir_of(trial, attempt);
        let home = self.run.home_of(&dir.to_string_lossy());
        // The folder of all trials may be a link that the user made; below it there is none.
        let mut parts = dir.components();
        let first = parts
            .next()
            .map_or(Path::new(""), |part| part.as_os_str().as_ref());
        let base = home.join(first);
        let opened = open_beneath(&base, &parts.as_path().join(path));
        let file = match opened {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let packed = self.packed(trial, attempt);
                TrialFile::packed(packed.get(path)).ok_or(error)
            }
            opened => opened.map(TrialFile::Plain),
        };
        let file = file.map_err(|error| unreadable(path, &error))?;
        let size = file.size().unwrap_or(0);
        Ok((file, size))
    }

    /// The files of an attempt, by their paths, and whether there are more.
    pub(super) fn files(&self, trial: u64, attempt: u32) -> (Vec<FileEntry>, bool) {
        let dir = self.dir_of(trial, attempt);
        let dir = self.run.folder_of(&dir.to_string_lossy());
        let mut found = Vec::new();
        let is_dir = std::fs::symlink_metadata(&dir).is_ok_and(|data| data.is_dir());
        let whole = !is_dir || walk(&dir, &mut PathBuf::new(), &mut found);
        for (path, text) in self.packed(trial, attempt) {
            if !found.iter().any(|file| file.path == path) {
                let bytes = text.len() as u64;
                found.push(FileEntry { path, bytes });
            }
        }
        found.sort_by(|a, b| a.path.cmp(&b.path));
        (found, !whole)
    }

    /// What of an attempt's files stands elsewhere than in its folder; nothing where that is damaged.
    fn packed(&self, trial: u64, attempt: u32) -> FolderFiles {
        let record = self.record_of(trial, attempt);
        let record = record.filter(|record| record.packed.is_some());
        let files =
            record.and_then(|record| FilesOfTrials::of(self.run.root()).files(&record).ok());
        files.map_or_else(FolderFiles::new, |files| files.packed().clone())
    }

    /// The record of an attempt, where it is the newest that ended.
    fn record_of(&self, trial: u64, attempt: u32) -> Option<Record> {
        let state = self.state.trial(trial);
        let record = || {
            let mut journal = RecordFile::open(&self.run.journal()).ok()?;
            journal.record(&state).ok()?
        };
        (state.finished == attempt).then(record).flatten()
    }

    /// The folder of an attempt, from the data root on: what its record says, else where it is made.
    pub(super) fn dir_of(&self, trial: u64, attempt: u32) -> PathBuf {
        let recorded = self.record_of(trial, attempt);
        let recorded = recorded.map(|record| PathBuf::from(record.dir));
        let inside = |dir: &PathBuf| {
            let mut parts = dir.components();
            dir.components().count() > 1 && parts.all(|part| matches!(part, Component::Normal(_)))
        };
        let made = || DataRoot::trial_dir_relative(self.run.stamp(), trial, attempt).into();
        recorded.filter(inside).unwrap_or_else(made)
    }
}

fn unreadable(path: &str, error: &io::Error) -> SessionError {
    SessionError::Input(format!("cannot read {path}: {error}"))
}

/// Lists the files below a folder; `false` where there are more than are listed.
fn walk(dir: &Path, inside: &mut PathBuf, found: &mut Vec<FileEntry>) -> bool {
    let mut whole = true;
    for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
        let Ok(kind) = entry.file_type() else {
            continue;
        };
        inside.push(entry.file_name());
        if kind.is_file() && found.len() < MOST_FILES {
            let bytes = entry.metadata().map_or(0, |data| data.len());
            let path = inside.to_string_lossy().into_owned();
            found.push(FileEntry { path, bytes });
        } else if kind.is_dir() && inside.components().count() < DEEPEST && found.len() < MOST_FILES
        {
            whole &= walk(&entry.path(), inside, found);
        } else {
            whole = false;
        }
        inside.pop();
    }
    whole
}
