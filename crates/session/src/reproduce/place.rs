//! The folder in which a run is made again: the source in it, and a data root of its own. It goes when it is done with.

use crate::error::SessionError;
use fairtrial_model::Stamp;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// What a file of the folder is called that is locked for as long as somebody works in it.
const LOCK: &str = "lock";

/// A folder that is removed when it is dropped, unless it is kept.
#[derive(Debug)]
pub(super) struct Place {
    folder: PathBuf,
    keeps: bool,
    _lock: File,
}

impl Place {
    /// A fresh folder under `cache`. What calls left there that were killed is removed first.
    pub(super) fn new(cache: &Path, stamp: Stamp, keeps: bool) -> Result<Self, SessionError> {
        remove_abandoned(cache);
        let folder = cache.join(format!("{stamp}-{}", std::process::id()));
        let made = fs::create_dir_all(cache)
            .and_then(|()| fs::create_dir(&folder))
            .and_then(|()| File::create_new(folder.join(LOCK)))
            .and_then(|lock| lock.lock().map(|()| lock));
        let lock = made.map_err(|error| {
            SessionError::Machine(format!("cannot make {}: {error}", folder.display()))
        })?;
        Ok(Self {
            folder,
            keeps,
            _lock: lock,
        })
    }

    /// Where the source is checked out.
    pub(super) fn tree(&self) -> PathBuf {
        self.folder.join("tree")
    }

    /// The data root of the new run.
    pub(super) fn data(&self) -> PathBuf {
        self.folder.join("data")
    }

    /// The folder, where it stays.
    pub(super) fn kept(&self) -> Option<PathBuf> {
        self.keeps.then(|| self.folder.clone())
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if self.keeps {
            // Nobody takes a kept folder for one that was left behind.
            let _ = fs::remove_file(self.folder.join(LOCK));
        } else {
            let _ = fs::remove_dir_all(&self.folder);
        }
    }
}

/// Removes the folders whose makers are gone.
fn remove_abandoned(cache: &Path) {
    for entry in fs::read_dir(cache).into_iter().flatten().flatten() {
        let folder = entry.path();
        let lock = File::open(folder.join(LOCK));
        if lock.is_ok_and(|lock| lock.try_lock().is_ok()) {
            let _ = fs::remove_dir_all(folder);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Place;
    use fairtrial_model::Stamp;
    use std::fs;

    #[test]
    fn what_a_killed_call_left_goes_and_what_is_in_use_or_kept_stays() {
        let home = tempfile::tempdir().unwrap();
        let stamp: Stamp = "20250824__12-34-56".parse().unwrap();
        let left = home.path().join("left");
        fs::create_dir_all(left.join("tree")).unwrap();
        fs::write(left.join("lock"), "").unwrap();
        let kept = home.path().join("kept");
        fs::create_dir(&kept).unwrap();
        let place = Place::new(home.path(), stamp, false).unwrap();
        assert!(!left.exists() && kept.exists());
        let folder = place.tree().parent().unwrap().to_owned();
        let later: Stamp = "20250824__12-34-57".parse().unwrap();
        let other = Place::new(home.path(), later, true).unwrap();
        assert!(folder.exists(), "it is in use");
        drop(place);
        assert!(!folder.exists());
        let stays = other.kept().unwrap();
        drop(other);
        assert!(stays.exists());
    }
}
