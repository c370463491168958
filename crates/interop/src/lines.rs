//! Text line by line, with the number of each line, and no line longer than can be meant.

use crate::error::{FilePlace, InteropError};
use std::io::{BufRead, BufReader, Read};

/// Bytes of a line; a transcript may stand in one, a file without line ends must not fill the memory.
const MOST_LINE: u64 = 256 << 20;

/// A reader of lines.
pub(crate) struct Lines<R> {
    reader: BufReader<R>,
    raw: Vec<u8>,
    line: u64,
    name: String,
    /// Whether the line had an end; the last one of a file that is still written has none.
    ended: bool,
}

impl<R: Read> Lines<R> {
    pub(crate) fn new(name: impl Into<String>, source: R) -> Self {
        Self {
            reader: BufReader::with_capacity(64 << 10, source),
            raw: Vec::new(),
            line: 0,
            name: name.into(),
            ended: true,
        }
    }

    /// Goes to the next line; `false` at the end.
    pub(crate) fn advance(&mut self) -> Result<bool, InteropError> {
        self.raw.clear();
        self.line += 1;
        let read = (&mut self.reader)
            .take(MOST_LINE)
            .read_until(b'\n', &mut self.raw);
        let read = read.map_err(|error| self.wrong(error.to_string()))?;
        if read as u64 == MOST_LINE {
            return Err(self.wrong(format!("the line is longer than {} MiB", MOST_LINE >> 20)));
        }
        self.ended = self.raw.ends_with(b"\n");
        while self
            .raw
            .last()
            .is_some_and(|byte| matches!(byte, b'\n' | b'\r'))
        {
            self.raw.pop();
        }
        if self.line == 1 && self.raw.starts_with(b"\xEF\xBB\xBF") {
            self.raw.drain(..3);
        }
        Ok(read > 0)
    }

    /// The line.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.raw
    }

    /// The line as text; what is no text in it is replaced.
    pub(crate) fn text(&self) -> std::borrow::Cow<'_, str> {
        String::from_utf8_lossy(&self.raw)
    }

    /// Whether nothing stands in the line.
    pub(crate) fn is_blank(&self) -> bool {
        self.raw.iter().all(u8::is_ascii_whitespace)
    }

    /// Whether the line had its end: what is still written, or was cut off, has none.
    pub(crate) fn is_whole(&self) -> bool {
        self.ended
    }

    /// Where the reader stands.
    pub(crate) fn place(&self) -> FilePlace {
        FilePlace::of(&self.name).line(self.line)
    }

    /// An error about this line.
    pub(crate) fn wrong(&self, message: impl Into<String>) -> InteropError {
        InteropError::content(self.place(), message)
    }
}
