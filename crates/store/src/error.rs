//! Why a store did not do what it was asked.

use std::io;
use std::path::PathBuf;

/// Why a store did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The address is none.
    #[error("`{text}` names no object store: {message}")]
    Address {
        /// What was written.
        text: String,
        /// What is wrong.
        message: String,
    },
    /// This build reaches no buckets.
    #[error("{store}: this build of Fairtrial lacks the feature `store`")]
    NotBuiltIn {
        /// The store.
        store: String,
    },
    /// It takes nothing from us.
    #[error("{store}: not allowed to {action}: {message}; credentials come from {from}")]
    Denied {
        /// The store.
        store: String,
        /// What was tried.
        action: &'static str,
        /// What it said.
        message: String,
        /// Where credentials are looked for.
        from: &'static str,
    },
    /// The bucket is not there.
    #[error("{store}: there is no such bucket or folder: {message}")]
    NoBucket {
        /// The store.
        store: String,
        /// What it said.
        message: String,
    },
    /// The clocks differ.
    #[error(
        "{store}: the clock of this machine is {seconds} s {way} the store's; a store takes no signature of another time \
         (15 minutes at AWS): set the clock"
    )]
    Clock {
        /// The store.
        store: String,
        /// By how much.
        seconds: u64,
        /// `before` or `after`.
        way: &'static str,
    },
    /// The store refuses the time of requests, and does not say by how much it differs.
    #[error("{store}: the clock of this machine is off, as the store sees it: {message}")]
    Time {
        /// The store.
        store: String,
        /// What it said.
        message: String,
    },
    /// It lets two write one name.
    #[error(
        "{store}: it lets a second writer replace what a first wrote, although asked not to (`If-None-Match: *`): two jobs \
         could run the same trials. A store with conditional writes is needed"
    )]
    NotConditional {
        /// The store.
        store: String,
    },
    /// Something else; another try may go better.
    #[error("{store}: could not {action}: {message}")]
    Failed {
        /// The store.
        store: String,
        /// What was tried.
        action: &'static str,
        /// What was said.
        message: String,
    },
    /// A file on this machine.
    #[error("{}: could not {action}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What was tried.
        action: &'static str,
        /// What the system said.
        source: io::Error,
    },
}

impl StoreError {
    /// Whether the same may work later.
    pub fn may_pass(&self) -> bool {
        matches!(self, Self::Failed { .. })
    }
}
