//! Reads an archive in place: its index once, then the frames of what is asked for.

use super::footer::Footer;
use super::frames::{FRAME, unpacked};
use super::index::{Content, Index, Member, SCHEMA, order};
use crate::error::{At, JournalError};
use fairtrial_model::{Sha256, hex};
use ruzstd::decoding::StreamingDecoder;
use std::cmp::Ordering;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Damaged files that are named.
const MOST_NAMED: usize = 10;
/// Bytes of the file that are hashed at once.
const AT_ONCE: usize = 1 << 18;

/// An archive, open for reading.
#[derive(Debug)]
pub(crate) struct Archive {
    path: PathBuf,
    file: File,
    index: Index,
    footer: Footer,
    footer_at: u64,
    /// The frame that was read last: small files share one.
    last: Mutex<Option<(usize, Arc<Vec<u8>>)>>,
}

impl Archive {
    /// Opens an archive and reads its index.
    pub(crate) fn open(path: &Path) -> Result<Self, JournalError> {
        let file = File::open(path).at("open", path)?;
        let (footer, footer_at) = Footer::read(&file, path)?;
        let damaged = |message: &str| JournalError::Content {
            path: path.to_owned(),
            message: format!(
                "the index of this archive is damaged ({message}); a program that unpacks `.tar.zst` brings back the \
                 files that are whole"
            ),
        };
        let length = usize::try_from(footer.index_bytes);
        let mut packed = vec![0; length.map_err(|_| damaged("it is too large"))?];
        let begin = footer_at - footer.index_bytes;
        file.read_exact_at(&mut packed, begin).at("read", path)?;
        if Sha256::digest(&packed) != footer.index_hash {
            return Err(damaged("it has another hash"));
        }
        let index = parsed(&packed).map_err(|error| damaged(&error.to_string()))?;
        if index.schema != SCHEMA {
            return Err(damaged("it is that of another version"));
        }
        let follows = |a: &Member, b: &Member| order(&a.path, &b.path) == Ordering::Less;
        let is_sound = is_rising(&index.frames)
            && index.members.is_sorted_by(follows)
            && index
                .members
                .iter()
                .all(|member| stays_inside(&member.path))
            && index
                .members
                .windows(2)
                .all(|pair| !is_through(&pair[0], &pair[1]))
            && index.frames.last().is_some_and(|(end, _)| *end <= begin);
        if !is_sound {
            return Err(damaged("it is not in order"));
        }
        Ok(Self {
            path: path.to_owned(),
            file,
            index,
            footer,
            footer_at,
            last: Mutex::new(None),
        })
    }

    /// The file.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Its hash, in hexadecimal digits.
    pub(crate) fn hash(&self) -> String {
        hex(&self.footer.whole)
    }

    /// All that is in it.
    pub(crate) fn members(&self) -> &[Member] {
        &self.index.members
    }

    /// How many files it holds, and how many bytes.
    pub(crate) fn content(&self) -> (u64, u64) {
        let size = |member: &Member| match member.content {
            Content::File { bytes, .. } => Some(bytes),
            _ => None,
        };
        let sizes = self.members().iter().filter_map(size);
        sizes.fold((0, 0), |(files, all), bytes| (files + 1, all + bytes))
    }

