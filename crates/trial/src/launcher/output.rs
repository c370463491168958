//! Captures one output stream into a file with a size cap: the beginning and the end are kept, the middle is counted.

use fairtrial_model::Capped;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::Path;

/// One stream's log.
pub(super) struct Log<'a> {
    /// The trial's directory.
    dir: &'a Path,
    name: &'static str,
    file: Option<File>,
    kept: Capped,
    error: Option<io::Error>,
    /// What is not written unless the program fails.
    held: Option<Vec<u8>>,
}

impl<'a> Log<'a> {
    /// The log of this name, with `limit` bytes in all. An empty file stands in its place already.
    pub(super) fn new(dir: &'a Path, name: &'static str, limit: u64) -> Self {
        Self {
            dir,
            name,
            file: None,
            kept: Capped::new(limit),
            error: None,
            held: None,
        }
    }

    /// The same of a program that has no directory yet, and gets none unless it fails.
    pub(super) fn held(dir: &'a Path, name: &'static str, limit: u64) -> Self {
        Self {
            held: Some(Vec::new()),
            ..Self::new(dir, name, limit)
        }
    }

    /// Bytes that are held.
    pub(super) fn holds(&self) -> usize {
        self.held.as_ref().map_or(0, Vec::len)
    }

    /// What is held, where that is all there was and is text.
    pub(super) fn held_text(&self) -> Option<String> {
        let held = self.held.as_ref().filter(|_| self.kept.is_within())?;
        std::str::from_utf8(held).ok().map(str::to_owned)
    }

    /// Writes what was held: there is a directory now.
    pub(super) fn release(&mut self) {
        if let Some(held) = self.held.take().filter(|held| !held.is_empty()) {
            self.write(&held);
        }
    }

    /// Takes bytes: into the file while the cap allows, then into the tail that is kept in memory. A write that fails
    /// (disk full) is remembered and the program goes on: its output is evidence, not its result.
    pub(super) fn take(&mut self, bytes: &[u8]) {
        let head = self.kept.take(bytes);
        match &mut self.held {
            Some(held) => held.extend_from_slice(head),
            None if head.is_empty() => {}
            None => self.write(head),
        }
    }

    fn write(&mut self, bytes: &[u8]) {
        if self.error.is_some() {
            self.kept.lose(bytes.len());
            return;
        }
        if let Err(error) = self.try_write(bytes) {
            self.error = Some(error);
            self.kept.lose(bytes.len());
        }
    }

    fn try_write(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.file.is_none() {
            // The empty file is the log of other trials too.
            let path = self.dir.join("logs").join(self.name);
            fs::remove_file(&path)?;
            let new = OpenOptions::new().append(true).create_new(true).open(path);
            self.file = Some(new?);
        }
        self.file
            .as_mut()
            .map_or(Ok(()), |file| file.write_all(bytes))
    }

    /// Writes the tail behind a line that says what is missing. Gives the bytes left out and a note on failure.
    pub(super) fn finish(mut self) -> (u64, Option<String>) {
        if self.held.is_some() {
            return (0, None);
        }
        if let Some(line) = self.kept.gap().filter(|_| self.error.is_none()) {
            self.write(line.as_bytes());
        }
        let tail = self.kept.take_tail();
        if !tail.is_empty() {
            self.write(&tail);
        }
        (
            self.kept.dropped(),
            self.error
                .map(|error| format!("{} is incomplete: {error}", self.name)),
        )
    }
}

/// Reads what a pipe holds now.
pub(super) fn read_some(mut pipe: &File, buffer: &mut [u8]) -> usize {
    pipe.read(buffer).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::super::folder::{Folder, LOGS};
    use super::Log;

    fn logged(limit: u64, pieces: &[&[u8]]) -> (Vec<u8>, u64) {
        let home = tempfile::tempdir().unwrap();
        std::fs::create_dir(home.path().join("logs")).unwrap();
        let mut folder = Folder::open(home.path()).unwrap();
        folder.place("logs/stdout.log").unwrap();
        let mut log = Log::new(home.path(), LOGS[0], limit);
        for piece in pieces {
            log.take(piece);
        }
        let (dropped, note) = log.finish();
        assert_eq!(note, None);
        let text = std::fs::read(home.path().join("logs/stdout.log"));
        (text.unwrap(), dropped)
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
    fn writing_one_log_leaves_the_others_empty() {
        let home = tempfile::tempdir().unwrap();
        std::fs::create_dir(home.path().join("logs")).unwrap();
        let mut folder = Folder::open(home.path()).unwrap();
        for name in LOGS {
            folder.place(&format!("logs/{name}")).unwrap();
        }
        let mut logs = LOGS.map(|name| Log::new(home.path(), name, 100));
        logs[0].take(b"x");
        let text = LOGS.map(|name| std::fs::read(home.path().join("logs").join(name)).unwrap());
        assert_eq!(text, [b"x".to_vec(), Vec::new()]);
    }
}
