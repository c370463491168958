//! The verbs of a store.

use crate::address::{StoreAddress, StorePlace};
use crate::backend::{Backend, Patience, StoredObject};
use crate::error::StoreError;
use crate::folder::Folder;
use std::fmt;
use std::time::Duration;

/// How often a write is tried again of which it is not known whether it went through.
const TRIES: u32 = 5;
/// The pause before the second try; it doubles.
const FIRST_PAUSE: Duration = Duration::from_millis(100);

/// Whether a name was free.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Put {
    /// It was, and has these bytes now.
    Written,
    /// Somebody else was first.
    Taken,
}

/// A place in an object store.
pub struct Store {
    address: StoreAddress,
    backend: Box<dyn Backend>,
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Credentials are in the backend.
        write!(f, "Store({})", self.address)
    }
}

impl Store {
    /// Makes ready to ask; asks nothing yet. Credentials come from the environment or the machine.
    pub fn open(text: &str, patience: Patience) -> Result<Self, StoreError> {
        let address = StoreAddress::parse(text)?;
        let backend: Box<dyn Backend> = match &address.place {
            StorePlace::Folder(path) => Box::new(Folder::new(path.clone())),
            #[cfg(feature = "cloud")]
            _ => Box::new(crate::cloud::Cloud::open(&address, patience)?),
            #[cfg(not(feature = "cloud"))]
            _ => {
                let _ = patience;
                let store = address.to_string();
                return Err(StoreError::NotBuiltIn { store });
            }
        };
        Ok(Self { address, backend })
    }

    /// Where it is.
    pub fn address(&self) -> &StoreAddress {
        &self.address
    }

    /// Writes an object, over what is there.
    pub fn put(&self, name: &str, bytes: &[u8]) -> Result<(), StoreError> {
        self.backend.put(name, bytes)
    }

    /// Writes an object where none is. Bytes that nobody else would write (they name their writer) make the answer true
    /// also after one was lost: what is there is then compared.
    pub fn put_new(&self, name: &str, bytes: &[u8]) -> Result<Put, StoreError> {
        if again(|| self.backend.put_new(name, bytes))? {
            return Ok(Put::Written);
        }
        let there = self.backend.get(name)?;
        let ours = there.as_deref() == Some(bytes);
        Ok(if ours { Put::Written } else { Put::Taken })
    }

    /// The bytes of an object; absent where there is none.
    pub fn get(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.backend.get(name)
    }

    /// Every object whose name begins so; `below` ends with `/` or is empty.
    pub fn list(&self, below: &str) -> Result<Vec<StoredObject>, StoreError> {
        self.backend.list(below)
    }

    /// Removes objects; one that is not there is no error.
    pub fn delete(&self, names: &[String]) -> Result<(), StoreError> {
        if names.is_empty() {
            return Ok(());
        }
        again(|| self.backend.delete(names))
    }
}

/// Does again what the clients of clouds do once, because they cannot know that it may be done twice.
fn again<T>(mut act: impl FnMut() -> Result<T, StoreError>) -> Result<T, StoreError> {
    let mut pause = FIRST_PAUSE;
    for _ in 1..TRIES {
        match act() {
            Err(error) if error.may_pass() => {
                std::thread::sleep(pause);
                pause *= 2;
            }
            done => return done,
        }
    }
    act()
}

#[cfg(test)]
mod tests {
    use super::{Put, Store};
    use crate::backend::Patience;

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
