//! What is read of an archived run, unpacked into a folder under `cache/` for the time that commands use it.
//!
//! The folder is named by the archive's hash, so that another archive is never taken for it, and by the time when the system was
//! started: nothing in it is flushed, and what a power cut leaves of it is not looked at.

use super::index::{Content, Member};
use super::reader::Archive;
use crate::error::{At, JournalError};
use fairtrial_model::{Sha256, Stamp, hex};
use std::fs::{self, DirBuilder, File, FileTimes};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

/// What may lie unpacked under a data root. It is looked at when another part of an archive is unpacked.
const MOST_BYTES: u64 = 8 << 30;
/// What was read within this time stays in any case: somebody may be reading it.
const IN_USE: Duration = Duration::from_mins(15);
/// A file in the folder of an archive, whose time is that of its last use.
const USED: &str = "used";
/// Bits of a mode that are set. An archive may come from somebody else: nothing in it runs with its owner's rights.
const PERMISSIONS: u32 = 0o1777;
/// Files that readers of a run make anew beside what they read.
const REMADE: [&str; 2] = ["sealed.json", "series.columns"];

/// A run that is an archive.
#[derive(Debug)]
pub(crate) struct ArchivedRun {
    archive: PathBuf,
    /// Where archives of the data root are unpacked.
    cache: PathBuf,
    stamp: Stamp,
    opened: Mutex<Option<Arc<Archive>>>,
}

impl ArchivedRun {
    /// The run of this stamp in an archive.
    pub(crate) fn new(archive: PathBuf, root: &Path, stamp: Stamp) -> Self {
        Self {
            archive,
            cache: root.join("cache/archives"),
            stamp,
            opened: Mutex::new(None),
        }
    }

    /// The archive's file.
    pub(crate) fn file(&self) -> &Path {
        &self.archive
    }

    /// The archive, opened once.
    pub(crate) fn archive(&self) -> Result<Arc<Archive>, JournalError> {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(archive) = &*opened {
            return Ok(Arc::clone(archive));
        }
        let archive = Arc::new(Archive::open(&self.archive)?);
        *opened = Some(Arc::clone(&archive));
        Ok(archive)
    }

    /// The folder that stands for the data root, after what is under this path was unpacked in it, where the archive has that.
    pub(crate) fn with(&self, path: &str) -> Result<PathBuf, JournalError> {
        let archive = self.archive()?;
        let home = self.home(&archive);
        let place = home.join(path);
        if !place.exists() && !archive.under(path).is_empty() {
            make_folder(&home)?;
            self.make_room(&home);
            unpack(&archive, path, &home)?;
        }
        // A name's time is what is looked at when room is made.
        let _ = fs::write(home.join(USED), "");
        Ok(home)
    }

    /// The same where an error cannot be told: a path on which every reader fails with another error than that nothing is there.
    pub(crate) fn with_or_unreadable(&self, path: &str) -> PathBuf {
        self.with(path).unwrap_or_else(|_| self.archive.clone())
    }

    /// Whether the archive is whole; what is unpacked of it and is not as in the archive is removed.
    pub(crate) fn check(&self) -> Result<(), JournalError> {
        let archive = self.archive()?;
        archive.check()?;
        let home = self.home(&archive);
        let same = |member: &Member| is_same(&home, member).unwrap_or(false);
        if home.exists() && !archive.members().iter().all(same) {
            fs::remove_dir_all(&home).at("remove", &home)?;
        }
        Ok(())
    }

    /// Removes what is unpacked, which nobody needs who has the run's folder.
    pub(crate) fn forget(&self) {
        if let Ok(archive) = self.archive() {
            let _ = fs::remove_dir_all(self.home(&archive));
        }
    }

    fn home(&self, archive: &Archive) -> PathBuf {
        let started = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
        let mut name = archive.hash();
        name.truncate(16);
        let started: String = started.trim().chars().take(8).collect();
        self.cache.join(format!("{}-{name}-{started}", self.stamp))
    }

