//! A folder as a store: for tests, and for a disk that only some machines mount, or mount elsewhere.

use crate::backend::{Backend, StoredObject};
use crate::error::StoreError;
use fairtrial_journal::{Durability, Fresh, JournalError, write_atomic_bytes, write_once};
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// A folder.
pub(crate) struct Folder {
    path: PathBuf,
}

impl Folder {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self { path }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Makes the folders above an object. The store's own folder is the user's to make: a disk that is not mounted must
    /// not look like an empty store.
    fn make_room(&self, path: &Path) -> Result<(), StoreError> {
        if !self.path.is_dir() {
            return Err(StoreError::NoBucket {
                store: self.words(),
                message: "make the folder, or mount the disk".to_owned(),
            });
        }
        let above = path.parent().unwrap_or(&self.path);
        fs::create_dir_all(above).map_err(|error| self.failed("make a folder in it", &error))
    }

    fn words(&self) -> String {
        format!("file://{}", self.path.display())
    }

    fn failed(&self, action: &'static str, error: &io::Error) -> StoreError {
        let (store, message) = (self.words(), error.to_string());
        if error.kind() == ErrorKind::PermissionDenied {
            let from = "the user's rights in the folder";
            return StoreError::Denied {
                store,
                action,
                message,
                from,
            };
        }
        StoreError::Failed {
            store,
            action,
            message,
        }
    }

    /// What went wrong with a write, by the system's word.
    fn not_written(&self, error: &JournalError) -> StoreError {
        match error {
            JournalError::Io { source, .. } => self.failed("write", source),
            error => StoreError::Failed {
                store: self.words(),
                action: "write",
                message: error.to_string(),
            },
        }
    }

    fn walk(&self, folder: &Path, found: &mut Vec<StoredObject>) -> io::Result<()> {
        let entries = match fs::read_dir(folder) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            entries => entries?,
        };
        for entry in entries {
            let entry = entry?;
            let path = entry.path();
            // What is removed while we look was there when the list was asked for, or was not.
            let Ok(data) = entry.metadata() else { continue };
            if data.is_dir() {
                self.walk(&path, found)?;
                continue;
            }
            let hidden = entry.file_name().to_string_lossy().starts_with('.');
            let name = path
                .strip_prefix(&self.path)
                .ok()
                .and_then(|name| name.to_str());
            let (Some(name), false) = (name, hidden) else {
                continue;
            };
            let written = data.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            let since = written.duration_since(UNIX_EPOCH).unwrap_or_default();
            found.push(StoredObject {
                name: name.to_owned(),
                tag: format!("{}-{}-{}", tag(&data), since.as_nanos(), data.len()),
                written,
            });
        }
        Ok(())
    }
}

/// Each write makes a file of its own, which is then given the name.
fn tag(data: &fs::Metadata) -> u64 {
    use std::os::unix::fs::MetadataExt as _;
    data.ino()
}

impl Backend for Folder {
    fn put(&self, name: &str, bytes: &[u8]) -> Result<(), StoreError> {
        let path = self.at(name);
        self.make_room(&path)?;
        write_atomic_bytes(&path, Durability::Content, bytes)
            .map_err(|error| self.not_written(&error))
    }

    fn put_new(&self, name: &str, bytes: &[u8]) -> Result<bool, StoreError> {
        let path = self.at(name);
        self.make_room(&path)?;
        let written = write_once(&path, bytes).map_err(|error| self.not_written(&error))?;
        Ok(written == Fresh::Written)
    }

    fn get(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        match fs::read(self.at(name)) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(self.failed("read", &error)),
        }
    }

    fn list(&self, below: &str) -> Result<Vec<StoredObject>, StoreError> {
        let mut found = Vec::new();
        self.walk(&self.at(below), &mut found)
            .map_err(|error| self.failed("list", &error))?;
        found.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(found)
    }

    fn delete(&self, names: &[String]) -> Result<(), StoreError> {
        for name in names {
            let path = self.at(name);
            match fs::remove_file(&path) {
                Err(error) if error.kind() != ErrorKind::NotFound => {
                    return Err(self.failed("remove", &error));
                }
                _ => {}
            }
            // Folders mean nothing to a store: those that are empty go.
            let mut above = path.parent();
            while let Some(folder) = above.filter(|folder| *folder != self.path) {
                if fs::remove_dir(folder).is_err() {
                    break;
                }
                above = folder.parent();
            }
        }
        Ok(())
    }
}
