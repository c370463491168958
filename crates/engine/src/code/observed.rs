//! Files under observation: hashed once, and again when one of them changed. Asking costs a look at each file's times, and
//! not even that where many are watched and the last look was a moment ago.

use super::below::Below;
use super::imports::{Import, imports};
use fairtrial_journal::{CodePart, CodeSet, code_set_hash};
use fairtrial_model::{Sha256, hex};
use std::collections::HashMap;
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Nobody edits a file and starts a trial within this time.
const MOMENT: Duration = Duration::from_millis(1);
/// Looks may take this part of the time at most: where many files are watched, not every trial looks.
const SHARE: u32 = 20;

/// Larger files are known by their size and time: reading them would hold up the run.
const LARGE: u64 = 1 << 28;

/// By what a change of a file is seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Seen {
    modified: (i64, i64),
    size: u64,
    inode: u64,
}

/// How a file looks from outside; absent where it is not there.
pub(super) fn seen(path: &Path) -> Option<Seen> {
    let data = std::fs::metadata(path).ok()?;
    Some(Seen {
        modified: (data.mtime(), data.mtime_nsec()),
        size: data.len(),
        inode: data.ino(),
    })
}

/// The same of several.
pub(super) fn all_seen(paths: Vec<PathBuf>) -> Vec<(PathBuf, Option<Seen>)> {
    let looked = paths.into_iter().map(|path| {
        let seen = seen(&path);
        (path, seen)
    });
    looked.collect()
}

/// What is known of a file's content.
#[derive(Debug, Clone)]
struct Content {
    seen: Seen,
    hash: String,
    imports: Option<Vec<Import>>,
}

/// The contents of files, each read once as long as it does not change.
#[derive(Debug, Default)]
pub(super) struct Contents(HashMap<PathBuf, Content>);

impl Contents {
    /// The hash of a file; absent where it cannot be read.
    pub(super) fn hash(&mut self, path: &Path) -> Option<String> {
        Some(self.known(path)?.hash.clone())
    }

    /// What a Python source imports.
    pub(super) fn imports(&mut self, path: &Path) -> Vec<Import> {
        let Some(known) = self.known(path) else {
            return Vec::new();
        };
        let read = || {
            let source = std::fs::read(path).unwrap_or_default();
            imports(&String::from_utf8_lossy(&source))
        };
        known.imports.get_or_insert_with(read).clone()
    }

    fn known(&mut self, path: &Path) -> Option<&mut Content> {
        let now = seen(path)?;
        if self.0.get(path).is_none_or(|known| known.seen != now) {
            let content = Content {
                seen: now,
                hash: hash_of(path)?,
                imports: None,
            };
            self.0.insert(path.to_owned(), content);
        }
        self.0.get_mut(path)
    }
}

fn hash_of(path: &Path) -> Option<String> {
    let mut file = std::fs::File::open(path).ok()?;
    let large = file.metadata().ok().filter(|data| data.len() > LARGE);
    if let Some(data) = large {
        return Some(format!(
            "{} bytes of {}.{:09}",
            data.len(),
            data.mtime(),
            data.mtime_nsec()
        ));
    }
    let mut hash = Sha256::new();
    let mut chunk = vec![0; 1 << 16];
    loop {
        match file.read(&mut chunk) {
            Ok(0) => return Some(hex(&hash.finalize()[..16])),
            Ok(read) => hash.update(&chunk[..read]),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => return None,
        }
    }
}

/// A set with the files that decide whether it must be made again.
#[derive(Debug)]
pub(super) struct Observed {
    decide: Vec<(PathBuf, Option<Seen>)>,
    pub(super) set: CodeSet,
    pub(super) hash: String,
    next_look: Instant,
}

impl Observed {
    /// A set that was just made, and the times of the files and folders that it was made from, looked at before.
    pub(super) fn new(set: CodeSet, decide: Vec<(PathBuf, Option<Seen>)>) -> Self {
        Self {
            decide,
            hash: code_set_hash(&set),
            set,
            next_look: Instant::now(),
        }
    }

    /// Looks at files, and adds their hashes to a set, each under its name.
    pub(super) fn of(
        below: Below,
        mut set: CodeSet,
        contents: &mut Contents,
        name: impl Fn(&Path) -> String,
    ) -> Self {
        let decide = all_seen(below.decide.into_iter().collect());
        for file in &below.files {
            let hash = contents.hash(file);
            set.insert(name(file), hash.unwrap_or_else(|| "unreadable".into()));
        }
        Self::new(set, decide)
    }

    /// Whether nothing changed that it was made from.
    pub(super) fn is_current(&mut self) -> bool {
        let began = Instant::now();
        if began < self.next_look {
            return true;
        }
        let same = self
            .decide
            .iter()
            .all(|(path, before)| seen(path) == *before);
        let took = began.elapsed();
        let pause = took.saturating_mul(SHARE).min(Duration::from_secs(5));
        self.next_look = began + took + pause.max(MOMENT);
        same
    }
}

/// Remembers what changed while trials run.
pub(super) fn note(
    part: CodePart,
    before: Option<&Observed>,
    now: &Observed,
    changed: &mut Vec<String>,
) {
    if let Some(before) = before.filter(|before| before.hash != now.hash) {
        changed.extend(part.differences(&before.set, &now.set));
    }
}
