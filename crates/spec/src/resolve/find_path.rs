//! Where a path of a spec leads.

use std::path::{Path, PathBuf};

/// A path of an agent task: relative to the folder of the spec, else to the nearest folder above in which it is there,
/// because specs in `configs/` name `data/tasks/...` from the top of their project. Where it is nowhere, the first.
pub fn find_path(base_dir: &Path, text: &str) -> PathBuf {
    let found = base_dir
        .ancestors()
        .map(|folder| folder.join(text))
        .find(|path| path.exists());
    found.unwrap_or_else(|| base_dir.join(text))
}
