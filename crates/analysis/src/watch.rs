//! What changed in watched paths between two runs' sources, asked of the `git` program.

use crate::error::AnalysisError;
use fairtrial_process::ProcessError;
use fairtrial_process::git::Git;
use serde::Serialize;
use std::path::Path;

/// A change in the watched paths.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ChangedFile {
    /// The file.
    pub path: String,
    /// Lines added; absent for binary files.
    pub added: Option<u64>,
    /// Lines removed.
    pub removed: Option<u64>,
}

/// What changed in the watched paths.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WatchReport {
    /// The paths that were asked about.
    pub paths: Vec<String>,
    /// The baseline's commit.
    pub from: String,
    /// The other commit; absent where the work tree is meant.
    pub to: Option<String>,
    /// The changed files.
    pub files: Vec<ChangedFile>,
}

/// A question about watched paths.
#[derive(Debug, Clone, Copy)]
pub struct Watch<'a> {
    /// A folder in the repository; paths are relative to it.
    pub folder: &'a Path,
    /// The watched paths.
    pub paths: &'a [String],
    /// The baseline's commit.
    pub from: &'a str,
    /// The other commit; absent means the work tree as it is.
    pub to: Option<&'a str>,
}

/// Asks git what changed.
pub fn watch(question: Watch<'_>) -> Result<WatchReport, AnalysisError> {
    for commit in std::iter::once(question.from).chain(question.to) {
        if commit.is_empty() || !commit.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(AnalysisError::Question(format!(
                "`{commit}` is not a commit"
            )));
        }
    }
    let diff = Git::look(question.folder, "diff")
        .args(["--numstat", "--no-color", "--no-ext-diff", question.from])
        .args(question.to)
        .args(["--"])
        .args(question.paths);
    let output = diff.output().map_err(|error| {
        let message = match &error {
            ProcessError::Failed { .. } => error.reason(),
            other => other.to_string(),
        };
        AnalysisError::Git(message.lines().next().unwrap_or("no answer").to_owned())
    })?;
    let text = String::from_utf8_lossy(&output);
    Ok(WatchReport {
        paths: question.paths.to_vec(),
        from: question.from.to_owned(),
        to: question.to.map(str::to_owned),
        files: text.lines().filter_map(changed).collect(),
    })
}

/// `3\t1\tsrc/rl/loss.py`; binary files have `-` for both numbers.
fn changed(line: &str) -> Option<ChangedFile> {
    let mut fields = line.splitn(3, '\t');
    let (added, removed, path) = (fields.next()?, fields.next()?, fields.next()?);
    Some(ChangedFile {
        path: path.to_owned(),
        added: added.parse().ok(),
        removed: removed.parse().ok(),
    })
}
