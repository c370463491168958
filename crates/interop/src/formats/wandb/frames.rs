//! The frames of a `.wandb` file: LevelDB's log, with a header of its own and a plain CRC-32.

use crate::error::{FilePlace, InteropError};
use std::io::Read;

/// What every file begins with: `:W&B`, 0xBEE1, and the version.
pub(super) const MAGIC: [u8; 7] = [b':', b'W', b'&', b'B', 0xE1, 0xBE, 0];
/// Frames lie in blocks of this size and cross no border between them.
const BLOCK: usize = 32 << 10;
const HEADER: usize = 7;
/// Bytes of one record.
const MOST_RECORD: usize = 256 << 20;

/// A reader of records.
pub(super) struct Frames<R> {
    source: R,
    name: String,
    block: Box<[u8]>,
    /// Bytes in the block, and those that were read.
    length: usize,
    at: usize,
    /// How many blocks were read.
    blocks: u64,
    record: Vec<u8>,
    /// What is wrong with the file, in words.
    pub(super) problems: Vec<String>,
}

/// What kind of piece a frame is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Whole,
    First,
    Middle,
    Last,
}

/// A frame's place in the block.
struct Frame {
    part: Part,
    from: usize,
    to: usize,
}

enum Step {
    Frame(Frame),
    NextBlock,
    Bad(&'static str),
}

impl<R: Read> Frames<R> {
    pub(super) fn open(name: String, source: R) -> Result<Self, InteropError> {
        let mut frames = Self {
            source,
            name,
            block: vec![0; BLOCK].into_boxed_slice(),
            length: 0,
            at: 0,
            blocks: 0,
            record: Vec::new(),
            problems: Vec::new(),
        };
        frames.next_block()?;
        if frames.length < MAGIC.len() || frames.block[..4] != MAGIC[..4] {
            let place = FilePlace::of(&frames.name);
            return Err(InteropError::content(place, "this is no W&B run log"));
        }
        if frames.block[4..MAGIC.len()] != MAGIC[4..] {
            let version = frames.block[6];
            frames.problems.push(format!(
                "{}: version {version} of the log is not known; it is read like version 0",
                frames.name
            ));
        }
        frames.at = MAGIC.len();
        Ok(frames)
    }

    /// Fills the block; whether there is one.
    fn next_block(&mut self) -> Result<bool, InteropError> {
        self.at = 0;
        self.length = 0;
        while self.length < BLOCK {
            match self.source.read(&mut self.block[self.length..]) {
                Ok(0) => break,
                Ok(read) => self.length += read,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => {
                    let place = FilePlace::of(&self.name);
                    return Err(InteropError::content(place, error.to_string()));
                }
            }
        }
        self.blocks += 1;
        Ok(self.length > 0)
    }

    /// The next record; nothing at the end. A tail that is cut off ends the file quietly, since a crash leaves one; a
    /// damaged block is passed over and told.
    pub(super) fn next(&mut self) -> Result<Option<&[u8]>, InteropError> {
        self.record.clear();
        let mut inside = false;
        loop {
            let frame = match self.frame() {
                Step::Frame(frame) => frame,
                Step::NextBlock => {
                    if !self.next_block()? {
                        return Ok(None);
                    }
                    continue;
                }
                Step::Bad(why) => {
                    let at = (self.blocks - 1) * BLOCK as u64 + self.at as u64;
                    self.problems.push(format!(
                        "{}: {why} at byte {at}; the rest of this block of 32 KiB is left out",
                        self.name
                    ));
                    self.record.clear();
                    inside = false;
                    if !self.next_block()? {
                        return Ok(None);
                    }
                    continue;
                }
            };
            match (frame.part, inside) {
                (Part::Whole, _) => return Ok(Some(&self.block[frame.from..frame.to])),
                (Part::First, _) => {
                    self.record.clear();
                    inside = true;
                }
                (Part::Middle | Part::Last, true) => {}
                // The rest of a record whose beginning was damaged.
                (Part::Middle | Part::Last, false) => continue,
            }
            if self.record.len() + frame.to - frame.from > MOST_RECORD {
                let place = FilePlace::of(&self.name);
                let message = format!("one record takes more than {} MiB", MOST_RECORD >> 20);
                return Err(InteropError::content(place, message));
            }
            self.record
                .extend_from_slice(&self.block[frame.from..frame.to]);
            if frame.part == Part::Last {
                return Ok(Some(&self.record));
            }
        }
    }

    fn frame(&mut self) -> Step {
        let left = self.length - self.at;
        if left < HEADER {
            // Padding at the end of a block, or a cut tail.
            return Step::NextBlock;
        }
        let header = &self.block[self.at..self.at + HEADER];
        let checksum = u32::from_le_bytes([header[0], header[1], header[2], header[3]]);
        let length = usize::from(u16::from_le_bytes([header[4], header[5]]));
        let kind = header[6];
        if checksum == 0 && length == 0 && kind == 0 {
            // Zeros are what a file has that was made longer before it was written.
            return Step::NextBlock;
        }
        let (from, to) = (self.at + HEADER, self.at + HEADER + length);
        if to > self.length {
            // In a whole block a frame ends before its border; in the last one the tail is cut off.
            return if self.length == BLOCK {
                Step::Bad("a frame crosses the border of its block")
            } else {
                Step::NextBlock
            };
        }
        let part = match kind {
            1 => Part::Whole,
            2 => Part::First,
            3 => Part::Middle,
            4 => Part::Last,
            _ => return Step::Bad("a frame of a kind that is not known"),
        };
        // The kind stands right before the data, and is part of what is summed up.
        if crc32fast::hash(&self.block[from - 1..to]) != checksum {
            return Step::Bad("a wrong checksum");
        }
        self.at = to;
        Step::Frame(Frame { part, from, to })
    }
}
