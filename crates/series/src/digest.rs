//! The digest of a file, also of one that is being read.

use fairtrial_episode::open_regular;
use fairtrial_model::{Sha256, hex};
use std::io::{self, Read};
use std::path::Path;

/// Bytes that are read at once.
pub(crate) const AT_ONCE: usize = 1 << 18;

/// The SHA-256 of a file, in hexadecimal digits.
pub fn file_digest(path: &Path) -> io::Result<String> {
    let mut file = Digesting::new(open_regular(path)?);
    let mut part = vec![0; AT_ONCE];
    while file.read(&mut part)? > 0 {}
    Ok(file.digest().1)
}

/// A reader that takes the digest of all that passes through it.
pub(crate) struct Digesting<R> {
    reader: R,
    bytes: u64,
    hash: Sha256,
}

impl<R> Digesting<R> {
    pub(crate) fn new(reader: R) -> Self {
        Self {
            reader,
            bytes: 0,
            hash: Sha256::new(),
        }
    }

    /// How much was read, and its digest.
    pub(crate) fn digest(self) -> (u64, String) {
        (self.bytes, hex(&self.hash.finalize()))
    }
}

impl<R: Read> Read for Digesting<R> {
    fn read(&mut self, part: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(part)?;
        self.hash.update(&part[..read]);
        self.bytes += read as u64;
        Ok(read)
    }
}
