//! The state of the source tree, asked of the `git` program.

use crate::redact::Redactor;
use fairtrial_model::hex;
use fairtrial_process::ProcessError;
use fairtrial_process::git::Git;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// How long one question to git may take.
const LIMIT: Duration = Duration::from_secs(10);
/// How many untracked files are named.
const NAMED: usize = 50;

/// The state of the source, or why it is not known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Vcs {
    /// A git work tree.
    Git(VcsState),
    /// Not known.
    Unknown {
        /// Why.
        reason: String,
    },
}

/// A git work tree.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct VcsState {
    /// The commit; absent in a repository without one.
    pub commit: Option<String>,
    /// The branch; absent where none is checked out.
    pub branch: Option<String>,
    /// Whether anything differs from the commit; absent where git gave no answer.
    pub dirty: Option<bool>,
    /// SHA-256 over `git diff HEAD` and the names of untracked files; absent where nothing differs.
    pub diff_sha256: Option<String>,
    /// How many untracked files there are that git does not ignore.
    pub untracked: usize,
    /// The first of them.
    pub untracked_files: Vec<String>,
}

impl Vcs {
    pub(super) fn redact(&mut self, redactor: &Redactor) {
        if let Self::Git(state) = self {
            let texts = state.branch.iter_mut().chain(&mut state.untracked_files);
            for text in texts {
                *text = redactor.redact(text).into_owned();
            }
        }
    }
}

/// A look at the work tree that goes on meanwhile; git may take its time in a large one.
#[derive(Debug)]
pub struct VcsLook {
    dir: PathBuf,
    data_root: PathBuf,
    thread: Mutex<Option<JoinHandle<Vcs>>>,
    seen: OnceLock<Vcs>,
}

impl VcsLook {
    /// Begins to look, on a thread of its own where one can be had.
    pub fn start(dir: &Path, data_root: &Path) -> Arc<Self> {
        let (from, root) = (dir.to_owned(), data_root.to_owned());
        let thread = thread::Builder::new().name("git".into());
        let thread = thread.spawn(move || read(&from, &root)).ok();
        Arc::new(Self {
            dir: dir.to_owned(),
            data_root: data_root.to_owned(),
            thread: Mutex::new(thread),
            seen: OnceLock::new(),
        })
    }

    /// What was seen; waits for it.
    pub fn get(&self) -> &Vcs {
        self.seen.get_or_init(|| {
            let thread = self.thread.lock();
            let thread = thread.unwrap_or_else(PoisonError::into_inner).take();
            let joined = thread.and_then(|thread| thread.join().ok());
            joined.unwrap_or_else(|| read(&self.dir, &self.data_root))
        })
    }
}

/// Looks at the work tree in which `dir` lies; files under `data_root` are not part of the source.
pub(super) fn read(dir: &Path, data_root: &Path) -> Vcs {
    let top = match git(dir, "rev-parse", &["--show-toplevel"]).line() {
        Ok(top) => top,
        Err(ProcessError::Failed { .. }) => return unknown("not inside a git work tree"),
        Err(other) => return unknown(&other.to_string()),
    };
    let top = Path::new(&top);
    let line = |name: &str, args: &[&str]| git(top, name, args).line().ok();
    let mut state = VcsState {
        commit: line("rev-parse", &["--verify", "-q", "HEAD"]),
        branch: line("symbolic-ref", &["--short", "-q", "HEAD"]),
        ..VcsState::default()
    };
    fill_changes(&mut state, top, data_root);
    Vcs::Git(state)
}

fn unknown(reason: &str) -> Vcs {
    Vcs::Unknown {
        reason: reason.to_owned(),
    }
}

fn git(dir: &Path, name: &str, args: &[&str]) -> Git {
    Git::look(dir, name).args(args).limit(LIMIT)
}

fn fill_changes(state: &mut VcsState, top: &Path, data_root: &Path) {
    let against = if state.commit.is_some() {
        "HEAD"
    } else {
        "--cached"
    };
    let how = [
        against,
        "--binary",
        "--no-ext-diff",
        "--no-textconv",
        "--no-color",
    ];
    let (mut hash, mut changed) = (Sha256::new(), false);
    let diff = git(top, "diff", &how).output_into(&mut |bytes| {
        hash.update(bytes);
        changed = true;
    });
    let untracked = ["--others", "--exclude-standard", "-z"];
    let untracked = git(top, "ls-files", &untracked).output();
    let (Ok(()), Ok(untracked)) = (diff, untracked) else {
        return;
    };
    let names = source_files(&untracked, top, data_root);
    for name in &names {
        hash.update(name.as_bytes());
        hash.update([0]);
    }
    let dirty = changed || !names.is_empty();
    state.dirty = Some(dirty);
    state.diff_sha256 = dirty.then(|| hex(&hash.finalize()));
    state.untracked = names.len();
    state.untracked_files = names.into_iter().take(NAMED).collect();
}

fn source_files(listed: &[u8], top: &Path, data_root: &Path) -> Vec<String> {
    let data_root = data_root
        .canonicalize()
        .unwrap_or_else(|_| data_root.to_owned());
    let names = listed
        .split(|byte| *byte == 0)
        .filter(|name| !name.is_empty());
    let names = names.map(|name| String::from_utf8_lossy(name).into_owned());
    names
        .filter(|name| !top.join(name).starts_with(&data_root))
        .collect()
}
