//! A folder as a store: for tests, and for a disk that only some machines mount, or mount elsewhere.

use crate::error::StoreError;
use crate::store::{Backend, Found};
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

    fn walk(&self, folder: &Path, found: &mut Vec<Found>) -> io::Result<()> {
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
            found.push(Found {
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

    fn list(&self, below: &str) -> Result<Vec<Found>, StoreError> {
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

#[cfg(test)]
mod tests {
    use crate::store::{Patience, Put, Store};

    #[test]
    fn the_first_of_two_writers_stays() {
        let folder = tempfile::tempdir().unwrap();
        let open = |path: &std::path::Path| {
            Store::open(&format!("file://{}", path.display()), Patience::Short).unwrap()
        };
        let store = open(folder.path());
        assert_eq!(store.put_new("a/b/claim", b"me").unwrap(), Put::Written);
        assert_eq!(store.put_new("a/b/claim", b"you").unwrap(), Put::Taken);
        let again = store.put_new("a/b/claim", b"me").unwrap();
        assert_eq!(
            again,
            Put::Written,
            "who repeats a write was first all the same"
        );
        assert_eq!(store.get("a/b/claim").unwrap().unwrap(), b"me");
        assert_eq!(store.get("a/none").unwrap(), None);
        store.put("a/beat", b"1").unwrap();
        let before = store.list("a/").unwrap();
        store.put("a/beat", b"2").unwrap();
        let after = store.list("a/").unwrap();
        let names: Vec<&str> = after.iter().map(|found| found.name.as_str()).collect();
        assert_eq!(names, ["a/b/claim", "a/beat"]);
        assert_eq!(before[0], after[0]);
        assert_ne!(before[1].tag, after[1].tag);
        let all: Vec<String> = names.into_iter().map(str::to_owned).collect();
        store.delete(&all).unwrap();
        store.delete(&all).unwrap();
        assert_eq!(store.list("").unwrap(), []);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        let gone = open(&folder.path().join("not-mounted"));
        let refused = gone.put("a", b"").unwrap_err().to_string();
        assert!(refused.contains("mount the disk"), "{refused}");
    }
}
