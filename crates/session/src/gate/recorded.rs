//! By what a recorded run is found.

use fairtrial_journal::provenance::VcsState;
use std::fmt;

/// By what a recorded run is found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Recorded {
    /// Its branch.
    Branch(String),
    /// The beginning of its commit.
    Commit(String),
}

impl Recorded {
    pub(super) fn named(name: &str) -> Option<Self> {
        let branch = name.strip_prefix("branch:");
        let commit = name.strip_prefix("commit:");
        branch
            .map(|branch| Self::Branch(branch.to_owned()))
            .or_else(|| commit.map(|commit| Self::Commit(commit.to_owned())))
    }

    pub(super) fn fits(&self, state: &VcsState) -> bool {
        match self {
            Self::Branch(branch) => state.branch.as_ref() == Some(branch),
            Self::Commit(commit) => {
                let of = state.commit.as_deref();
                !commit.is_empty() && of.is_some_and(|of| of.starts_with(commit))
            }
        }
    }
}

impl fmt::Display for Recorded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Branch(branch) => write!(f, "on branch `{branch}`"),
            Self::Commit(commit) => write!(f, "at commit {commit}"),
        }
    }
}