    /// Removes what was not used for the longest time, where too much is unpacked.
    fn make_room(&self, own: &Path) {
        let entries = fs::read_dir(&self.cache).into_iter().flatten().flatten();
        let mut others: Vec<(SystemTime, PathBuf)> = entries
            .map(|entry| entry.path())
            .filter(|folder| folder != own)
            .map(|folder| {
                let used = folder
                    .join(USED)
                    .metadata()
                    .and_then(|seen| seen.modified());
                (used.unwrap_or(SystemTime::UNIX_EPOCH), folder)
            })
            .collect();
        others.sort();
        let sizes: Vec<u64> = others.iter().map(|(_, folder)| size(folder)).collect();
        let mut all: u64 = sizes.iter().sum::<u64>() + size(own);
        for ((used, folder), bytes) in others.into_iter().zip(sizes) {
            let age = used.elapsed().unwrap_or_default();
            if all <= MOST_BYTES || age < IN_USE {
                break;
            }
            // What cannot be removed now may be removed by the next one.
            let _ = fs::remove_dir_all(folder);
            all -= bytes;
        }
    }
}

/// Unpacks what is under a path, in one step for all who look.
fn unpack(archive: &Archive, path: &str, home: &Path) -> Result<(), JournalError> {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let number = COUNTER.fetch_add(1, Ordering::Relaxed);
    let aside = home.join(format!(".{}.{number}.tmp", std::process::id()));
    let done = put(archive, archive.under(path), &aside).and_then(|()| {
        let place = home.join(path);
        make_folder(place.parent().unwrap_or(home))?;
        match fs::rename(aside.join(path), &place) {
            // Somebody else was first.
            Err(_) if place.exists() => Ok(()),
            moved => moved.at("make", &place),
        }
    });
    let _ = fs::remove_dir_all(&aside);
    done
}

/// Writes members below a folder, with their permissions and times.
pub(crate) fn put(archive: &Archive, members: &[Member], home: &Path) -> Result<(), JournalError> {
    for member in members {
        let path = home.join(&member.path);
        make_folder(path.parent().unwrap_or(home))?;
        match &member.content {
            Content::Folder => make_folder(&path)?,
            Content::Link(to) => symlink(to, &path).at("make", &path)?,
            Content::File { .. } => {
                let mut file = BufWriter::new(File::create_new(&path).at("make", &path)?);
                archive.copy(member, &mut file)?;
                file.flush().at("write", &path)?;
            }
        }
    }
    // The innermost first: what is made in a folder changes its time, and it may not be open to writing.
    for member in members.iter().rev() {
        let path = home.join(&member.path);
        dress(&path, member).at("write", &path)?;
    }
    Ok(())
}

fn dress(path: &Path, member: &Member) -> io::Result<()> {
    if matches!(member.content, Content::Link(_)) {
        return Ok(());
    }
    let (seconds, nanos) = member.modified;
    let since = Duration::new(seconds.unsigned_abs(), 0);
    let whole = if seconds < 0 {
        SystemTime::UNIX_EPOCH.checked_sub(since)
    } else {
        SystemTime::UNIX_EPOCH.checked_add(since)
    };
    let modified = whole.and_then(|whole| whole.checked_add(Duration::new(0, nanos)));
    let file = File::open(path)?;
    if let Some(modified) = modified {
        file.set_times(FileTimes::new().set_modified(modified))?;
    }
    file.set_permissions(fs::Permissions::from_mode(member.mode & PERMISSIONS))
}

fn make_folder(path: &Path) -> Result<(), JournalError> {
    let mut maker = DirBuilder::new();
    maker
        .recursive(true)
        .mode(0o700)
        .create(path)
        .at("make", path)
}

/// Whether what is unpacked of a member, if it is, is as in the archive.
fn is_same(home: &Path, member: &Member) -> io::Result<bool> {
    let path = home.join(&member.path);
    let name = path.file_name().unwrap_or_default();
    let Content::File { sha256, .. } = &member.content else {
        return Ok(true);
    };
    if REMADE.iter().any(|remade| *remade == name) || !path.parent().is_some_and(Path::exists) {
        return Ok(true);
    }
    let mut hash = Sha256::new();
    match File::open(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        opened => io::copy(&mut opened?, &mut hash)?,
    };
    Ok(hex(&hash.finalize()) == *sha256)
}

fn size(path: &Path) -> u64 {
    let Ok(seen) = fs::symlink_metadata(path) else {
        return 0;
    };
    if !seen.is_dir() {
        return seen.len();
    }
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    entries.map(|entry| size(&entry.path())).sum()
}
