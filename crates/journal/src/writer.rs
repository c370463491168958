//! Appending to a journal: one writer thread, many events per flush.
//!
//! `append` only adds to a buffer in memory. The thread takes all that has gathered, writes it with one call, flushes
//! once, and then says through which event the journal is durable. A trial counts as done only after that.

use crate::atomic::{parent, sync_dir};
use crate::error::{At, JournalError, WriteError};
use crate::event::Event;
use crate::failpoint;
use crate::line;
use crate::record_text::RecordText;
use crate::redact::Redactor;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

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

/// A flush may take this part of the time, where nobody waits for it: on most file systems it writes out whatever trials
/// have made meanwhile, and they stand still for that.
const SHARE: u32 = 20;
/// But what was handed in is never older than this.
const OLDEST: Duration = Duration::from_millis(200);

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

/// An unfinished last line that was cut off when the journal was opened for writing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Repair {
    /// Where it began.
    pub offset: u64,
    /// How long it was.
    pub bytes: u64,
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

/// The writer thread's side.
struct Committer {
    shared: Arc<Shared>,
    path: PathBuf,
    file: File,
    /// Where the next line belongs: all before is durable.
    good: u64,
    options: WriterOptions,
    on_commit: OnCommit,
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
    fn run(mut self) {
        let mut batch = Batch::default();
        loop {
            self.gather(&mut batch);
            if batch.bytes.is_empty() {
                return;
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
        failpoint::hit("journal.before_write");
        if failpoint::is_due("journal.mid_write") {
            self.file.write_all_at(half_a_line(bytes), self.good)?;
            failpoint::die();
        }
        self.file.write_all_at(bytes, self.good)?;
        failpoint::hit("journal.before_sync");
        self.file.sync_data()?;
        failpoint::hit("journal.after_sync");
        Ok(())
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

/// Opens the journal for writing with its length up to the end of the last whole line, to which it is cut.
fn open_repaired(path: &Path) -> Result<(File, u64, Option<Repair>), JournalError> {
    let is_new = !path.exists();
    let mut options = OpenOptions::new();
    let file = options.read(true).write(true).create(true).truncate(false);
    let file = file.open(path).at("open", path)?;
    if is_new {
        sync_dir(parent(path))?;
    }
    let len = file.metadata().at("read", path)?.len();
    let good = end_of_last_line(&file, len).at("read", path)?;
    if good == len {
        return Ok((file, len, None));
    }
    file.set_len(good).at("repair", path)?;
    file.sync_all().at("repair", path)?;
    let repair = Repair {
        offset: good,
        bytes: len - good,
    };
    Ok((file, good, Some(repair)))
}

/// The place after the last newline, found from the end.
fn end_of_last_line(file: &File, len: u64) -> io::Result<u64> {
    let mut chunk = [0; 4096];
    let mut end = len;
    while end > 0 {
        let start = end.saturating_sub(chunk.len() as u64);
        let part = &mut chunk[..(end - start) as usize];
        file.read_exact_at(part, start)?;
        if let Some(place) = part.iter().rposition(|byte| *byte == b'\n') {
            return Ok(start + place as u64 + 1);
        }
        end = start;
    }
    Ok(0)
}
