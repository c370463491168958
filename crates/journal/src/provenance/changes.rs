//! Uncommitted changes, kept so that a run can be made again: the patch of tracked files, and untracked files by their hashes.
//! Both lie in the run's `code/`, once per distinct state, under the hash that the records name.

use crate::atomic::{Durability, write_atomic_bytes};
use crate::error::{At, JournalError};
use crate::redact::Redactor;
use crate::run_dir::RunDir;
use fairtrial_model::{Sha256, hex};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Version of `code/<hash>.changes.json`.
const CHANGES_SCHEMA: u32 = 1;
/// A larger patch is not kept.
const MOST_PATCH: usize = 2 << 20;
/// Untracked files that are named; what lies about in thousands is data.
const MOST_FILES: usize = 2000;
/// Larger untracked files are known by their size.
const MOST_BYTES: u64 = 16 << 20;
/// Bytes of untracked files that are read.
const MOST_READ: u64 = 64 << 20;
/// Records name changes by this many digits of their hash.
const NAMED_BY: usize = 32;

/// What a work tree holds that its commit does not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Changes {
    /// Version of this file.
    schema: u32,
    /// The changes of tracked files.
    pub patch: Patch,
    /// Untracked files that git does not ignore, outside the data root; by name.
    pub untracked: BTreeMap<String, UntrackedFile>,
    /// How many more there are, which are not named.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unnamed: usize,
    /// The patch.
    #[serde(skip)]
    text: Vec<u8>,
}

/// What became of the patch of tracked files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kept", rename_all = "snake_case")]
pub enum Patch {
    /// No tracked file differs.
    Empty,
    /// It is kept as it was.
    Whole {
        /// Its size.
        bytes: u64,
    },
    /// It is kept with secrets masked in it: it does not give the files back.
    Masked {
        /// Its size.
        bytes: u64,
    },
    /// It is too large to be kept.
    TooLarge {
        /// Its size.
        bytes: u64,
    },
}

/// An untracked file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UntrackedFile {
    /// Its size.
    pub bytes: u64,
    /// Its hash; absent where it is no plain file, too large, or cannot be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
}

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "the form that serde asks for"
)]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// Takes in the patch as git prints it, then the untracked files.
#[derive(Debug, Default)]
pub(super) struct Collector {
    hash: Sha256,
    bytes: u64,
    text: Vec<u8>,
}

impl Collector {
    /// A piece of the patch.
    pub(super) fn patch(&mut self, piece: &[u8]) {
        self.hash.update(piece);
        self.bytes += piece.len() as u64;
        if self.bytes <= MOST_PATCH as u64 {
            self.text.extend_from_slice(piece);
        } else {
            self.text = Vec::new();
        }
    }

    /// The untracked files below a folder end it: the changes and their hash, or nothing where there are none.
    pub(super) fn finish(mut self, top: &Path, names: &[String]) -> Option<(Changes, String)> {
        if self.bytes == 0 && names.is_empty() {
            return None;
        }
        let (mut untracked, mut read) = (BTreeMap::new(), 0);
        for name in names.iter().take(MOST_FILES) {
            let file = look_at(&top.join(name), &mut read);
            untracked.insert(name.clone(), file);
        }
        for name in names {
            let known = untracked.get(name).map(UntrackedFile::digest);
            add_name(&mut self.hash, name, known.as_deref());
        }
        let bytes = self.bytes;
        let changes = Changes {
            schema: CHANGES_SCHEMA,
            patch: match bytes {
                0 => Patch::Empty,
                1.. if bytes > MOST_PATCH as u64 => Patch::TooLarge { bytes },
                1.. => Patch::Whole { bytes },
            },
            unnamed: names.len() - untracked.len(),
            untracked,
            text: self.text,
        };
        Some((changes, hex(&self.hash.finalize())))
    }
}

fn add_name(hash: &mut Sha256, name: &str, content: Option<&str>) {
    hash.update(name.as_bytes());
    hash.update([0]);
    hash.update(content.unwrap_or_default().as_bytes());
    hash.update([0]);
}

/// Looks at an untracked file, unless enough was read already.
fn look_at(path: &Path, read: &mut u64) -> UntrackedFile {
    let data = fs::symlink_metadata(path)
        .ok()
        .filter(fs::Metadata::is_file);
    let bytes = data.map(|data| data.len());
    let known = bytes.filter(|bytes| *bytes <= MOST_BYTES && *read + bytes <= MOST_READ);
    *read += known.unwrap_or(0);
    UntrackedFile {
        bytes: bytes.unwrap_or(0),
        sha256: known.and_then(|_| hash_of_file(path).ok()),
    }
}

