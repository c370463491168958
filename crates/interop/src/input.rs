//! One file of another tool, opened without trust and unpacked on the way.

use crate::error::InteropError;
use fairtrial_episode::open_regular;
use std::fs::File;
use std::io::{self, BufReader, Cursor, Read, Seek};
use std::path::{Path, PathBuf};

/// Bytes that a packed file may come to: a few kilobytes can claim to hold petabytes.
const MOST_UNPACKED: u64 = 8 << 30;

/// Something to read, at any place.
pub(crate) trait Seekable: Read + Seek {}

impl<T: Read + Seek> Seekable for T {}

/// A file, or bytes that stand for one.
pub struct Input<'a> {
    path: PathBuf,
    body: Body<'a>,
}

enum Body<'a> {
    File(File),
    Bytes(&'a [u8]),
}

impl<'a> Input<'a> {
    /// Opens a file; pipes and devices are refused.
    pub fn open(path: &Path) -> Result<Self, InteropError> {
        let file = open_regular(path).map_err(InteropError::io(path))?;
        Ok(Self {
            path: path.to_owned(),
            body: Body::File(file),
        })
    }

    /// Bytes under a name.
    pub fn bytes(name: &str, bytes: &'a [u8]) -> Self {
        Self {
            path: PathBuf::from(name),
            body: Body::Bytes(bytes),
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its name in messages.
    pub fn name(&self) -> String {
        self.path.display().to_string()
    }

    /// Whether it begins with these bytes.
    pub(crate) fn starts_with(&self, bytes: &[u8]) -> Result<bool, InteropError> {
        let mut first = Vec::new();
        match &self.body {
            Body::Bytes(all) => return Ok(all.starts_with(bytes)),
            Body::File(file) => {
                let reader: &File = file;
                let read = reader
                    .take(bytes.len() as u64)
                    .read_to_end(&mut first)
                    .and_then(|_| (&mut &*file).rewind());
                read.map_err(InteropError::io(&self.path))?;
            }
        }
        Ok(first == bytes)
    }

    /// Its bytes at any place, as they are.
    pub(crate) fn seekable(self) -> Box<dyn Seekable + 'a> {
        match self.body {
            Body::File(file) => Box::new(BufReader::new(file)),
            Body::Bytes(bytes) => Box::new(Cursor::new(bytes)),
        }
    }

    /// Its bytes in their order, unpacked.
    pub(crate) fn reader(self) -> Result<Box<dyn Read + 'a>, InteropError> {
        let path = self.path.clone();
        let opened = match self.body {
            Body::File(file) => unpacked(file),
            Body::Bytes(bytes) => unpacked(bytes),
        };
        opened.map_err(InteropError::io(&path))
    }
}

/// A stream, unpacked where its first bytes say that it is packed.
fn unpacked<'a>(mut source: impl Read + 'a) -> io::Result<Box<dyn Read + 'a>> {
    let mut first = Vec::new();
    source.by_ref().take(4).read_to_end(&mut first)?;
    let whole = Cursor::new(first.clone()).chain(source);
    let capped = |reader: Box<dyn Read + 'a>| -> Box<dyn Read + 'a> {
        Box::new(UnpackLimit {
            reader,
            left: MOST_UNPACKED,
        })
    };
    Ok(match first.as_slice() {
        [0x1F, 0x8B, ..] => capped(Box::new(flate2::read::MultiGzDecoder::new(whole))),
        [b'B', b'Z', b'h', b'1'..=b'9'] => {
            capped(Box::new(bzip2::read::MultiBzDecoder::new(whole)))
        }
        [0x28, 0xB5, 0x2F, 0xFD] => {
            let decoder = ruzstd::decoding::StreamingDecoder::new(whole);
            capped(Box::new(decoder.map_err(io::Error::other)?))
        }
        _ => Box::new(whole),
    })
}

/// A reader that ends in an error where more comes than can be meant.
struct UnpackLimit<R> {
    reader: R,
    left: u64,
}

impl<R: Read> Read for UnpackLimit<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(buffer)?;
        self.left = self.left.checked_sub(read as u64).ok_or_else(|| {
            let most = MOST_UNPACKED >> 30;
            io::Error::other(format!("it unpacks to more than {most} GiB"))
        })?;
        Ok(read)
    }
}
