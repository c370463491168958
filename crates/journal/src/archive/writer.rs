//! Writes an archive: the tar in frames, then a frame that unpackers skip, with index and footer.

use super::content::Source;
use super::footer::Footer;
use super::frames::{FRAME, FrameWriter, packed};
use super::index::{Content, Index, Member, SCHEMA};
use super::tar;
use fairtrial_model::{Sha256, hex};
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

/// The letters of a frame that unpackers skip.
const SKIPPED: [u8; 4] = 0x184D_2A5E_u32.to_le_bytes();

/// Writes what was found in a data root.
pub(crate) fn write(
    root: &Path,
    sources: &[Source],
    journal: &str,
    out: impl Write,
) -> io::Result<()> {
    let mut frames = FrameWriter::new(Hashing::new(out));
    let mut members = Vec::with_capacity(sources.len());
    for source in sources {
        members.push(put(root, source, &mut frames)?);
    }
    frames.write_all(&tar::END)?;
    let (mut out, frames) = frames.finish()?;
    let journal = members.iter().find(|member| member.path == journal);
    let journal = journal.map_or((0, 0), state);
    let index = serde_json::to_vec(&Index {
        schema: SCHEMA,
        frames,
        members,
    })?;
    let mut index_frames = Vec::new();
    for part in index.chunks(FRAME) {
        index_frames.extend(packed(part));
    }
    let mut footer = Footer {
        index_bytes: index_frames.len() as u64,
        index_hash: Sha256::digest(&index_frames),
        journal,
        ..Footer::default()
    };
    let skipped = u32::try_from(index_frames.len() + Footer::BYTES);
    let skipped = skipped.map_err(|_| io::Error::other("its index is larger than 4 GiB"))?;
    out.write_all(&SKIPPED)?;
    out.write_all(&skipped.to_le_bytes())?;
    out.write_all(&index_frames)?;
    out.hash.update(footer.head());
    footer.whole = out.hash.finalize();
    out.out.write_all(&footer.bytes())
}

/// Size and time of a file.
fn state(member: &Member) -> (u64, i64) {
    let (seconds, nanos) = member.modified;
    let modified = seconds.wrapping_mul(1_000_000_000);
    let bytes = match member.content {
        Content::File { bytes, .. } => bytes,
        _ => 0,
    };
    (bytes, modified.wrapping_add(i64::from(nanos)))
}

fn put<W: Write>(root: &Path, source: &Source, out: &mut FrameWriter<W>) -> io::Result<Member> {
    let mut member = Member {
        path: source.path.clone(),
        mode: source.mode,
        modified: source.modified,
        content: source.empty(0),
    };
    out.write_all(&tar::header(&member))?;
    member.content = source.empty(out.place());
    if let Content::File { bytes, sha256, .. } = &mut member.content {
        let path = root.join(&source.path);
        let named =
            |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
        let file = File::open(&path).map_err(named)?;
        let mut content = Hashing::new(&mut *out);
        let copied = io::copy(&mut file.take(*bytes), &mut content).map_err(named)?;
        if copied != *bytes {
            return Err(named(io::Error::other(
                "it became shorter while it was read",
            )));
        }
        *sha256 = hex(&content.hash.finalize());
        out.write_all(&tar::END[..tar::padding(*bytes)])?;
    }
    Ok(member)
}

/// Takes the hash of what passes through.
struct Hashing<W> {
    out: W,
    hash: Sha256,
}

impl<W> Hashing<W> {
    fn new(out: W) -> Self {
        Self {
            out,
            hash: Sha256::new(),
        }
    }
}

impl<W: Write> Write for Hashing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.hash.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
