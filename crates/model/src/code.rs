//! What a trial ran, by its content: the code, the files that count as code, and the installed packages.

use serde::{Deserialize, Serialize};

/// The state of the code when a trial was started. What is not known is absent. The hashes of files and packages name sets
/// that the run keeps once each, with the name and the hash of everything in them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Code {
    /// The commit of the work tree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Hash of the uncommitted changes; absent where there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patch: Option<String>,
    /// Hash of the program's file, or of the script and what it imports from the project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// Hash of the paths that the spec watches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub watched: Option<String>,
    /// Hash of the Python environment: the versions of Python and of the packages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub packages: Option<String>,
    /// Hash of the files of a prepared task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
}

impl Code {
    /// Whether nothing is known.
    pub fn is_unknown(&self) -> bool {
        *self == Self::default()
    }

    /// The same without the commit and the uncommitted changes: what was run, wherever it was kept.
    #[must_use]
    pub fn content(&self) -> Self {
        Self {
            commit: None,
            patch: None,
            ..self.clone()
        }
    }

    /// The commit in words: its first digits, and whether anything was changed since.
    pub fn revision(&self) -> Option<String> {
        let commit = self.commit.as_deref()?;
        let short = commit.get(..12).unwrap_or(commit);
        Some(match &self.patch {
            None => short.to_owned(),
            Some(patch) => format!(
                "{short} with uncommitted changes {}",
                patch.get(..8).unwrap_or(patch)
            ),
        })
    }
}
