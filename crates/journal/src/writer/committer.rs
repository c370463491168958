//! The thread that writes what has gathered, with one flush for all of it.

use super::queue::{Commit, OnCommit, Seq, Shared, WriterOptions};
use crate::error::WriteError;
use crate::failpoint;
use std::cell::Cell;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};
use std::{io, thread};

/// A flush may take this part of the time, where nobody waits for it: on most file systems it writes out whatever trials
/// have made meanwhile, and they stand still for that.
const SHARE: u32 = 20;
/// But what was handed in is never older than this.
const OLDEST: Duration = Duration::from_millis(200);

/// The writer thread's side.
pub(super) struct Committer {
    pub(super) shared: Arc<Shared>,
    pub(super) path: PathBuf,
    pub(super) file: File,
    /// Where the next line belongs: all before is durable.
    pub(super) good: u64,
    pub(super) options: WriterOptions,
    pub(super) on_commit: OnCommit,
    /// When the disk itself was last written to.
    pub(super) synced: Cell<Instant>,
}

impl Drop for Committer {
    fn drop(&mut self) {
        if thread::panicking() {
            let error = io::Error::other("the writer thread panicked");
            self.shared.lock().failed = Some(WriteError::new(&self.path, &error));
            self.shared.room.notify_all();
        }
    }
}

/// What the thread has taken and not yet written.
#[derive(Default)]
struct Batch {
    bytes: Vec<u8>,
    through: Seq,
    closing: bool,
}

impl Committer {
    /// Writes until the writer is closed.
    pub(super) fn run(mut self) {
        let mut batch = Batch::default();
        loop {
            self.gather(&mut batch);
            if batch.bytes.is_empty() {
                return self.sync_last();
            }
            let begun = Instant::now();
            let mut outcome = self.commit(&batch.bytes);
            let spacing = (begun.elapsed() * SHARE)
                .min(OLDEST)
                .max(self.options.spacing);
            if outcome.is_ok() {
                batch.bytes.clear();
            }
            {
                let mut pending = self.shared.lock();
                pending.failed = outcome.clone().err();
                outcome = pending.refused.clone().map_or(outcome, Err);
            }
            match outcome {
                Ok(()) => (self.on_commit)(Commit::Durable {
                    through: batch.through,
                }),
                Err(error) => {
                    self.shared.room.notify_all();
                    (self.on_commit)(Commit::Failed { error });
                    if batch.closing {
                        return;
                    }
                }
            }
            self.pause(begun, spacing);
        }
    }

    /// Waits for events and takes all there are; returns with none only when closing.
    fn gather(&self, batch: &mut Batch) {
        let mut pending = self.shared.lock();
        while pending.bytes.is_empty() && !pending.closing {
            pending.idle = true;
            pending = self
                .shared
                .work
                .wait(pending)
                .unwrap_or_else(PoisonError::into_inner);
        }
        if batch.bytes.is_empty() {
            std::mem::swap(&mut batch.bytes, &mut pending.bytes);
        } else {
            batch.bytes.append(&mut pending.bytes);
        }
        batch.through = pending.last;
        pending.hurried = false;
        batch.closing = pending.closing;
        drop(pending);
        self.shared.room.notify_all();
    }

    /// Lets events gather until the next flush is due; closing does not wait.
    fn pause(&self, since: Instant, spacing: Duration) {
        let mut pending = self.shared.lock();
        while !pending.closing {
            let due = if pending.hurried {
                self.options.hurried
            } else {
                spacing
            };
            let left = due.saturating_sub(since.elapsed());
            if left.is_zero() {
                return;
            }
            let waited = self.shared.hurry.wait_timeout(pending, left);
            pending = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn commit(&mut self, bytes: &[u8]) -> Result<(), WriteError> {
        let mut waits = self.options.retries.iter();
        loop {
            match self.write_and_sync(bytes) {
                Ok(()) => {
                    self.good += bytes.len() as u64;
                    return Ok(());
                }
                Err(error) => {
                    // Also after a failed flush: which pages reached the disk is unknown, so they are written anew.
                    // Where cutting off fails too, the part stays at the end, and the next try writes over it.
                    let _ = self.file.set_len(self.good);
                    match waits.next() {
                        Some(wait) => thread::sleep(*wait),
                        None => return Err(WriteError::new(&self.path, &error)),
                    }
                }
            }
        }
    }

    fn write_and_sync(&self, bytes: &[u8]) -> io::Result<()> {
        if let Some(packer) = &self.options.packer {
            packer.sync()?;
        }
        failpoint::hit("journal.before_write");
        if failpoint::is_due("journal.mid_write") {
            self.file.write_all_at(half_a_line(bytes), self.good)?;
            failpoint::die();
        }
        self.file.write_all_at(bytes, self.good)?;
        failpoint::hit("journal.before_sync");
        if self.synced.get().elapsed() >= self.options.sync_every {
            self.file.sync_data()?;
            self.synced.set(Instant::now());
        }
        failpoint::hit("journal.after_sync");
        Ok(())
    }

    /// Makes everything outlive a crash of the machine, where that was left for the end.
    fn sync_last(&self) {
        let is_due = ![Duration::ZERO, Duration::MAX].contains(&self.options.sync_every);
        if is_due && let Err(error) = self.file.sync_data() {
            self.shared.lock().failed = Some(WriteError::new(&self.path, &error));
        }
    }
}

/// All lines of the batch but the last, and half of that.
fn half_a_line(bytes: &[u8]) -> &[u8] {
    let body = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    let start = body
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(0, |place| place + 1);
    &bytes[..start + (body.len() - start) / 2]
}
