//! The state of the source tree, asked of the `git` program.

use super::program::{self, NoAnswer};
use crate::redact::Redactor;
use fairtrial_model::hex;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::io::Read;
use std::path::Path;
use std::process::ChildStdout;
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

/// Looks at the work tree in which `dir` lies; files under `data_root` are not part of the source.
pub(super) fn read(dir: &Path, data_root: &Path) -> Vcs {
    let top = match line(dir, &["rev-parse", "--show-toplevel"]) {
        Ok(top) => top,
        Err(NoAnswer::Failed) => return unknown("not inside a git work tree"),
        Err(other) => return unknown(&format!("git {other}")),
    };
    let top = Path::new(&top);
    let mut state = VcsState {
        commit: line(top, &["rev-parse", "--verify", "-q", "HEAD"]).ok(),
        branch: line(top, &["symbolic-ref", "--short", "-q", "HEAD"]).ok(),
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

fn line(dir: &Path, args: &[&str]) -> Result<String, NoAnswer> {
    let output = program::git(dir, args, LIMIT, program::read_all)?;
    Ok(String::from_utf8_lossy(&output).trim_end().to_owned())
}

fn fill_changes(state: &mut VcsState, top: &Path, data_root: &Path) {
    let against = if state.commit.is_some() {
        "HEAD"
    } else {
        "--cached"
    };
    let diff = [
        "diff",
        against,
        "--binary",
        "--no-ext-diff",
        "--no-textconv",
        "--no-color",
    ];
    let diff = program::git(top, &diff, LIMIT, hash_all);
    let untracked = ["ls-files", "--others", "--exclude-standard", "-z"];
    let untracked = program::git(top, &untracked, LIMIT, program::read_all);
    let (Ok((mut hash, changed)), Ok(untracked)) = (diff, untracked) else {
        return;
    };
    let names = source_files(&untracked, top, data_root);
    for name in &names {
        hash.update(name.as_bytes());
        hash.update([0]);
    }
    let dirty = changed > 0 || !names.is_empty();
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

/// The hash of all output, and its length.
fn hash_all(mut output: ChildStdout) -> (Sha256, u64) {
    let mut hash = Sha256::new();
    let mut total = 0;
    let mut chunk = vec![0; 1 << 16];
    while let Ok(len) = output.read(&mut chunk) {
        if len == 0 {
            break;
        }
        hash.update(&chunk[..len]);
        total += len as u64;
    }
    (hash, total)
}
