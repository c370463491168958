//! Reading a journal: every intact line is found, whatever the rest of the file holds.

use crate::brief::{Brief, decode_brief};
use crate::chain::{Chain, LineHash, Link};
use crate::error::{At, JournalError};
use crate::event::Event;
use crate::line::{self, Flaw, MAX_LINE};
use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// A line that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry<T> {
    /// Its number, from 1.
    pub line: u64,
    /// Where it starts in the file.
    pub offset: u64,
    /// Its length without the newline.
    pub len: u32,
    /// What it holds.
    pub event: T,
}

/// A line in the middle that is damaged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CorruptLine {
    /// Its number, from 1.
    pub line: u64,
    /// Where it starts in the file.
    pub offset: u64,
    /// What is wrong with it.
    pub flaw: Flaw,
}

impl fmt::Display for CorruptLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "line {} (byte {}): {}",
            self.line, self.offset, self.flaw
        )
    }
}

/// Why a line was not given.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// This line is damaged; the next may be fine.
    #[error("{0}")]
    Corrupt(CorruptLine),
    /// The file cannot be read on, or must not be: a later version made it.
    #[error(transparent)]
    Io(#[from] JournalError),
}

/// A last line that its writer did not finish.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TornTail {
    /// Where it starts.
    pub offset: u64,
    /// How many bytes of it are there.
    pub bytes: u64,
}

/// What was seen so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReadSummary {
    /// Intact lines.
    pub intact: u64,
    /// Damaged lines.
    pub corrupt: u64,
    /// The end of the last whole line: where the next reading goes on.
    pub end: u64,
    /// The unfinished last line.
    pub torn: Option<TornTail>,
}

impl ReadSummary {
    /// The same with what was seen before it.
    pub(crate) fn after(self, before: Self) -> Self {
        Self {
            intact: before.intact + self.intact,
            corrupt: before.corrupt + self.corrupt,
            ..self
        }
    }
}

/// Where to begin reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Position {
    /// Byte offset of a line's start.
    pub offset: u64,
    /// How many lines lie before it.
    pub lines: u64,
}

/// Reads the whole journal in full.
pub fn read_journal(path: &Path) -> Result<JournalReader, JournalError> {
    JournalReader::open(path, Position::default())
}

/// The hash of each line of a journal that is not damaged.
pub fn line_hashes(
    path: &Path,
) -> Result<impl Iterator<Item = Result<LineHash, JournalError>>, JournalError> {
    let mut reader = read_journal(path)?.following_the_chain();
    Ok(std::iter::from_fn(move || {
        loop {
            match reader.brief()? {
                Ok(_) => return reader.last_line().map(Ok),
                Err(ReadError::Corrupt(_)) => {}
                Err(ReadError::Io(error)) => return Some(Err(error)),
            }
        }
    }))
}

/// The events of a journal; [`JournalReader::brief`] is the cheaper form for folds.
#[derive(Debug)]
pub struct JournalReader {
    path: PathBuf,
    file: BufReader<File>,
    buffer: Vec<u8>,
    at: Position,
    summary: ReadSummary,
    ended: bool,
    /// Where the chain is followed, and how the last line follows it.
    chain: Option<Chain>,
    link: Link,
}

impl JournalReader {
    /// Reads from a position on.
    pub fn open(path: &Path, from: Position) -> Result<Self, JournalError> {
        let mut file = File::open(path).at("open", path)?;
        file.seek(SeekFrom::Start(from.offset)).at("read", path)?;
        Ok(Self {
            path: path.to_owned(),
            file: BufReader::with_capacity(1 << 18, file),
            buffer: Vec::with_capacity(1024),
            at: from,
            summary: ReadSummary {
                end: from.offset,
                ..ReadSummary::default()
            },
            ended: false,
            chain: None,
            link: Link::Follows,
        })
    }

    /// Follows the chain, from the journal's first line on.
    pub(crate) fn following_the_chain(self) -> Self {
        self.following(Chain::default())
    }

    /// Follows the chain from where somebody left it.
    pub(crate) fn following(mut self, chain: Chain) -> Self {
        self.chain = Some(chain);
        self
    }

    /// How the line that was given last follows the one before it.
    pub(crate) fn link(&self) -> Link {
        self.link
    }

    /// The hash of the last line, where the chain is followed.
    pub(crate) fn last_line(&self) -> Option<LineHash> {
        self.chain.as_ref().and_then(Chain::last)
    }

