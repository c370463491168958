//! The chain of a journal: each line carries the hash of the line before it, so that a line which is removed, moved or
//! changed is noticed at the next one.
//!
//! Whoever rewrites the whole file can make a chain too: against that, the hash of the last line is kept elsewhere
//! (`verify` prints it, `verify --against` compares it).

use fairtrial_model::{Sha256, hex};
use std::fmt;
use std::str::FromStr;

/// Bytes of SHA-256 that are kept: as hard to meet by intent as the whole, in half the room.
const BYTES: usize = 16;
/// `,"prev":"` and its closing quotation mark.
const HEAD: &[u8] = b",\"prev\":\"";
const KEY: usize = HEAD.len() + 2 * BYTES + 1;

/// The hash of a line: the first half of the SHA-256 of its bytes, without the newline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LineHash([u8; BYTES]);

impl LineHash {
    /// The hash of a whole line.
    pub fn of(line: &[u8]) -> Self {
        let mut half = [0; BYTES];
        half.copy_from_slice(&Sha256::digest(line)[..BYTES]);
        Self(half)
    }
}

impl fmt::Display for LineHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&hex(&self.0))
    }
}

/// A text that is no hash of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a hash of 32 hexadecimal digits")]
pub struct NoLineHash;

impl FromStr for LineHash {
    type Err = NoLineHash;

    fn from_str(text: &str) -> Result<Self, NoLineHash> {
        let (digits, rest) = text.as_bytes().as_chunks::<2>();
        if digits.len() != BYTES || !rest.is_empty() {
            return Err(NoLineHash);
        }
        let digit = |byte: u8| char::from(byte).to_digit(16).ok_or(NoLineHash);
        let mut hash = [0; BYTES];
        for (byte, [high, low]) in hash.iter_mut().zip(digits) {
            *byte = (digit(*high)? << 4 | digit(*low)?) as u8;
        }
        Ok(Self(hash))
    }
}

/// The hash that a line carries, of which `body` is all before its checksum.
pub(crate) fn carried(body: &[u8]) -> Option<LineHash> {
    let at = body.len().checked_sub(KEY)?;
    let digits = body[at..].strip_prefix(HEAD)?.strip_suffix(b"\"")?;
    std::str::from_utf8(digits).ok()?.parse().ok()
}

/// How a line follows the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Link {
    /// As it should.
    Follows,
    /// It carries no hash, as the lines of earlier versions.
    Unchained,
    /// It does not.
    Broken,
}

/// Follows the chain through a journal from its first line on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Chain {
    /// The line before; absent before the first, and after one that is damaged.
    before: Option<LineHash>,
    /// The same as long as no line carried a hash: most such journals have none at all, and hashing is dear.
    unhashed: Vec<u8>,
    lines: u64,
    /// Whether a line carried a hash.
    begun: bool,
    /// Whether the lines are known to follow each other, so that only the last is hashed.
    known: bool,
}

impl Chain {
    /// A chain through lines that are known to follow each other, until [`Chain::look`].
    pub(crate) fn known() -> Self {
        Self {
            known: true,
            ..Self::default()
        }
    }

    /// Nothing is known of the lines to come.
    pub(crate) fn look(&mut self) {
        self.known = false;
    }

    /// Takes the next line, which is whole; `body` is all of it before its checksum.
    pub(crate) fn take(&mut self, line: &[u8], body: &[u8]) -> Link {
        if self.known {
            self.begun = true;
            self.unhashed.clear();
            self.unhashed.extend_from_slice(line);
            self.lines += 1;
            return Link::Follows;
        }
        let carried = carried(body);
        let is_first = self.lines == 0;
        let before = carried.and_then(|_| self.last());
        let link = match (carried, before) {
            (Some(carried), Some(before)) if carried != before => Link::Broken,
            // The first line has none before it.
            (Some(_), None) if is_first => Link::Broken,
            (Some(_), _) => Link::Follows,
            (None, _) if is_first => Link::Follows,
            (None, _) if self.begun => Link::Broken,
            (None, _) => Link::Unchained,
        };
        self.begun |= carried.is_some();
        self.unhashed.clear();
        if self.begun {
            self.before = Some(LineHash::of(line));
        } else {
            self.unhashed.extend_from_slice(line);
        }
        self.lines += 1;
        link
    }

    /// Passes a damaged line, which is told of by itself.
    pub(crate) fn pass(&mut self) -> Link {
        self.before = None;
        self.unhashed.clear();
        self.lines += 1;
        Link::Follows
    }

    /// The hash of the last whole line.
    pub(crate) fn last(&self) -> Option<LineHash> {
        let unhashed = (!self.unhashed.is_empty()).then(|| LineHash::of(&self.unhashed));
        self.before.or(unhashed)
    }
}
