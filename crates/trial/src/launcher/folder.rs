//! The folder in which the directories of trials are made. It is held open, so that its path is walked once and not for
//! each of the names in it.
//!
//! A trial that says nothing is given an empty file by a hard link to one that is there already: most short trials say
//! nothing on standard error.

use fairtrial_model::Access;
use rustix::fs::{AtFlags, CWD, Mode, OFlags, RawMode};
use rustix::fs::{accessat, linkat, mkdirat, openat, unlinkat};
use rustix::io::Errno;
use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

/// What users may read and write as far as their mask lets them.
const FILE: Mode = Mode::from_raw_mode(0o666);

/// The logs of a trial, in the folder `logs` of its directory.
pub(super) const LOGS: [&str; 2] = ["stdout.log", "stderr.log"];

/// The folder, and the empty file that silent logs are links to.
pub(super) struct Folder {
    path: PathBuf,
    dir: OwnedFd,
    /// The name of the empty file.
    empty: String,
    /// Whether it is there.
    made: bool,
}

impl Folder {
    /// Opens the folder.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let flags = OFlags::DIRECTORY | OFlags::RDONLY | OFlags::CLOEXEC;
        Ok(Self {
            path: path.to_owned(),
            dir: openat(CWD, path, flags, Mode::empty())?,
            empty: format!(".empty-{}", std::process::id()),
            made: false,
        })
    }

    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Makes a folder of this name, which must be new.
    pub(super) fn make(&self, name: &str, access: Access) -> io::Result<()> {
        let mode = Mode::from_raw_mode(access.folder_mode() as RawMode);
        Ok(mkdirat(&self.dir, name, mode)?)
    }

    /// Puts an empty file of this name there: a link, or where links end (or are not supported) a file of its own.
    pub(super) fn place(&mut self, name: &str) -> io::Result<()> {
        for _ in 0..2 {
            if !self.made {
                let _ = unlinkat(&self.dir, &self.empty, AtFlags::empty());
                // Where another launcher of this number has one there, on another machine, that will do.
                match self.create(&self.empty) {
                    Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                        return Err(error);
                    }
                    _ => self.made = true,
                }
            }
            match linkat(&self.dir, &self.empty, &self.dir, name, AtFlags::empty()) {
                Ok(()) => return Ok(()),
                Err(Errno::EXIST) => return Err(Errno::EXIST.into()),
                // The file system's limit of links is reached, or the file was cleaned away: begin a new one.
                Err(_) => self.made = false,
            }
        }
        self.create(name)
    }

    /// Writes a new file of this name.
    pub(super) fn write(&self, name: &str, text: &str) -> io::Result<()> {
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::CLOEXEC;
        let file = openat(&self.dir, name, flags, FILE)?;
        File::from(file).write_all(text.as_bytes())
    }

    /// Whether there may be a file of this name; only a sure no is one.
    pub(super) fn may_hold(&self, name: &str) -> bool {
        accessat(
            &self.dir,
            name,
            rustix::fs::Access::EXISTS,
            AtFlags::empty(),
        ) != Err(Errno::NOENT)
    }

    fn create(&self, name: &str) -> io::Result<()> {
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::CLOEXEC;
        openat(&self.dir, name, flags, FILE)?;
        Ok(())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if self.made {
            let _ = unlinkat(&self.dir, &self.empty, AtFlags::empty());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Folder;
    use fairtrial_model::Access;

    #[test]
    fn empty_files_are_new_and_their_source_is_gone_at_the_end() {
        let home = tempfile::tempdir().unwrap();
        let mut folder = Folder::open(home.path()).unwrap();
        folder.make("a", Access::Owner).unwrap();
        assert!(folder.make("a", Access::Owner).is_err());
        folder.place("a/x").unwrap();
        assert!(folder.place("a/x").is_err());
        // Cleaned away by somebody: there is a new one.
        std::fs::remove_file(home.path().join(&folder.empty)).unwrap();
        folder.place("a/y").unwrap();
        drop(folder);
        assert_eq!(std::fs::read(home.path().join("a/y")).unwrap(), b"");
        let left: Vec<_> = std::fs::read_dir(home.path()).unwrap().collect();
        assert_eq!(left.len(), 1, "{left:?}");
    }
}
