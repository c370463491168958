//! The state of the source tree, asked of the `git` program.

use super::changes::{Changes, Collector, changes_name};
use crate::redact::Redactor;
use fairtrial_process::ProcessError;
use fairtrial_process::git::Git;
use serde::{Deserialize, Serialize};
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
    /// SHA-256 over `git diff HEAD` and the names and hashes of untracked files; absent where nothing differs.
    pub diff_sha256: Option<String>,
    /// How many untracked files there are that git does not ignore.
    pub untracked: usize,
    /// The first of them.
    pub untracked_files: Vec<String>,
    /// The spec's folder within the work tree; empty for its top.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// What differs, as it was just seen: it is kept beside the records that name it.
    #[serde(skip)]
    changes: Option<Arc<Changes>>,
}

impl VcsState {
    /// What differs from the commit, by its name; absent where nothing does, and of a state that was read from a file.
    pub fn changes(&self) -> Option<(String, &Changes)> {
        let name = changes_name(self.diff_sha256.as_ref()?);
        Some((name, self.changes.as_deref()?))
    }

    /// The name under which a run keeps what differs.
    pub fn changes_name(&self) -> Option<String> {
        self.diff_sha256.as_deref().map(changes_name)
    }
}

impl Vcs {
    fn redact(&mut self, redactor: &Redactor) {
        if let Self::Git(state) = self {
            let texts = state.branch.iter_mut().chain(&mut state.untracked_files);
            for text in texts {
                *text = redactor.redact(text).into_owned();
            }
            if let Some(changes) = &mut state.changes {
                Arc::make_mut(changes).redact(redactor);
            }
        }
    }
}

/// A look at the work tree that goes on meanwhile; git may take its time in a large one.
#[derive(Debug)]
pub struct VcsLook {
    dir: PathBuf,
    data_root: PathBuf,
    redactor: Redactor,
    thread: Mutex<Option<JoinHandle<Vcs>>>,
    seen: OnceLock<Vcs>,
}

impl VcsLook {
    /// Begins to look, on a thread of its own where one can be had.
    pub fn start(dir: &Path, data_root: &Path, redactor: Redactor) -> Arc<Self> {
        let (from, root) = (dir.to_owned(), data_root.to_owned());
        let (thread, masks) = (thread::Builder::new().name("git".into()), redactor.clone());
        let thread = thread.spawn(move || read(&from, &root, &masks)).ok();
        Arc::new(Self {
            dir: dir.to_owned(),
            data_root: data_root.to_owned(),
            redactor,
            thread: Mutex::new(thread),
            seen: OnceLock::new(),
        })
    }

    /// What was seen, without secrets; waits for it.
    pub fn get(&self) -> &Vcs {
        self.seen.get_or_init(|| {
            let thread = self.thread.lock();
            let thread = thread.unwrap_or_else(PoisonError::into_inner).take();
            let joined = thread.and_then(|thread| thread.join().ok());
            joined.unwrap_or_else(|| read(&self.dir, &self.data_root, &self.redactor))
        })
    }
}

/// Looks at the work tree in which `dir` lies; files under `data_root` are not part of the source.
pub(super) fn read(dir: &Path, data_root: &Path, redactor: &Redactor) -> Vcs {
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
        folder: folder_in(top, dir),
        ..VcsState::default()
    };
    fill_changes(&mut state, top, data_root);
    let mut vcs = Vcs::Git(state);
    vcs.redact(redactor);
    vcs
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
    let mut seen = Collector::default();
    let diff = git(top, "diff", &how).output_into(&mut |bytes| seen.patch(bytes));
    let untracked = ["--others", "--exclude-standard", "-z"];
    let untracked = git(top, "ls-files", &untracked).output();
    let (Ok(()), Ok(untracked)) = (diff, untracked) else {
        return;
    };
    let names = source_files(&untracked, top, data_root);
    let (changes, hash) = seen.finish(top, &names).unzip();
    state.dirty = Some(hash.is_some());
    state.diff_sha256 = hash;
    state.changes = changes.map(Arc::new);
    state.untracked = names.len();
    state.untracked_files = names.into_iter().take(NAMED).collect();
}

/// Where a folder is within a work tree.
fn folder_in(top: &Path, folder: &Path) -> Option<String> {
    let folder = folder.canonicalize().ok()?;
    let inside = folder.strip_prefix(top.canonicalize().ok()?).ok()?;
    inside.to_str().map(str::to_owned)
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
