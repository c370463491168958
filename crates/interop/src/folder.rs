//! What lies in a folder.

use crate::error::InteropError;
use std::fs;
use std::path::{Path, PathBuf};

/// What lies in a folder, in the order of names; links are followed for files only, so that no circle is walked.
pub(crate) fn entries(folder: &Path) -> Result<Vec<(PathBuf, bool)>, InteropError> {
    let wrong = || InteropError::io(folder);
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(wrong())? {
        let entry = entry.map_err(wrong())?;
        let kind = entry.file_type().map_err(wrong())?;
        let is_file = kind.is_file() || kind.is_symlink() && entry.path().is_file();
        if kind.is_dir() || is_file {
            found.push((entry.path(), kind.is_dir()));
        }
    }
    found.sort();
    Ok(found)
}
