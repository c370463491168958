//! The one way to replace a file: readers see the old content or the new, never a part.

use crate::error::{At, JournalError};
use crate::failpoint;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// What a replaced file must survive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Durability {
    /// The death of the process. Enough for what can be made again from the journal.
    Process,
    /// A power cut, after which the old or the new content is there.
    Content,
    /// A power cut, after which the new content is there.
    #[default]
    Full,
}

/// Replaces `path` by what `fill` writes: a temporary file in the same folder, then a rename.
pub fn write_atomic<F>(path: &Path, durability: Durability, fill: F) -> Result<(), JournalError>
where
    F: FnOnce(&mut BufWriter<File>) -> io::Result<()>,
{
    let temporary = Temporary::beside(path);
    write_whole(&temporary.path, durability, fill).at("write", path)?;
    failpoint::hit("view.before_rename");
    fs::rename(&temporary.path, path).at("replace", path)?;
    temporary.keep();
    if durability == Durability::Full {
        sync_dir(parent(path))?;
    }
    Ok(())
}

/// Replaces `path` by what `fill` writes, once that is on the disk and `check` has read it and found it good.
pub(crate) fn write_checked<F, C>(path: &Path, fill: F, check: C) -> Result<(), JournalError>
where
    F: FnOnce(&mut BufWriter<File>) -> io::Result<()>,
    C: FnOnce(&Path) -> Result<(), JournalError>,
{
    let temporary = Temporary::beside(path);
    write_whole(&temporary.path, Durability::Full, fill).at("write", path)?;
    check(&temporary.path)?;
    failpoint::hit("checked.before_rename");
    fs::rename(&temporary.path, path).at("replace", path)?;
    temporary.keep();
    sync_dir(parent(path))
}

/// Replaces `path` by `bytes`.
pub fn write_atomic_bytes(
    path: &Path,
    durability: Durability,
    bytes: &[u8],
) -> Result<(), JournalError> {
    write_atomic(path, durability, |file| file.write_all(bytes))
}

/// What became of a file that is written once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fresh {
    /// It is there now, and durable.
    Written,
    /// Another writer was first; its content stays.
    Taken,
}

/// Writes a file that no other writer may replace, not even one on another machine: temporary file, flush, and a hard
/// link, which unlike a rename fails where the name is taken. Filesystems without links get a rename after a look.
pub fn write_once(path: &Path, bytes: &[u8]) -> Result<Fresh, JournalError> {
    let temporary = Temporary::beside(path);
    write_whole(&temporary.path, Durability::Full, |file| {
        file.write_all(bytes)
    })
    .at("write", path)?;
    match fs::hard_link(&temporary.path, path) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(Fresh::Taken),
        Err(_) if path.exists() => return Ok(Fresh::Taken),
        Err(_) => {
            fs::rename(&temporary.path, path).at("replace", path)?;
            temporary.keep();
        }
    }
    sync_dir(parent(path))?;
    Ok(Fresh::Written)
}

/// Removes what dead processes of this machine left of a file that they were replacing. Only for whoever knows that nobody
/// else replaces it now.
pub fn remove_unfinished(path: &Path) {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    remove_of_the_dead(parent(path), |of| of == name);
}

/// The same for every file of a folder. Only for whoever holds the lock under which its files are replaced.
pub(crate) fn remove_all_unfinished(folder: &Path) {
    remove_of_the_dead(folder, |_| true);
}

