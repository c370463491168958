//! Whether a store can be used, before anything depends on it.

use crate::backend::StoredObject;
use crate::error::StoreError;
use crate::store::{Put, Store};
use std::time::{Duration, SystemTime};

/// How far two clocks may differ. AWS takes a quarter of an hour; times in records should be nearer.
pub const MOST_SKEW: Duration = Duration::from_mins(5);

/// After this time nobody looks any more.
const LEFT_BEHIND: Duration = Duration::from_mins(10);

impl Store {
    /// Writes, reads, lists and removes an object of its own, and says what is wrong where one of these is refused, where a
    /// second writer is not, or where the clocks differ. `name` is one that nobody else uses.
    pub fn examine(&self, name: &str) -> Result<(), StoreError> {
        let object = format!("examined/{name}");
        let before = SystemTime::now();
        if self.put_new(&object, b"first")? == Put::Taken {
            return Err(self.strange("write an object of a new name"));
        }
        let looked = self.look(&object, before);
        let removed = self.delete(std::slice::from_ref(&object));
        looked.and(removed)
    }

    fn look(&self, object: &str, before: SystemTime) -> Result<(), StoreError> {
        if self.put_new(object, b"second")? == Put::Written {
            return Err(StoreError::NotConditional {
                store: self.address().to_string(),
            });
        }
        if self.get(object)?.as_deref() != Some(b"first") {
            return Err(self.strange("read what was written"));
        }
        let listed = self.list("examined/")?;
        let Some(found) = listed.iter().find(|found| found.name == object) else {
            return Err(self.strange("list what was written"));
        };
        // Who was killed while it looked left one. By the store's clock alone.
        let old = |other: &&StoredObject| {
            let age = found.written.duration_since(other.written);
            age.is_ok_and(|age| age > LEFT_BEHIND)
        };
        let old = listed.iter().filter(old);
        let old: Vec<String> = old.map(|other| other.name.clone()).collect();
        self.delete(&old)?;
        self.compare_clocks(found.written, before, SystemTime::now())
    }

    /// The store's clock must be between ours before and after, or near to it.
    fn compare_clocks(
        &self,
        written: SystemTime,
        before: SystemTime,
        after: SystemTime,
    ) -> Result<(), StoreError> {
        let ahead = written.duration_since(after).unwrap_or_default();
        let behind = before.duration_since(written).unwrap_or_default();
        let (skew, way) = if ahead > behind {
            (ahead, "before")
        } else {
            (behind, "after")
        };
        if skew <= MOST_SKEW {
            return Ok(());
        }
        Err(StoreError::Clock {
            store: self.address().to_string(),
            seconds: skew.as_secs(),
            way,
        })
    }

    fn strange(&self, action: &'static str) -> StoreError {
        StoreError::Failed {
            store: self.address().to_string(),
            action,
            message: "the store says otherwise than it did".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::backend::Patience;
    use crate::store::Store;
    use std::time::{Duration, SystemTime};

    #[test]
    fn a_folder_is_examined_and_left_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let text = format!("file://{}", folder.path().display());
        let store = Store::open(&text, Patience::Short).unwrap();
        store.examine("me").unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        let now = SystemTime::now();
        let minutes = |n: u64| Duration::from_secs(60 * n);
        assert!(store.compare_clocks(now + minutes(4), now, now).is_ok());
        for (written, way) in [
            (now + minutes(6), "s before"),
            (now - minutes(6), "s after"),
        ] {
            let error = store.compare_clocks(written, now, now).unwrap_err();
            assert!(error.to_string().contains(way), "{error}");
        }
    }
}
