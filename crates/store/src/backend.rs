//! What every kind of store must do.

use crate::error::StoreError;
use std::time::SystemTime;

/// How long a store that does not answer is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Patience {
    /// Some seconds: a person waits.
    Short,
    /// Some minutes: there is work to lose.
    Long,
}

/// An object, as a list shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredObject {
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
    fn list(&self, below: &str) -> Result<Vec<StoredObject>, StoreError>;
    fn delete(&self, names: &[String]) -> Result<(), StoreError>;
}
