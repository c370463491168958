//! The verbs of a store.

use crate::address::{Address, Place};
use crate::error::StoreError;
use crate::folder::Folder;
use std::fmt;
use std::time::{Duration, SystemTime};

/// How often a write is tried again of which it is not known whether it went through.
const TRIES: u32 = 5;
/// The pause before the second try; it doubles.
const FIRST_PAUSE: Duration = Duration::from_millis(100);

/// How long a store that does not answer is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Patience {
    /// Some seconds: a person waits.
    Short,
    /// Some minutes: there is work to lose.
    Long,
}

/// Whether a name was free.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Put {
    /// It was, and has these bytes now.
    Written,
    /// Somebody else was first.
    Taken,
}

/// An object, as a list shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Its name below the store's prefix.
    pub name: String,
    /// Changes whenever its bytes do.
    pub tag: String,
    /// When it was written, by the store's clock.
    pub written: SystemTime,
}

/// What a kind of store must do. Names are below its prefix.
pub(crate) trait Backend: Send + Sync {
    fn put(&self, name: &str, bytes: &[u8]) -> Result<(), StoreError>;
    /// Writes where nothing is; says whether it did. After a lost answer it may say that the name is taken by ourselves.
    fn put_new(&self, name: &str, bytes: &[u8]) -> Result<bool, StoreError>;
    fn get(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError>;
    /// Every object whose name begins so; `below` ends with `/` or is empty.
    fn list(&self, below: &str) -> Result<Vec<Found>, StoreError>;
    fn delete(&self, names: &[String]) -> Result<(), StoreError>;
}

/// A place in an object store.
pub struct Store {
    address: Address,
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
        let address = Address::parse(text)?;
        let backend: Box<dyn Backend> = match &address.place {
            Place::Folder(path) => Box::new(Folder::new(path.clone())),
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
    pub fn address(&self) -> &Address {
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
    pub fn list(&self, below: &str) -> Result<Vec<Found>, StoreError> {
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
