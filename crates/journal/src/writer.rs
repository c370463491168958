//! Appending to a journal: one writer thread, many events per flush.
//!
//! `append` only adds to a buffer in memory. The thread takes all that has gathered, writes it with one call, flushes
//! once, and then says through which event the journal is durable. A trial counts as done only after that.

mod committer;
mod queue;
mod repair;

use crate::chain::LineHash;
use crate::error::{At, JournalError, WriteError};
use crate::event::Event;
use crate::line;
use crate::record_text::RecordText;
use committer::Committer;
pub use queue::{Commit, OnCommit, Seq, WriterOptions};
use queue::{Pending, Shared};
pub use repair::Repair;
use repair::{Opened, open_repaired};
use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// The one writer of a journal. Who holds the run's lock may have one.
pub struct JournalWriter {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
    path: PathBuf,
    repaired: Option<Repair>,
    options: WriterOptions,
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
        let Opened {
            file,
            len,
            repaired,
            last,
        } = open_repaired(path, options.sync_every != Duration::MAX)?;
        let shared = Arc::new(Shared {
            pending: Mutex::new(Pending {
                before: last,
                ..Pending::default()
            }),
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
            synced: Cell::new(Instant::now()),
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
        self.put(|before, out| line::encode(&redacted, before, out))
    }

    /// Takes the end of an attempt, as [`JournalWriter::append`] would, of which the text is there already.
    pub fn append_record(&self, text: &RecordText) -> Seq {
        self.put(|before, out| {
            line::encode_record(text, before, out);
            Ok(())
        })
    }

    fn put(
        &self,
        encode: impl FnOnce(Option<LineHash>, &mut Vec<u8>) -> Result<(), serde_json::Error>,
    ) -> Seq {
        let mut pending = self.shared.lock();
        while pending.bytes.len() > self.options.pending_limit && pending.failed.is_none() {
            pending = self
                .shared
                .room
                .wait(pending)
                .unwrap_or_else(PoisonError::into_inner);
        }
        let (start, before) = (pending.bytes.len(), pending.before);
        match encode(before, &mut pending.bytes) {
            Ok(()) if self.options.chained => {
                let line = pending.bytes[start..].trim_ascii_end();
                pending.before = Some(LineHash::of(line));
            }
            Ok(()) => {}
            Err(error) => pending.refused = Some(WriteError::new(&self.path, &error.into())),
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
