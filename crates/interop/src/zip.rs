//! ZIP archives, as far as logs need them: members that are stored, deflated or packed with Zstandard.
//!
//! A program that died leaves an archive without its list of members: then the members are found one after the other.

use crate::error::{FilePlace, InteropError};
use crate::input::Seekable;
use std::collections::HashMap;
use std::io::{self, Read, SeekFrom};

/// What every archive begins with.
pub(crate) const MAGIC: &[u8] = b"PK\x03\x04";
const END: &[u8] = b"PK\x05\x06";
const MEMBER: &[u8] = b"PK\x01\x02";
const END_64: &[u8] = b"PK\x06\x06";
const LOCATOR_64: &[u8] = b"PK\x06\x07";
/// The end of an archive with the longest remark.
const TAIL: u64 = (1 << 16) + 22 + 20;
/// Bytes of the list of members.
const MOST_LIST: u64 = 512 << 20;
/// Bytes that a member may unpack to.
const MOST_MEMBER: u64 = 4 << 30;

/// An open archive.
pub(crate) struct Zip<'a> {
    source: Box<dyn Seekable + 'a>,
    name: String,
    /// The members in their order; of a name that comes twice, the last counts.
    members: Vec<Member>,
    by_name: HashMap<String, usize>,
    /// Whether its list of members is missing.
    pub(crate) is_cut: bool,
}

struct Member {
    name: String,
    method: u16,
    packed: u64,
    at: u64,
}

impl<'a> Zip<'a> {
    pub(crate) fn open(name: String, source: Box<dyn Seekable + 'a>) -> Result<Self, InteropError> {
        let mut zip = Self {
            source,
            name,
            members: Vec::new(),
            by_name: HashMap::new(),
            is_cut: false,
        };
        match zip.list() {
            Ok(true) => {}
            Ok(false) => {
                zip.is_cut = true;
                zip.scan().map_err(|error| zip.wrong(&error))?;
            }
            Err(error) => return Err(zip.wrong(&error)),
        }
        let names = zip.members.iter().map(|member| member.name.clone());
        zip.by_name = names.zip(0..).collect();
        Ok(zip)
    }

    fn wrong(&self, error: &io::Error) -> InteropError {
        let message = format!("the archive is damaged: {error}");
        InteropError::content(FilePlace::of(&self.name), message)
    }

