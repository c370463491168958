//! Who works on a run: a lock that dies with its holder, and the requests to stop and to pause.

use crate::atomic::{Durability, remove_all_unfinished, write_atomic_bytes};
use crate::error::{At, JournalError};
use crate::holder::{Holder, Locked};
use crate::provenance::host::host_name;
use crate::run_dir::RunDir;
use fairtrial_model::UtcTime;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::Path;
use std::thread;
use std::time::Duration;

/// Whether a run has a controller now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Liveness {
    /// Nobody works on it.
    Idle,
    /// Somebody does; who, as far as it is written down.
    Live(Option<Holder>),
}

impl Liveness {
    /// Whether somebody works on it.
    pub fn is_live(&self) -> bool {
        matches!(self, Self::Live(_))
    }
}

/// The right to write a run, held until dropped. The system takes it back when the process dies, however it dies.
#[derive(Debug)]
pub struct RunLock {
    file: File,
}

/// A look at the lock by [`is_live`] holds it for a moment; a controller that comes just then waits this often.
const TRIES: u32 = 10;
const WAIT: Duration = Duration::from_millis(5);

impl RunLock {
    /// Takes the run, or says who has it. A request to stop or to pause that is there already was meant for somebody before: it is
    /// forgotten at once, so that one that comes while this controller prepares its work is its own.
    pub fn acquire(run: &RunDir, now: UtcTime) -> Result<Self, JournalError> {
        run.open_to_changes()?;
        let path = run.lock();
        let mut options = OpenOptions::new();
        let file = options.read(true).write(true).create(true).truncate(false);
        let file = file.open(&path).at("open", &path)?;
        let mut tries = 0;
        while !try_lock(&file).at("lock", &path)? {
            tries += 1;
            if tries == TRIES {
                let holder = read_holder(&path);
                return Err(Locked { holder }.into());
            }
            thread::sleep(WAIT);
        }
        let lock = Self { file };
        clear(&run.cancel())?;
        clear(&run.pause())?;
        lock.sign(now).at("write", &path)?;
        for folder in [run.path().to_owned(), run.task_results(), run.code()] {
            remove_all_unfinished(&folder);
        }
        Ok(lock)
    }

    fn sign(&self, now: UtcTime) -> io::Result<()> {
        let holder = Holder {
            pid: std::process::id(),
            host: host_name(),
            since: now,
        };
        self.file.set_len(0)?;
        let mut text = serde_json::to_vec(&holder)?;
        text.push(b'\n');
        (&self.file).write_all(&text)
    }
}

impl Drop for RunLock {
    fn drop(&mut self) {
        // Closing the file would do it too; the text must not outlive the lock.
        let _ = self.file.set_len(0);
        let _ = self.file.unlock();
    }
}

/// Holds an archive for as long as what is given back lives, so that nobody else restores or removes it.
pub(crate) fn hold(archive: &Path) -> Result<File, JournalError> {
    let file = File::open(archive).at("open", archive)?;
    if try_lock(&file).at("lock", archive)? {
        Ok(file)
    } else {
        Err(Locked { holder: None }.into())
    }
}

fn try_lock(file: &File) -> io::Result<bool> {
    match file.try_lock() {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

fn read_holder(path: &Path) -> Option<Holder> {
    let mut text = String::new();
    File::open(path)
        .ok()?
        .take(4096)
        .read_to_string(&mut text)
        .ok()?;
    serde_json::from_str(&text).ok()
}

/// Whether a run has a controller now.
pub fn is_live(run: &RunDir) -> Result<Liveness, JournalError> {
    if run.is_archived() {
        return Ok(Liveness::Idle);
    }
    let path = run.lock();
    let file = match File::open(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Liveness::Idle),
        other => other.at("open", &path)?,
    };
    match file.try_lock_shared() {
        Ok(()) => Ok(Liveness::Idle),
        Err(TryLockError::WouldBlock) => Ok(Liveness::Live(read_holder(&path))),
        Err(TryLockError::Error(error)) => Err(error).at("lock", &path),
    }
}

/// Asks the run's controller, wherever it runs, to stop.
pub fn request_cancel(run: &RunDir, now: UtcTime) -> Result<(), JournalError> {
    run.open_to_changes()?;
    request(&run.cancel(), now)
}

/// Whether somebody asked the run to stop.
pub fn cancel_requested(run: &RunDir) -> bool {
    run.cancel().exists()
}

/// Asks the run's controller, wherever it runs, to start nothing until that is taken back.
pub fn request_pause(run: &RunDir, now: UtcTime) -> Result<(), JournalError> {
    run.open_to_changes()?;
    request(&run.pause(), now)
}

/// Takes the request to pause back.
pub fn end_pause(run: &RunDir) -> Result<(), JournalError> {
    clear(&run.pause())
}

/// Whether somebody asked the run to start nothing for now.
pub fn pause_requested(run: &RunDir) -> bool {
    run.pause().exists()
}

fn request(path: &Path, now: UtcTime) -> Result<(), JournalError> {
    let text = format!("{now} process {} on {}\n", std::process::id(), host_name());
    write_atomic_bytes(path, Durability::Full, text.as_bytes())
}

/// Forgets a request.
fn clear(path: &Path) -> Result<(), JournalError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other.at("remove", path),
    }
}
