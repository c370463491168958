//! What is in an archive, and where.

use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// Version of the index.
pub(super) const SCHEMA: u32 = 1;

/// The index, as JSON.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Index {
    pub(super) schema: u32,
    /// Where each frame begins, in the archive and in the tar that it holds a part of; the last is the end of both.
    pub(super) frames: Vec<(u64, u64)>,
    /// In the order of their paths, which is that of the tar.
    pub(super) members: Vec<Member>,
}

/// A file, folder or link.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Member {
    /// From the data root on.
    pub(crate) path: String,
    /// Permissions.
    pub(crate) mode: u32,
    /// Seconds and nanoseconds of the last change.
    pub(crate) modified: (i64, u32),
    /// What it is.
    pub(crate) content: Content,
}

/// What a member is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Content {
    /// A folder.
    Folder,
    /// A link to this.
    Link(String),
    /// A file.
    File {
        /// Where its bytes begin in the tar.
        at: u64,
        /// How many.
        bytes: u64,
        /// Their SHA-256.
        sha256: String,
    },
}

/// The order of paths in which a folder is followed by all that is in it.
pub(super) fn order(a: &str, b: &str) -> Ordering {
    a.split('/').cmp(b.split('/'))
}
