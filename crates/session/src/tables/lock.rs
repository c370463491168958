//! One update of a table at a time: two that read the same table would each write it without the rows of the other.

use crate::error::SessionError;
use fairtrial_journal::provenance::host_name;
use fairtrial_journal::{Holder, is_dead, remove_unfinished};
use fairtrial_model::UtcTime;
use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

/// How long to wait for whoever has a lock that the system does not hold.
const PATIENCE: Duration = Duration::from_mins(1);
/// How often is looked whether it is free.
const PAUSE: Duration = Duration::from_millis(20);
/// A lock file without words is of somebody who is about to write them, or of one who died before.
const WORDLESS: Duration = Duration::from_secs(10);

/// The right to change the tables of a folder, held until dropped.
pub(super) enum TableLock {
    /// The folder is locked. The system takes it back when the process dies.
    Folder { _held: File },
    /// A file beside the table, where the file system has no locks.
    File(PathBuf),
    /// There is no table yet, so nobody changes it.
    NoTable,
}

impl TableLock {
    /// Waits for whoever changes a table beside this one, and removes what a killed update left. The folder is locked and not
    /// the table, which is replaced by a new file, and not a file made for it, which somebody would commit; only where the
    /// file system refuses that, a file has to do.
    pub(super) fn of(table: &Path, now: UtcTime) -> Result<Self, SessionError> {
        // A link may lead elsewhere; the file that is replaced is what counts.
        let Ok(real) = fs::canonicalize(table) else {
            return Ok(Self::NoTable);
        };
        let lock = Self::of_real(&real, now)?;
        remove_unfinished(&real);
        let side = real.file_name().unwrap_or_default().to_string_lossy();
        remove_unfinished(&real.with_file_name(fairtrial_table::Origins::file_name(&side)));
        Ok(lock)
    }

    fn of_real(table: &Path, now: UtcTime) -> Result<Self, SessionError> {
        let folder = table.parent().unwrap_or(Path::new("/"));
        let taken = File::open(folder).and_then(|held| match held.try_lock() {
            Ok(()) => Ok(held),
            Err(TryLockError::WouldBlock) => held.lock().map(|()| held),
            Err(TryLockError::Error(error)) => Err(error),
        });
        if let Ok(held) = taken {
            return Ok(Self::Folder { _held: held });
        }
        let name = table.file_name().unwrap_or_default().to_string_lossy();
        let path = folder.join(format!(".{name}.lock"));
        take_file(&path, now)?;
        Ok(Self::File(path))
    }
}

impl Drop for TableLock {
    fn drop(&mut self) {
        if let Self::File(path) = self {
            let _ = fs::remove_file(path);
        }
    }
}

/// Makes the lock file, once nobody has it.
fn take_file(path: &Path, now: UtcTime) -> Result<(), SessionError> {
    let began = Instant::now();
    loop {
        match make(path, now) {
            Ok(()) => return Ok(()),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => {
                return Err(SessionError::Machine(format!(
                    "cannot make {}: {error}",
                    path.display()
                )));
            }
        }
        let holder = holder_of(path);
        if is_abandoned(path, holder.as_ref()) {
            remove_if(path, holder.as_ref());
            continue;
        }
        if began.elapsed() > PATIENCE {
            let who = holder.map_or_else(|| "another process".to_owned(), |it| it.to_string());
            return Err(SessionError::Machine(format!(
                "{} says that {who} updates the table; if it does not any more, remove that file",
                path.display()
            )));
        }
        thread::sleep(PAUSE);
    }
}

fn make(path: &Path, now: UtcTime) -> io::Result<()> {
    let mut file = File::create_new(path)?;
    let holder = Holder {
        pid: std::process::id(),
        host: host_name(),
        since: now,
    };
    serde_json::to_writer(&mut file, &holder)?;
    file.write_all(b"\n")
}

fn holder_of(path: &Path) -> Option<Holder> {
    serde_json::from_slice(&fs::read(path).ok()?).ok()
}

/// Whether whoever made the file is surely gone.
fn is_abandoned(path: &Path, holder: Option<&Holder>) -> bool {
    if let Some(holder) = holder {
        return holder.host == host_name() && is_dead(holder.pid);
    }
    let made = fs::metadata(path).and_then(|data| data.modified()).ok();
    let age = made.and_then(|made| made.elapsed().ok());
    age.is_some_and(|age| age > WORDLESS)
}

/// Removes an abandoned file, and not one that somebody else made in its place meanwhile.
fn remove_if(path: &Path, abandoned: Option<&Holder>) {
    let aside = path.with_extension(format!("lock-{}", std::process::id()));
    if fs::rename(path, &aside).is_err() {
        return;
    }
    if holder_of(&aside).as_ref() != abandoned {
        // A link does not replace what is there by now.
        let _ = fs::hard_link(&aside, path);
    }
    let _ = fs::remove_file(aside);
}

#[cfg(test)]
mod tests {
    use super::{holder_of, make, take_file};
    use fairtrial_journal::Holder;
    use fairtrial_journal::provenance::host_name;
    use fairtrial_model::UtcTime;
    use std::fs;

    #[test]
    fn a_lock_file_of_a_dead_process_is_taken_over_and_one_of_another_machine_is_not() {
        let home = tempfile::tempdir().unwrap();
        let (path, now) = (home.path().join(".a.csv.lock"), UtcTime::from_micros(0));
        let left = |pid: u32, host: &str| {
            let holder = Holder {
                pid,
                host: host.to_owned(),
                since: now,
            };
            fs::write(&path, serde_json::to_vec(&holder).unwrap()).unwrap();
        };
        left((1 << 22) + 1, &host_name());
        if fairtrial_journal::is_dead((1 << 22) + 1) {
            take_file(&path, now).unwrap();
            assert_eq!(holder_of(&path).unwrap().pid, std::process::id());
        }
        left((1 << 22) + 1, "elsewhere");
        assert!(make(&path, now).is_err());
        assert!(!super::is_abandoned(&path, holder_of(&path).as_ref()));
        assert_eq!(fs::read_dir(home.path()).unwrap().count(), 1);
    }
}
