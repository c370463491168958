//! Making a run an archive, and a folder again. At any moment one of both is whole and on the disk: the one that goes does so
//! after the other was flushed and read back.

use crate::archive::{self, Archive, Source, put, sources};
use crate::atomic::{remove_unfinished, sync_dir, write_checked};
use crate::error::{At, JournalError};
use crate::failpoint;
use crate::holder::Locked;
use crate::lock::{RunLock, hold};
use crate::removal::{hide, is_hidden, sweep_removed};
use crate::root::DataRoot;
use crate::run_dir::RunDir;
use fairtrial_model::{Stamp, UtcTime};
use rustix::fs::{Advice, fadvise, syncfs};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// What becomes of what was made the other thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArchiveOptions {
    /// It goes.
    Replace,
    /// It stays beside the other.
    Keep,
}

/// What came of archiving, or of taking out of an archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Archived {
    /// The archive.
    pub file: PathBuf,
    /// Its size.
    pub packed: u64,
    /// How many files are in it.
    pub files: u64,
    /// Their size.
    pub bytes: u64,
}

/// Makes an archive of a run that nobody works on, and removes its folder and those of its trials.
pub fn archive_run(
    run: &RunDir,
    options: ArchiveOptions,
    now: UtcTime,
) -> Result<Archived, JournalError> {
    let lock = RunLock::acquire(run, now)?;
    // Somebody may have archived it while this process waited for the lock.
    if !run.journal().is_file() {
        return Err(JournalError::NoSuchRun {
            what: format!("{}/{}", run.name(), run.stamp()),
            rollouts: run.root().rollouts_dir(),
        });
    }
    let (root, file) = (run.root().path(), run.archive_file());
    remove_unfinished(&file);
    let paths = paths_of(run)?;
    let found = sources(root, &paths)?;
    let journal = format!("{}/journal.jsonl", run.relative());
    let fill = |out: &mut io::BufWriter<File>| archive::write(root, &found, &journal, out);
    write_checked(&file, fill, |written| {
        read_back(written)?;
        unchanged(root, &paths, &found)
    })?;
    failpoint::hit("archive.written");
    let archived = described(&Archive::open(&file)?);
    if options == ArchiveOptions::Replace {
        hide(run)?;
        drop(lock);
        failpoint::hit("archive.hidden");
        sweep_removed(run.root())?;
    }
    Ok(archived)
}

/// Makes the folders of an archived run again, byte for byte, and removes the archive.
pub fn restore_run(run: &RunDir, options: ArchiveOptions) -> Result<Archived, JournalError> {
    let file = run.archive_file();
    // What is about to be removed has the names of what is about to be made.
    sweep_removed(run.root())?;
    let held = hold(&file)?;
    if is_hidden(run) {
        return Err(Locked { holder: None }.into());
    }
    let archive = Archive::open(&file)?;
    let (root, folder) = (run.root().path(), run.relative());
    let aside = run
        .path()
        .with_file_name(format!(".{}.restoring", run.stamp()));
    remove(&aside)?;
    if !run.is_archived() {
        // A process that was cut off made the folder and left the archive, or somebody kept both.
        return left_alone(&archive, options);
    }
    for path in paths_of_archive(&archive, run) {
        remove(&root.join(&path))?;
        put(&archive, archive.under(&path), root)?;
    }
    failpoint::hit("archive.trials_restored");
    put(&archive, archive.under(&folder), &aside)?;
    let disk = File::open(root).at("open", root)?;
    syncfs(&disk).map_err(io::Error::from).at("flush", root)?;
    failpoint::hit("archive.before_restored");
    // What is there without a journal is no run's.
    remove(run.path())?;
    fs::rename(aside.join(&folder), run.path()).at("make", run.path())?;
    sync_dir(run.path().parent().unwrap_or(root))?;
    remove(&aside)?;
    failpoint::hit("archive.restored");
    let restored = left_alone(&archive, options);
    if let Some(archived) = run.archived() {
        archived.forget();
    }
    drop(held);
    restored
}

/// Removes an archive whose run is a folder again, where it shall not stay.
fn left_alone(archive: &Archive, options: ArchiveOptions) -> Result<Archived, JournalError> {
    let archived = described(archive);
    if options == ArchiveOptions::Replace {
        fs::remove_file(archive.path()).at("remove", archive.path())?;
    }
    Ok(archived)
}

/// Where a run's files lie, from the data root on; its own folder first.
fn paths_of(run: &RunDir) -> Result<Vec<String>, JournalError> {
    let root = run.root();
    let mut paths = vec![run.relative()];
    for folder in [root.runs_dir(), root.checkpoints_dir()] {
        let entries = match fs::read_dir(&folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            other => other.at("list", &folder)?,
        };
        let above = folder.file_name().unwrap_or_default().to_string_lossy();
        for entry in entries {
            let name = entry.at("list", &folder)?.file_name();
            let name = name.to_string_lossy();
            if is_of(run.stamp(), &name) {
                paths.push(format!("{above}/{name}"));
            }
        }
    }
    let index = run.temp_index();
    let index = index.strip_prefix(root.path()).unwrap_or(&index);
    paths.push(index.display().to_string());
    Ok(paths)
}

fn is_of(stamp: Stamp, name: &str) -> bool {
    DataRoot::trial_named(name).is_some_and(|(of, _)| of == stamp)
}

/// The same of an archive, without the run's own folder: only what a run of this name and stamp can have.
fn paths_of_archive(archive: &Archive, run: &RunDir) -> Vec<String> {
    let mut paths = Vec::new();
    for member in archive.members() {
        let mut parts = member.path.splitn(3, '/');
        let (above, name) = (parts.next().unwrap_or_default(), parts.next());
        let Some(name) = name.filter(|name| is_of(run.stamp(), name)) else {
            continue;
        };
        let path = format!("{above}/{name}");
        if matches!(above, "runs" | "checkpoints") && paths.last() != Some(&path) {
            paths.push(path);
        }
    }
    let index = run.temp_index();
    let index = index.strip_prefix(run.root().path()).unwrap_or(&index);
    paths.push(index.display().to_string());
    paths
}

/// Reads what was written from the disk, and checks every hash.
fn read_back(written: &Path) -> Result<(), JournalError> {
    let file = File::open(written).at("open", written)?;
    // Not from the system's memory, as far as it follows this advice.
    let _ = fadvise(&file, 0, None, Advice::DontNeed);
    Archive::open(written)?.check()
}

/// Nothing may have come or changed while it was read.
fn unchanged(root: &Path, paths: &[String], before: &[Source]) -> Result<(), JournalError> {
    if sources(root, paths)? == before {
        return Ok(());
    }
    Err(JournalError::Content {
        path: root.join(&paths[0]),
        message: "its files, or those of its trials, changed while they were archived; nothing was removed".to_owned(),
    })
}

fn described(archive: &Archive) -> Archived {
    let (files, bytes) = archive.content();
    Archived {
        file: archive.path().to_owned(),
        packed: archive.path().metadata().map_or(0, |seen| seen.len()),
        files,
        bytes,
    }
}

/// Removes a file or folder, where there is one.
fn remove(path: &Path) -> Result<(), JournalError> {
    let removed = match fs::symlink_metadata(path) {
        Ok(seen) if seen.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(error) => Err(error),
    };
    match removed {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other.at("remove", path),
    }
}
