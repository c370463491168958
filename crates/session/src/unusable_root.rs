//! Why a folder is the data root, and why one is not used.

use serde::Serialize;
use std::fmt;
use std::path::PathBuf;

/// Why a folder is the data root.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RootReason {
    /// The caller named it.
    Named,
    /// The environment names it.
    Variable,
    /// It is the nearest one upwards that holds runs.
    HoldsRuns,
    /// It is `data/` at the top of the repository.
    Repository,
    /// It is `data/` in the working folder.
    Here,
}

/// A data root that is not used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnusableRoot {
    /// It is something else than a folder.
    #[error("{} is not a folder", path.display())]
    NotAFolder {
        /// What was named.
        path: PathBuf,
        /// By whom.
        because: RootReason,
    },
    /// It was found, and belongs to another user.
    #[error("the data folder {} belongs to another user (number {owner})", path.display())]
    OfAnother {
        /// Where it is.
        path: PathBuf,
        /// Whose it is.
        owner: u32,
    },
}

impl fmt::Display for RootReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Named => "you named it",
            Self::Variable => "the environment variable FAIRTRIAL_DATA names it",
            Self::HoldsRuns => {
                "it is the nearest one, from the working folder upwards, that holds runs"
            }
            Self::Repository => "it is at the top of the repository that you are in",
            Self::Here => {
                "it is in the working folder, and no folder above holds runs or is a repository"
            }
        })
    }
}
