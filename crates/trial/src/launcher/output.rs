//! Captures one output stream into a file with a size cap: the beginning and the end are kept, the middle is counted.
//!
//! A trial that says nothing is given an empty file by a hard link to one that is there already: making a new file is
//! what costs most in starting a short trial, and most short trials say nothing on standard error.

use std::collections::VecDeque;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// Bytes of the end that are kept once the cap is passed.
const TAIL_BYTES: usize = 64 * 1024;

/// The empty file that silent logs are links to.
pub(super) struct EmptyFile {
    path: PathBuf,
    made: bool,
}

impl EmptyFile {
    /// Its place; it is made when first needed.
    pub(super) fn at(path: PathBuf) -> Self {
        Self { path, made: false }
    }

    /// Puts an empty file at `target`: a link, or where links end (or are not supported) a file of its own.
    fn place(&mut self, target: &Path) -> io::Result<()> {
        for _ in 0..2 {
            if !self.made {
                let _ = fs::remove_file(&self.path);
                File::create(&self.path)?;
                self.made = true;
            }
            match fs::hard_link(&self.path, target) {
                Ok(()) => return Ok(()),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(error),
                // The file system's limit of links is reached, or the file was cleaned away: begin a new one.
                Err(_) => self.made = false,
            }
        }
        File::create_new(target).map(drop)
    }
}

impl Drop for EmptyFile {
    fn drop(&mut self) {
        if self.made {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// One stream's log.
pub(super) struct Log {
    path: PathBuf,
    file: Option<File>,
    head_left: u64,
    tail: VecDeque<u8>,
    tail_limit: usize,
    dropped: u64,
    error: Option<io::Error>,
}

impl Log {
    /// Begins the log at `path` with `limit` bytes in all.
    pub(super) fn begin(path: PathBuf, limit: u64, empty: &mut EmptyFile) -> io::Result<Self> {
        empty.place(&path)?;
        let tail_limit = TAIL_BYTES.min(usize::try_from(limit / 2).unwrap_or(TAIL_BYTES));
        let head_left = limit - tail_limit as u64;
        Ok(Self {
            path,
            file: None,
            head_left,
            tail: VecDeque::new(),
            tail_limit,
            dropped: 0,
            error: None,
        })
    }

    /// Takes bytes: into the file while the cap allows, then into the tail that is kept in memory. A write that fails
    /// (disk full) is remembered and the program goes on: its output is evidence, not its result.
    pub(super) fn take(&mut self, bytes: &[u8]) {
        let direct =
            usize::try_from(self.head_left).map_or(bytes.len(), |left| left.min(bytes.len()));
        let (head, rest) = bytes.split_at(direct);
        if !head.is_empty() {
            self.head_left -= head.len() as u64;
            self.write(head);
        }
        for chunk in rest.chunks(TAIL_BYTES) {
            self.tail.extend(chunk);
            let over = self.tail.len().saturating_sub(self.tail_limit);
            self.tail.drain(..over);
            self.dropped += over as u64;
        }
    }

    fn write(&mut self, bytes: &[u8]) {
        if self.error.is_some() {
            self.dropped += bytes.len() as u64;
            return;
        }
        if let Err(error) = self.try_write(bytes) {
            self.error = Some(error);
            self.dropped += bytes.len() as u64;
        }
    }

    fn try_write(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.file.is_none() {
            fs::remove_file(&self.path)?;
            self.file = Some(
                OpenOptions::new()
                    .append(true)
                    .create_new(true)
                    .open(&self.path)?,
            );
        }
        self.file
            .as_mut()
            .map_or(Ok(()), |file| file.write_all(bytes))
    }

    /// Writes the tail behind a line that says what is missing. Gives the bytes left out and a note on failure.
    pub(super) fn finish(mut self) -> (u64, Option<String>) {
        if self.dropped > 0 && self.error.is_none() {
            let line = format!("\n[fairtrial: {} bytes left out here]\n", self.dropped);
            self.write(line.as_bytes());
        }
        let tail: Vec<u8> = std::mem::take(&mut self.tail).into();
        if !tail.is_empty() {
            self.write(&tail);
        }
        let name = self
            .path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        (
            self.dropped,
            self.error
                .map(|error| format!("{name} is incomplete: {error}")),
        )
    }
}

/// Reads what a pipe holds now.
pub(super) fn read_some(mut pipe: &File, buffer: &mut [u8]) -> usize {
    pipe.read(buffer).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::{EmptyFile, Log};

    fn logged(limit: u64, pieces: &[&[u8]]) -> (Vec<u8>, u64) {
        let folder = tempfile::tempdir().unwrap();
        let mut empty = EmptyFile::at(folder.path().join(".empty"));
        let path = folder.path().join("stdout.log");
        let mut log = Log::begin(path.clone(), limit, &mut empty).unwrap();
        for piece in pieces {
            log.take(piece);
        }
        let (dropped, note) = log.finish();
        assert_eq!(note, None);
        (std::fs::read(path).unwrap(), dropped)
    }

    #[test]
    fn what_fits_is_kept_byte_for_byte() {
        assert_eq!(logged(100, &[b"one ", b"two"]), (b"one two".to_vec(), 0));
        assert_eq!(logged(100, &[]), (Vec::new(), 0));
        assert_eq!(logged(0, &[]), (Vec::new(), 0));
    }

    #[test]
    fn past_the_cap_the_beginning_and_the_end_are_kept() {
        let (text, dropped) = logged(8, &[b"0123456789", b"abcdef"]);
        assert_eq!(dropped, 8);
        assert_eq!(text, b"0123\n[fairtrial: 8 bytes left out here]\ncdef");
    }

    #[test]
    fn silent_logs_are_files_of_their_own_name_and_writing_one_leaves_the_others_empty() {
        let folder = tempfile::tempdir().unwrap();
        let mut empty = EmptyFile::at(folder.path().join(".empty"));
        let paths = [folder.path().join("a"), folder.path().join("b")];
        let mut logs = paths
            .clone()
            .map(|path| Log::begin(path, 100, &mut empty).unwrap());
        logs[0].take(b"x");
        drop(empty);
        assert_eq!(std::fs::read(&paths[0]).unwrap(), b"x");
        assert_eq!(std::fs::read(&paths[1]).unwrap(), b"");
        assert!(!folder.path().join(".empty").exists());
    }
}