/// Removes temporary files of dead processes of this machine, `.NAME.HOST.PID.NUMBER.tmp`, of the names that are wanted.
fn remove_of_the_dead(folder: &Path, wanted: impl Fn(&str) -> bool) {
    let host = format!(".{}", crate::provenance::host::host_name());
    let maker = |file: &str| -> Option<u32> {
        let (rest, number) = file.strip_suffix(".tmp")?.rsplit_once('.')?;
        let (name, pid) = rest.rsplit_once('.')?;
        let name = name.strip_suffix(&host)?.strip_prefix('.')?;
        let is_ours = wanted(name) && number.parse::<u64>().is_ok();
        pid.parse().ok().filter(|_| is_ours)
    };
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let file = entry.file_name();
        if maker(&file.to_string_lossy()).is_some_and(is_dead) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Whether a process of this machine is surely gone.
pub fn is_dead(pid: u32) -> bool {
    let all = Path::new("/proc");
    all.join("self").exists() && !all.join(pid.to_string()).exists()
}

/// Makes a folder's entries durable.
pub(crate) fn sync_dir(dir: &Path) -> Result<(), JournalError> {
    let folder = File::open(dir).at("open", dir)?;
    folder.sync_all().at("flush", dir)
}

/// The folder that holds `path`.
pub(crate) fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(dir) if !dir.as_os_str().is_empty() => dir,
        _ => Path::new("."),
    }
}

fn write_whole<F>(path: &Path, durability: Durability, fill: F) -> io::Result<()>
where
    F: FnOnce(&mut BufWriter<File>) -> io::Result<()>,
{
    let mut file = BufWriter::with_capacity(1 << 16, File::create_new(path)?);
    fill(&mut file)?;
    let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
    match durability {
        Durability::Process => Ok(()),
        Durability::Content | Durability::Full => file.sync_all(),
    }
}

/// A temporary file that goes away again unless it took the place it was made for.
struct Temporary {
    path: PathBuf,
    kept: bool,
}

impl Temporary {
    fn beside(path: &Path) -> Self {
        static COUNTER: AtomicU64 = AtomicU64::new(0);
        let number = COUNTER.fetch_add(1, Ordering::Relaxed);
        let mut name = OsString::from(".");
        name.push(path.file_name().unwrap_or_default());
        // The host too: nodes that share the folder may share the process id.
        let host = crate::provenance::host::host_name();
        name.push(format!(".{host}.{}.{number}.tmp", std::process::id()));
        Self {
            path: parent(path).join(name),
            kept: false,
        }
    }

    fn keep(mut self) {
        self.kept = true;
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if !self.kept {
            // The first error is the one that matters.
            let _ = fs::remove_file(&self.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{
        Durability, Fresh, is_dead, remove_unfinished, write_atomic, write_atomic_bytes, write_once,
    };
    use std::io;

    #[test]
    fn a_failed_write_leaves_the_old_file_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("view.json");
        write_atomic_bytes(&path, Durability::Full, b"old").unwrap();
        let refused = write_atomic(&path, Durability::Process, |_| Err(io::Error::other("no")));
        assert!(refused.is_err());
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
        write_atomic_bytes(&path, Durability::Content, b"new").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"new");
    }

    #[test]
    #[expect(clippy::print_stderr, reason = "a skipped test says why")]
    fn what_dead_processes_left_of_a_file_is_removed() {
        let dir = tempfile::tempdir().unwrap();
        let (path, host) = (
            dir.path().join("a.csv"),
            crate::provenance::host::host_name(),
        );
        let dead = (1 << 22) + 1;
        if !is_dead(dead) {
            eprintln!("skipped: this system does not show its processes");
            return;
        }
        let own = std::process::id();
        let names = [
            format!(".a.csv.{host}.{own}.0.tmp"),
            format!(".b.csv.{host}.{dead}.0.tmp"),
            format!(".a.csv.{host}-2.{dead}.0.tmp"),
            ".a.csv.tmp".to_owned(),
        ];
        for name in names.iter().chain([&format!(".a.csv.{host}.{dead}.7.tmp")]) {
            std::fs::write(dir.path().join(name), "").unwrap();
        }
        remove_unfinished(&path);
        assert!(names.iter().all(|name| dir.path().join(name).exists()));
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), names.len());
    }

    #[test]
    fn what_is_written_once_stays() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("0-1.json");
        assert_eq!(write_once(&path, b"first").unwrap(), Fresh::Written);
        assert_eq!(write_once(&path, b"second").unwrap(), Fresh::Taken);
        assert_eq!(std::fs::read(&path).unwrap(), b"first");
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
    }
}