    /// What is at a path, and below it.
    pub(crate) fn under(&self, path: &str) -> &[Member] {
        let members = self.members();
        let before = |member: &Member| order(&member.path, path) == Ordering::Less;
        let members = &members[members.partition_point(before)..];
        let inside = |member: &Member| {
            let rest = member.path.strip_prefix(path);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        &members[..members.partition_point(inside)]
    }

    /// Writes the content of a file. What is damaged is an error that says what else can be read.
    pub(crate) fn copy(&self, member: &Member, out: &mut impl Write) -> Result<(), JournalError> {
        let Content::File { at, bytes, sha256 } = &member.content else {
            return Ok(());
        };
        let mut hash = Sha256::new();
        let (mut at, end) = (*at, at.saturating_add(*bytes));
        while at < end {
            let part = self.part(at, end);
            let part = part.map_err(|_| self.damaged())?;
            hash.update(&*part);
            at += part.len() as u64;
            out.write_all(&part).at("unpack", &self.path)?;
        }
        if hex(&hash.finalize()) == *sha256 {
            Ok(())
        } else {
            Err(self.damaged())
        }
    }

    /// Reads everything, and checks the hash of the whole and of each file.
    pub(crate) fn check(&self) -> Result<(), JournalError> {
        let damaged = self.damaged_files();
        if !damaged.is_empty() || self.whole_hash().at("read", &self.path)? != self.footer.whole {
            return Err(self.error_of(&damaged));
        }
        Ok(())
    }

    /// Why it cannot be relied on.
    fn damaged(&self) -> JournalError {
        self.error_of(&self.damaged_files())
    }

    fn error_of(&self, damaged: &[&Member]) -> JournalError {
        let (files, _) = self.content();
        let names = damaged.iter().map(|member| format!("`{}`", member.path));
        let mut names: Vec<String> = names.take(MOST_NAMED).collect();
        if damaged.len() > MOST_NAMED {
            names.push(format!("{} more", damaged.len() - MOST_NAMED));
        }
        let message = if damaged.is_empty() {
            format!(
                "this archive is not what was written (it has another hash); its {files} files are whole"
            )
        } else {
            format!(
                "this archive is damaged: {} of its {files} files cannot be read ({}); the others are whole",
                damaged.len(),
                names.join(", ")
            )
        };
        JournalError::Content {
            path: self.path.clone(),
            message,
        }
    }

    fn damaged_files(&self) -> Vec<&Member> {
        let is_damaged = |member: &&Member| {
            let Content::File { at, bytes, sha256 } = &member.content else {
                return false;
            };
            let (mut hash, end) = (Sha256::new(), at.saturating_add(*bytes));
            let mut at = *at;
            while at < end {
                let Ok(part) = self.part(at, end) else {
                    return true;
                };
                hash.update(&*part);
                at += part.len() as u64;
            }
            hex(&hash.finalize()) != *sha256
        };
        self.members().iter().filter(is_damaged).collect()
    }

    /// Bytes of the tar from one place on, up to another or the end of a frame.
    fn part(&self, at: u64, end: u64) -> io::Result<Vec<u8>> {
        let frames = &self.index.frames;
        let after = frames.partition_point(|(_, begin)| *begin <= at);
        let missing = || io::Error::from(io::ErrorKind::UnexpectedEof);
        let place = after.checked_sub(1).ok_or_else(missing)?;
        let (_, stop) = frames.get(after).ok_or_else(missing)?;
        let begin = frames[place].1;
        let frame = self.frame(place)?;
        let range = (at - begin) as usize..(end.min(*stop) - begin) as usize;
        frame.get(range).map(<[u8]>::to_vec).ok_or_else(missing)
    }

    fn frame(&self, place: usize) -> io::Result<Arc<Vec<u8>>> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, frame)) = &*last
            && *known == place
        {
            return Ok(Arc::clone(frame));
        }
        let [(from, begin), (to, end)] = [self.index.frames[place], self.index.frames[place + 1]];
        let bytes = (end - begin) as usize;
        // What cannot be packed is not much larger than it is.
        if bytes > FRAME || to - from > 2 * FRAME as u64 {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let mut packed = vec![0; (to - from) as usize];
        self.file.read_exact_at(&mut packed, from)?;
        let frame = Arc::new(unpacked(&packed, bytes)?);
        *last = Some((place, Arc::clone(&frame)));
        Ok(frame)
    }

    fn whole_hash(&self) -> io::Result<[u8; Sha256::BYTES]> {
        let (mut hash, mut at) = (Sha256::new(), 0);
        let mut part = vec![0; AT_ONCE];
        while at < self.footer_at {
            let wanted = (self.footer_at - at).min(AT_ONCE as u64) as usize;
            self.file.read_exact_at(&mut part[..wanted], at)?;
            hash.update(&part[..wanted]);
            at += wanted as u64;
        }
        hash.update(self.footer.head());
        Ok(hash.finalize())
    }
}