    /// The chain as far as it was followed.
    pub(crate) fn chain_so_far(&self) -> Chain {
        self.chain.clone().unwrap_or_default()
    }

    /// What was seen so far; complete once the iterator has ended.
    pub fn summary(&self) -> ReadSummary {
        self.summary
    }

    /// Where the next line starts.
    pub fn position(&self) -> Position {
        self.at
    }

    /// The next line, of which only what a fold needs is read.
    pub fn brief(&mut self) -> Option<Result<Entry<Brief>, ReadError>> {
        self.advance(decode_brief)
    }

    /// Takes one line from the file; `None` at its end.
    fn advance<T>(
        &mut self,
        decode: fn(&[u8]) -> Result<T, Flaw>,
    ) -> Option<Result<Entry<T>, ReadError>> {
        if self.ended {
            return None;
        }
        let taken = match self.take_line() {
            Ok(taken) => taken,
            Err(error) => {
                self.ended = true;
                return Some(Err(JournalError::io("read", &self.path, error).into()));
            }
        };
        let offset = self.at.offset;
        let content = match taken {
            Taken::End { bytes } => {
                self.ended = true;
                self.summary.torn = (bytes > 0).then_some(TornTail { offset, bytes });
                return None;
            }
            Taken::Line => line::check(&self.buffer).and_then(|()| decode(&self.buffer)),
            Taken::Overlong { .. } => Err(Flaw::TooLong),
        };
        if let Some(chain) = &mut self.chain {
            self.link = match &content {
                Ok(_) => chain.take(&self.buffer, line::body(&self.buffer)),
                Err(_) => chain.pass(),
            };
        }
        let len = taken.bytes(&self.buffer);
        self.at.lines += 1;
        self.at.offset += len + 1;
        self.summary.end = self.at.offset;
        Some(self.entry(content, offset, len))
    }

    fn entry<T>(
        &mut self,
        content: Result<T, Flaw>,
        offset: u64,
        len: u64,
    ) -> Result<Entry<T>, ReadError> {
        let line = self.at.lines;
        match content {
            Ok(event) => {
                self.summary.intact += 1;
                let len = len as u32;
                Ok(Entry {
                    line,
                    offset,
                    len,
                    event,
                })
            }
            Err(newer @ Flaw::Newer { .. }) => {
                // Not a damaged line: nothing in this file is known to mean what it seems to.
                self.ended = true;
                Err(ReadError::Io(JournalError::Content {
                    path: self.path.clone(),
                    message: newer.to_string(),
                }))
            }
            Err(flaw) => {
                self.summary.corrupt += 1;
                Err(ReadError::Corrupt(CorruptLine { line, offset, flaw }))
            }
        }
    }

    /// Puts the next line, without its newline, into the buffer.
    fn take_line(&mut self) -> io::Result<Taken> {
        self.buffer.clear();
        let mut limited = (&mut self.file).take(MAX_LINE as u64 + 1);
        limited.read_until(b'\n', &mut self.buffer)?;
        if self.buffer.last() == Some(&b'\n') {
            self.buffer.pop();
            return Ok(Taken::Line);
        }
        let mut bytes = self.buffer.len() as u64;
        if self.buffer.len() <= MAX_LINE {
            return Ok(Taken::End { bytes });
        }
        self.buffer = Vec::new();
        loop {
            let available = self.file.fill_buf()?;
            if available.is_empty() {
                return Ok(Taken::End { bytes });
            }
            let newline = available.iter().position(|byte| *byte == b'\n');
            let used = newline.map_or(available.len(), |place| place + 1);
            self.file.consume(used);
            bytes += used as u64;
            if newline.is_some() {
                return Ok(Taken::Overlong { bytes: bytes - 1 });
            }
        }
    }
}

impl Iterator for JournalReader {
    type Item = Result<Entry<Event>, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.advance(line::decode)
    }
}

/// What [`JournalReader::take_line`] found.
#[derive(Clone, Copy)]
enum Taken {
    /// A whole line, in the buffer.
    Line,
    /// A line too long to keep.
    Overlong { bytes: u64 },
    /// The file's end, after this many bytes without a newline.
    End { bytes: u64 },
}

impl Taken {
    fn bytes(self, buffer: &[u8]) -> u64 {
        match self {
            Self::Line => buffer.len() as u64,
            Self::Overlong { bytes } | Self::End { bytes } => bytes,
        }
    }
}
