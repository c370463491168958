//! Appending to a journal: one writer thread, many events per flush.
//!
//! `append` only adds to a buffer in memory. The thread takes all that has gathered, writes it with one call, flushes
//! once, and then says through which event the journal is durable. A trial counts as done only after that.

mod committer;
mod repair;

use crate::error::{At, JournalError, WriteError};
use crate::event::Event;
use crate::line;
use crate::record_text::RecordText;
use crate::redact::Redactor;
use committer::Committer;
pub use repair::Repair;
use repair::open_repaired;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
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
}

impl Default for WriterOptions {
    fn default() -> Self {
        Self {
            spacing: Duration::from_millis(25),
            hurried: Duration::from_millis(5),
            pending_limit: 16 << 20,
            retries: [20, 100, 500].map(Duration::from_millis).to_vec(),
            redactor: Redactor::default(),
        }
    }
}

/// The one writer of a journal. Who holds the run's lock may have one.
pub struct JournalWriter {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
    path: PathBuf,
    repaired: Option<Repair>,
    options: WriterOptions,
}

struct Shared {
    pending: Mutex<Pending>,
    /// Told when events wait or the writer shall close.
    work: Condvar,
    /// Told when the writer shall close or hurry: events that come while others gather wake nobody.
    hurry: Condvar,
    /// Told when events were taken.
    room: Condvar,
}

#[derive(Default)]
struct Pending {
    bytes: Vec<u8>,
    last: Seq,
    closing: bool,
    /// Somebody waits for what is there to be durable.
    hurried: bool,
    /// The thread waits for work.
    idle: bool,
    /// The last try failed; `append` no longer waits for room.
    failed: Option<WriteError>,
    /// An event that has no JSON form was refused; the journal is not complete any more.
    refused: Option<WriteError>,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Pending> {
        // The buffer holds whole lines at every moment a panic could happen.
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl JournalWriter {
    /// Opens the journal with the default options.
    pub fn open(path: &Path, on_commit: OnCommit) -> Result<Self, JournalError> {
        Self::open_with(path, WriterOptions::default(), on_commit)
    }

    /// Opens the journal, makes it where it is not there, and cuts off an unfinished last line.
    pub fn open_with(
        path: &Path,
        options: WriterOptions,
        on_commit: OnCommit,
    ) -> Result<Self, JournalError> {
        let (file, len, repaired) = open_repaired(path)?;
        let shared = Arc::new(Shared {
            pending: Mutex::default(),
            work: Condvar::new(),
            hurry: Condvar::new(),
            room: Condvar::new(),
        });
        let committer = Committer {
            shared: Arc::clone(&shared),
            path: path.to_owned(),
            file,
            good: len,
            options: options.clone(),
            on_commit,
        };
        let thread = thread::Builder::new()
            .name("journal".into())
            .spawn(move || committer.run())
            .at("start the writer of", path)?;
        Ok(Self {
            shared,
            thread: Some(thread),
            path: path.to_owned(),
            repaired,
            options,
        })
    }

    /// The unfinished last line that was cut off at opening.
    pub fn repaired(&self) -> Option<Repair> {
        self.repaired
    }

    /// Takes an event. It is on disk once a commit reaches the returned place. Waits only where very much is pending.
    pub fn append(&self, event: &Event) -> Seq {
        let redacted = self.options.redactor.redact_event(event);
        self.put(|out| line::encode(&redacted, out))
    }

    /// Takes the end of an attempt, as [`JournalWriter::append`] would, of which the text is there already.
    pub fn append_record(&self, text: &RecordText) -> Seq {
        self.put(|out| {
            line::encode_record(text, out);
            Ok(())
        })
    }

    fn put(&self, encode: impl FnOnce(&mut Vec<u8>) -> Result<(), serde_json::Error>) -> Seq {
        let mut pending = self.shared.lock();
        while pending.bytes.len() > self.options.pending_limit && pending.failed.is_none() {
            pending = self
                .shared
                .room
                .wait(pending)
                .unwrap_or_else(PoisonError::into_inner);
        }
        if let Err(error) = encode(&mut pending.bytes) {
            pending.refused = Some(WriteError::new(&self.path, &error.into()));
        }
        pending.last.0 += 1;
        let seq = pending.last;
        let idle = std::mem::take(&mut pending.idle);
        drop(pending);
        if idle {
            self.shared.work.notify_one();
        }
        seq
    }

    /// Lets what waits be written soon, because somebody has nothing to do until it is.
    pub fn hurry(&self) {
        let mut pending = self.shared.lock();
        if !pending.bytes.is_empty() {
            pending.hurried = true;
            self.shared.hurry.notify_one();
        }
    }

    /// Writes what waits, ends the thread, and says whether everything is on disk.
    pub fn close(mut self) -> Result<(), JournalError> {
        self.finish();
        let mut pending = self.shared.lock();
        let error = pending.failed.take().or_else(|| pending.refused.take());
        error.map_or(Ok(()), |error| Err(error.into()))
    }

    fn finish(&mut self) {
        if let Some(thread) = self.thread.take() {
            self.shared.lock().closing = true;
            self.shared.work.notify_one();
            self.shared.hurry.notify_one();
            // A panic of the callback has already been reported by the panic hook.
            let _ = thread.join();
        }
    }
}

impl Drop for JournalWriter {
    fn drop(&mut self) {
        self.finish();
    }
}
