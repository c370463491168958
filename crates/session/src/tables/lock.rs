//! One update of a table at a time: two that read the same table would each write it without the rows of the other.

use std::fs::{self, File};
use std::path::Path;

/// The right to change the tables of a folder, held until dropped. The system takes it back when the process dies.
pub(super) struct FolderLock {
    _held: Option<File>,
}

impl FolderLock {
    /// Waits for whoever changes a table beside this one. The folder is locked and not the table, which is replaced by a
    /// new file, and not a file made for it, which somebody would commit.
    pub(super) fn of(table: &Path) -> Self {
        // A link may lead elsewhere; the file that is replaced is what counts.
        let real = fs::canonicalize(table).ok();
        let folder = real.as_deref().and_then(Path::parent);
        let held = folder.and_then(|folder| {
            let folder = File::open(folder).ok()?;
            folder.lock().is_ok().then_some(folder)
        });
        // Some file systems have no locks: there the look before the replacement has to do.
        Self { _held: held }
    }
}
