//! A commit, as people know it.

use crate::checkout::short;
use serde::Serialize;

/// A commit of the range.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BisectCommit {
    /// Its hash.
    pub commit: String,
    /// The first line of its message.
    pub subject: String,
    /// Who wrote it.
    pub author: String,
    /// The day on which it was committed.
    pub date: String,
    /// Whether it merges others.
    pub merge: bool,
}

impl BisectCommit {
    /// The beginning of its hash.
    pub fn short(&self) -> &str {
        short(&self.commit)
    }

    /// Hash and subject.
    pub fn named(&self) -> String {
        format!("{} ({})", self.short(), self.subject)
    }

    pub(super) fn is_named(&self, arm: &str) -> bool {
        arm == self.short()
    }
}