/// The index out of its frames.
fn parsed(mut packed: &[u8]) -> io::Result<Index> {
    let mut text = Vec::new();
    while !packed.is_empty() {
        let decoder = StreamingDecoder::new(&mut packed);
        let decoder = decoder.map_err(|error| io::Error::other(error.to_string()))?;
        decoder.take(FRAME as u64 + 1).read_to_end(&mut text)?;
    }
    Ok(serde_json::from_slice(&text)?)
}

/// Whether each frame begins where the one before it ends, or later.
fn is_rising(frames: &[(u64, u64)]) -> bool {
    frames.is_sorted_by(|a, b| a.0 <= b.0 && a.1 <= b.1)
}

/// Whether a path leads through something that is no folder, as a link to another place. Paths below follow at once.
fn is_through(above: &Member, below: &Member) -> bool {
    let rest = below.path.strip_prefix(&above.path);
    above.content != Content::Folder && rest.is_some_and(|rest| rest.starts_with('/'))
}

/// Whether a path leads nowhere but below the folder that it is taken from.
fn stays_inside(path: &str) -> bool {
    let part = |part: &str| !part.is_empty() && part != "." && part != "..";
    path.split('/').all(part)
}

#[cfg(test)]
mod tests {
    use super::super::content::sources;
    use super::super::writer::write;
    use super::{Archive, stays_inside};
    use std::fs;
    use std::io::Write;
    use std::path::Path;

    /// A data root with some files, as an archive.
    fn packed(home: &Path) -> Archive {
        let root = home.join("data");
        for (name, content) in [
            ("runs/a-c/x", "between".to_owned()),
            ("runs/a/logs/out", "large ".repeat(500_000)),
            ("runs/a/empty", String::new()),
            ("runs/a.b", "a file".to_owned()),
        ] {
            fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
            fs::write(root.join(name), content).unwrap();
        }
        let found = sources(&root, &["runs".to_owned()]).unwrap();
        let mut bytes = Vec::new();
        write(&root, &found, "runs/a.b", &mut bytes).unwrap();
        let path = home.join("x.tar.zst");
        fs::File::create(&path).unwrap().write_all(&bytes).unwrap();
        Archive::open(&path).unwrap()
    }

    #[test]
    fn each_part_is_found_and_read_alone() {
        let home = tempfile::tempdir().unwrap();
        let archive = packed(home.path());
        archive.check().unwrap();
        let names = |path: &str| {
            let found = archive.under(path).iter();
            found.map(|member| member.path.clone()).collect::<Vec<_>>()
        };
        assert_eq!(
            names("runs/a"),
            ["runs/a", "runs/a/empty", "runs/a/logs", "runs/a/logs/out"]
        );
        assert_eq!(names("runs/a.b"), ["runs/a.b"]);
        assert_eq!(names("runs/b"), Vec::<String>::new());
        let mut text = Vec::new();
        let large = &archive.under("runs/a/logs/out")[0];
        archive.copy(large, &mut text).unwrap();
        assert_eq!(text, "large ".repeat(500_000).as_bytes());
        assert_eq!(archive.content(), (4, 3_000_013));
    }

    #[test]
    fn any_byte_that_is_changed_is_noticed() {
        let home = tempfile::tempdir().unwrap();
        let path = packed(home.path()).path().to_owned();
        let whole = fs::read(&path).unwrap();
        for place in (0..whole.len()).step_by(7).chain([whole.len() - 1]) {
            let mut bytes = whole.clone();
            bytes[place] ^= 0x10;
            fs::write(&path, bytes).unwrap();
            let found = Archive::open(&path).and_then(|archive| archive.check());
            assert!(found.is_err(), "byte {place} of {}", whole.len());
        }
        for length in (0..whole.len()).step_by(31) {
            fs::write(&path, &whole[..length]).unwrap();
            assert!(Archive::open(&path).is_err(), "{length} bytes");
        }
    }

    #[test]
    fn no_path_leads_out() {
        assert!(stays_inside("runs/a/b") && stays_inside("a..b"));
        for path in ["/etc/passwd", "runs/../x", "", "a//b", "./a"] {
            assert!(!stays_inside(path), "{path}");
        }
    }
}
