//! The files below paths that belong to what trials run.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Most files that are taken to belong to a program or to a watched path.
pub(super) const MOST_FILES: usize = 5000;
/// Folders whose files are made from others.
const MADE: [&str; 3] = [".git", "__pycache__", "node_modules"];

/// What is below some paths.
#[derive(Debug, Default)]
pub(super) struct Below {
    pub(super) files: Vec<PathBuf>,
    /// Everything whose times show a change: the folders too.
    pub(super) decide: BTreeSet<PathBuf>,
}

impl Below {
    /// Adds a file, or those of a folder; nothing of `without`.
    pub(super) fn add(&mut self, path: &Path, without: Option<&Path>) {
        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let name = path.file_name().unwrap_or_default();
        if MADE.iter().any(|made| name == *made)
            || self.files.len() >= MOST_FILES
            || without.is_some_and(|without| path.starts_with(without))
            || !self.decide.insert(path.clone())
        {
            return;
        }
        if path.is_file() {
            self.files.push(path);
        } else {
            let entries = std::fs::read_dir(&path).into_iter().flatten().flatten();
            let mut below: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
            below.sort_unstable();
            for path in below {
                self.add(&path, without);
            }
        }
    }
}