    /// The names of the members, each once.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        let last = |place: usize, name: &str| self.by_name.get(name) == Some(&place);
        self.members
            .iter()
            .enumerate()
            .filter(move |(place, member)| last(*place, &member.name))
            .map(|(_, member)| member.name.as_str())
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.by_name.contains_key(name)
    }

    /// A member, unpacked on the way.
    pub(crate) fn member(&mut self, name: &str) -> Result<Option<impl Read + '_>, InteropError> {
        let Some(place) = self.by_name.get(name).copied() else {
            return Ok(None);
        };
        let named = FilePlace::of(format!("{}:{name}", self.name));
        let reader = self.unpack(place);
        let reader = reader.map_err(|error| InteropError::content(named, error.to_string()))?;
        Ok(Some(reader.take(MOST_MEMBER)))
    }

    fn unpack(&mut self, place: usize) -> io::Result<Box<dyn Read + '_>> {
        let Member {
            at, packed, method, ..
        } = self.members[place];
        self.source.seek(SeekFrom::Start(at))?;
        let mut header = [0; 30];
        self.source.read_exact(&mut header)?;
        if !header.starts_with(MAGIC) {
            return Err(io::Error::other("it does not stand where the archive says"));
        }
        let behind = u64::from(u16_at(&header, 26)) + u64::from(u16_at(&header, 28));
        let start = at + 30 + behind;
        self.source.seek(SeekFrom::Start(start))?;
        let packed = (&mut self.source).take(packed);
        Ok(match method {
            0 => Box::new(packed),
            8 => Box::new(flate2::read::DeflateDecoder::new(packed)),
            93 => {
                let decoder = ruzstd::decoding::StreamingDecoder::new(packed);
                Box::new(decoder.map_err(io::Error::other)?)
            }
            other => {
                let message = format!("it is packed by method {other}, which is not known");
                return Err(io::Error::other(message));
            }
        })
    }

    /// Reads the list of members at the end; `false` where there is none.
    fn list(&mut self) -> io::Result<bool> {
        let length = self.source.seek(SeekFrom::End(0))?;
        let from = length.saturating_sub(TAIL);
        let tail = self.bytes(from, length - from)?;
        let Some(place) = memchr::memmem::rfind(&tail, END) else {
            return Ok(false);
        };
        let end = &tail[place..];
        if end.len() < 22 {
            return Ok(false);
        }
        let (mut size, mut at) = (u64::from(u32_at(end, 12)), u64::from(u32_at(end, 16)));
        if at == u64::from(u32::MAX) || size == u64::from(u32::MAX) {
            let Some(locator) = memchr::memmem::rfind(&tail[..place], LOCATOR_64) else {
                return Ok(false);
            };
            let Some(locator) = tail.get(locator..locator + 20) else {
                return Ok(false);
            };
            let record = self.bytes(u64_at(locator, 8), 56)?;
            if record.len() < 56 || !record.starts_with(END_64) {
                return Ok(false);
            }
            (size, at) = (u64_at(&record, 40), u64_at(&record, 48));
        }
        if size > MOST_LIST {
            return Err(io::Error::other("its list of members is too long"));
        }
        let list = self.bytes(at, size)?;
        let mut rest = list.as_slice();
        while rest.starts_with(MEMBER) {
            let found = member_in(rest);
            let found = found.and_then(|(member, length)| Some((member, rest.get(length..)?)));
            let Some((member, behind)) = found else {
                return Err(io::Error::other("its list of members breaks off"));
            };
            self.members.push(member);
            rest = behind;
        }
        Ok(true)
    }

    /// Finds members one after the other. What was being written when the program died is left out.
    fn scan(&mut self) -> io::Result<()> {
        let length = self.source.seek(SeekFrom::End(0))?;
        let mut at = 0;
        while at + 30 <= length {
            let header = self.bytes(at, 30)?;
            // Without its sizes (they follow the data) a member's end cannot be known.
            let streamed = u16_at(&header, 6) & 8 != 0;
            if !header.starts_with(MAGIC) || streamed {
                break;
            }
            let packed = u64::from(u32_at(&header, 18));
            let (name, extra) = (u16_at(&header, 26), u16_at(&header, 28));
            let end = at + 30 + u64::from(name) + u64::from(extra) + packed;
            if end > length {
                break;
            }
            let name = self.bytes(at + 30, u64::from(name))?;
            self.members.push(Member {
                name: String::from_utf8_lossy(&name).into_owned(),
                method: u16_at(&header, 8),
                packed,
                at,
            });
            at = end;
        }
        Ok(())
    }

    fn bytes(&mut self, at: u64, length: u64) -> io::Result<Vec<u8>> {
        self.source.seek(SeekFrom::Start(at))?;
        let mut bytes = Vec::new();
        (&mut self.source).take(length).read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}

/// The member at the beginning of a list, and how long its entry is.
fn member_in(list: &[u8]) -> Option<(Member, usize)> {
    let entry = list.get(..46)?;
    let (name, extra) = (u16_at(entry, 28), u16_at(entry, 30));
    let remark = usize::from(u16_at(entry, 32));
    let names_end = 46 + usize::from(name);
    let extra_end = names_end + usize::from(extra);
    let mut member = Member {
        name: String::from_utf8_lossy(list.get(46..names_end)?).into_owned(),
        method: u16_at(entry, 10),
        packed: u64::from(u32_at(entry, 20)),
        at: u64::from(u32_at(entry, 42)),
    };
    let unpacked = u32_at(entry, 24);
    large_sizes(&mut member, unpacked, list.get(names_end..extra_end)?);
    Some((member, extra_end + remark))
}

/// Takes sizes beyond 4 GiB from where they stand instead.
fn large_sizes(member: &mut Member, unpacked: u32, mut extra: &[u8]) {
    while extra.len() >= 4 {
        let (kind, length) = (u16_at(extra, 0), usize::from(u16_at(extra, 2)));
        let Some(body) = extra.get(4..4 + length) else {
            return;
        };
        if kind == 1 {
            let mut large = body.chunks_exact(8).map(|bytes| u64_at(bytes, 0));
            if unpacked == u32::MAX {
                large.next();
            }
            for size in [&mut member.packed, &mut member.at] {
                if *size == u64::from(u32::MAX) {
                    *size = large.next().unwrap_or(*size);
                }
            }
        }
        extra = &extra[4 + length..];
    }
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    let found = bytes
        .get(at..at + 2)
        .and_then(|bytes| bytes.try_into().ok());
    found.map_or(0, u16::from_le_bytes)
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    let found = bytes
        .get(at..at + 4)
        .and_then(|bytes| bytes.try_into().ok());
    found.map_or(0, u32::from_le_bytes)
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    let found = bytes
        .get(at..at + 8)
        .and_then(|bytes| bytes.try_into().ok());
    found.map_or(0, u64::from_le_bytes)
}