/// The SHA-256 of a file's content.
pub fn hash_of_file(path: &Path) -> io::Result<String> {
    let mut hash = Sha256::new();
    // A file that grows meanwhile is read as far as it was looked at.
    io::copy(&mut File::open(path)?.take(MOST_BYTES), &mut hash)?;
    Ok(hex(&hash.finalize()))
}

impl UntrackedFile {
    fn digest(&self) -> String {
        let size = || format!("{} bytes", self.bytes);
        self.sha256.clone().unwrap_or_else(size)
    }

    /// Whether nothing is missing: an empty file is made again from its name.
    pub fn is_empty(&self) -> bool {
        self.bytes == 0 && self.sha256.is_some()
    }
}

impl Changes {
    /// The same without secrets.
    pub(super) fn redact(&mut self, redactor: &Redactor) {
        let text = std::mem::take(&mut self.text);
        let before = Sha256::digest(&text);
        self.text = redactor.redact_bytes(text);
        if let Patch::Whole { bytes } = self.patch
            && Sha256::digest(&self.text) != before
        {
            self.patch = Patch::Masked { bytes };
        }
        let untracked = std::mem::take(&mut self.untracked).into_iter();
        self.untracked = untracked
            .map(|(name, file)| (redactor.redact(&name).into_owned(), file))
            .collect();
    }

    /// The patch as it is kept.
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    /// Why the patch does not give the tracked files back; absent where it does.
    pub fn patch_lacks(&self) -> Option<&'static str> {
        match self.patch {
            Patch::Empty | Patch::Whole { .. } => None,
            Patch::Masked { .. } => Some("secrets are masked in the kept patch"),
            Patch::TooLarge { .. } => Some("the patch was too large to be kept"),
        }
    }

    /// The untracked files that hold something: only their hashes are kept.
    pub fn not_kept(&self) -> impl Iterator<Item = (&String, &UntrackedFile)> {
        let mut files = self.untracked.iter();
        std::iter::from_fn(move || files.find(|(_, file)| !file.is_empty()))
    }

    /// The hash over all of it, as far as it can be worked out again: not where a part is masked or not kept.
    fn hash(&self) -> Option<String> {
        if self.patch_lacks().is_some() || self.unnamed > 0 {
            return None;
        }
        let mut hash = Sha256::new();
        hash.update(&self.text);
        for (name, file) in &self.untracked {
            add_name(&mut hash, name, Some(&file.digest()));
        }
        Some(hex(&hash.finalize()))
    }
}

/// The name under which changes with this hash are kept, and by which records name them.
pub fn changes_name(hash: &str) -> String {
    hash.get(..NAMED_BY).unwrap_or(hash).to_owned()
}

impl RunDir {
    fn changes_files(&self, name: &str) -> [PathBuf; 2] {
        ["changes.json", "patch"].map(|ending| self.code().join(format!("{name}.{ending}")))
    }

    /// Keeps changes under their name, unless they are there.
    pub fn keep_changes(&self, name: &str, changes: &Changes) -> Result<(), JournalError> {
        let [about, patch] = self.changes_files(name);
        if about.exists() {
            return Ok(());
        }
        let folder = self.code();
        fs::create_dir_all(&folder).at("create", &folder)?;
        if !changes.text.is_empty() {
            write_atomic_bytes(&patch, Durability::Content, &changes.text)?;
        }
        let text = serde_json::to_vec_pretty(changes).unwrap_or_default();
        write_atomic_bytes(&about, Durability::Content, &text)
    }

    /// The changes of this name; absent where they were not kept.
    pub fn changes(&self, name: &str) -> Option<Changes> {
        let is_hash = name.bytes().all(|byte| byte.is_ascii_hexdigit());
        let [about, patch] = self.changes_files(name);
        let about = is_hash.then(|| fs::read(about).ok()).flatten()?;
        let mut changes: Changes = serde_json::from_slice(&about).ok()?;
        if !matches!(changes.patch, Patch::Empty | Patch::TooLarge { .. }) {
            changes.text = fs::read(patch).ok()?;
        }
        Some(changes)
    }

    /// Kept changes that are not what their name says, by file.
    pub fn changed_changes(&self) -> Vec<String> {
        let entries = fs::read_dir(self.code()).into_iter().flatten().flatten();
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
        let mut wrong: Vec<String> = names
            .filter(|file| {
                let name = file.strip_suffix(".changes.json");
                name.is_some_and(|name| !self.are_intact(name))
            })
            .collect();
        wrong.sort_unstable();
        wrong
    }

    fn are_intact(&self, name: &str) -> bool {
        let Some(changes) = self.changes(name) else {
            return false;
        };
        // Names with masked secrets cannot be worked out again.
        let masked = |changes: &Changes| {
            let mut names = changes.untracked.keys();
            names.any(|name| name.contains(crate::redact::REDACTED))
        };
        masked(&changes)
            || changes
                .hash()
                .is_none_or(|hash| changes_name(&hash) == name)
    }
}
