//! The last bytes of an archive: where its index is, the hashes, and which journal is in it.

use crate::error::{At, JournalError};
use fairtrial_model::Sha256;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// The last letters of every archive.
const MAGIC: &[u8; 8] = b"FTARCH01";

/// What the end of an archive says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Footer {
    /// Bytes of the index, as it is packed, right before the footer.
    pub(super) index_bytes: u64,
    /// SHA-256 of the packed index.
    pub(super) index_hash: [u8; Sha256::BYTES],
    /// SHA-256 of all that stands before it.
    pub(super) whole: [u8; Sha256::BYTES],
    /// Size of the journal, and nanoseconds of its last change: whoever knows that journal need not open the archive.
    pub(crate) journal: (u64, i64),
}

impl Footer {
    /// Bytes of a footer.
    pub(super) const BYTES: usize = 32 + 8 + 8 + 8 + 32 + 8;

    /// Without its last hash and its letters: what the hash of the whole covers, too.
    pub(super) fn head(&self) -> Vec<u8> {
        let mut bytes = self.index_hash.to_vec();
        bytes.extend(self.journal.0.to_le_bytes());
        bytes.extend(self.journal.1.to_le_bytes());
        bytes.extend(self.index_bytes.to_le_bytes());
        bytes
    }

    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut bytes = self.head();
        bytes.extend(self.whole);
        bytes.extend(MAGIC);
        bytes
    }

    /// That of an archive.
    pub(crate) fn of(path: &Path) -> Result<Self, JournalError> {
        let file = File::open(path).at("open", path)?;
        Self::read(&file, path).map(|(footer, _)| footer)
    }

    /// That of an open archive, and where it begins.
    pub(super) fn read(file: &File, path: &Path) -> Result<(Self, u64), JournalError> {
        let cut_off = || {
            JournalError::Content {
            path: path.to_owned(),
            message: "this is no archive of a run, or its end is missing; a program that unpacks `.tar.zst` \
                      brings back the files before the damage"
                .to_owned(),
        }
        };
        let length = file.metadata().at("read", path)?.len();
        let start = length.checked_sub(Self::BYTES as u64);
        let start = start.ok_or_else(cut_off)?;
        let mut bytes = [0; Self::BYTES];
        match file.read_exact_at(&mut bytes, start) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Err(cut_off()),
            read => read.at("read", path)?,
        }
        let footer = Self::parsed(&bytes).ok_or_else(cut_off)?;
        let has_room = footer.index_bytes <= start;
        has_room.then_some((footer, start)).ok_or_else(cut_off)
    }

    fn parsed(bytes: &[u8; Self::BYTES]) -> Option<Self> {
        let (index_hash, rest) = bytes.split_first_chunk()?;
        let (size, rest) = rest.split_first_chunk()?;
        let (modified, rest) = rest.split_first_chunk()?;
        let (index_bytes, rest) = rest.split_first_chunk()?;
        let (whole, magic) = rest.split_first_chunk()?;
        (magic == MAGIC).then(|| Self {
            index_bytes: u64::from_le_bytes(*index_bytes),
            index_hash: *index_hash,
            whole: *whole,
            journal: (u64::from_le_bytes(*size), i64::from_le_bytes(*modified)),
        })
    }
}
