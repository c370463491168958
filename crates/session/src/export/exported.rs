//! What an export makes.

use std::path::PathBuf;

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Exported {
    /// A file's content.
    File(Vec<u8>),
    /// A folder: paths in it with their contents, and files that are there already with the paths that they get.
    Folder {
        /// What is written.
        files: Vec<(String, String)>,
        /// What is copied.
        copies: Vec<(PathBuf, String)>,
    },
    /// What the tracker's client says.
    Pushed(String),
}
