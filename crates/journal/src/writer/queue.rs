//! What waits to be written, and how it is written: shared by who appends and the thread that commits.

use crate::chain::LineHash;
use crate::error::WriteError;
use crate::packed::Packer;
use crate::redact::Redactor;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Place of an event among those that this writer took, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Seq(pub u64);

/// News from the writer thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Commit {
    /// Every event up to this one is on disk.
    Durable {
        /// The last of them.
        through: Seq,
    },
    /// Several tries failed. Nothing half-written is left, what waits is kept in memory, and the next event or the
    /// closing tries again.
    Failed {
        /// Why.
        error: WriteError,
    },
}

/// Called on the writer thread after each commit.
pub type OnCommit = Box<dyn Fn(Commit) + Send>;

/// How to write.
#[derive(Debug, Clone)]
pub struct WriterOptions {
    /// Least time between two flushes: what arrives in between shares the next one, unless somebody waits for it. Where
    /// flushes are slow, they are rarer.
    pub spacing: Duration,
    /// The same where somebody waits for it.
    pub hurried: Duration,
    /// Bytes that may wait before `append` does.
    pub pending_limit: usize,
    /// Waits before the second and later tries of a failed write.
    pub retries: Vec<Duration>,
    /// Takes secrets out of free text.
    pub redactor: Redactor,
    /// Least time between two flushes to the disk itself, which only a crash of the machine makes necessary. For what can be
    /// measured again at no cost, and must not be disturbed meanwhile; closing always flushes.
    /// [`Duration::MAX`] is never, for what nobody needs after this process.
    pub sync_every: Duration,
    /// What records name as theirs: flushed before they are.
    pub packer: Option<Arc<Packer>>,
    /// Whether each line carries the hash of the one before: for what somebody may verify.
    pub chained: bool,
}

impl Default for WriterOptions {
    fn default() -> Self {
        Self {
            spacing: Duration::from_millis(25),
            hurried: Duration::from_millis(5),
            pending_limit: 16 << 20,
            retries: [20, 100, 500].map(Duration::from_millis).to_vec(),
            redactor: Redactor::default(),
            sync_every: Duration::ZERO,
            packer: None,
            chained: true,
        }
    }
}

pub(super) struct Shared {
    pub(super) pending: Mutex<Pending>,
    /// Told when events wait or the writer shall close.
    pub(super) work: Condvar,
    /// Told when the writer shall close or hurry: events that come while others gather wake nobody.
    pub(super) hurry: Condvar,
    /// Told when events were taken.
    pub(super) room: Condvar,
}

#[derive(Default)]
pub(super) struct Pending {
    pub(super) bytes: Vec<u8>,
    pub(super) last: Seq,
    /// The hash of the last line that was taken, or of the file's last where there is none yet.
    pub(super) before: Option<LineHash>,
    pub(super) closing: bool,
    /// Somebody waits for what is there to be durable.
    pub(super) hurried: bool,
    /// The thread waits for work.
    pub(super) idle: bool,
    /// The last try failed; `append` no longer waits for room.
    pub(super) failed: Option<WriteError>,
    /// An event that has no JSON form was refused; the journal is not complete any more.
    pub(super) refused: Option<WriteError>,
}

impl Shared {
    pub(super) fn lock(&self) -> MutexGuard<'_, Pending> {
        // The buffer holds whole lines at every moment a panic could happen.
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
