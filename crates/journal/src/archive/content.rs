//! What goes into an archive: all that lies under a run's name and stamp.

use super::index::{Content, order};
use crate::error::{At, JournalError};
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// The lock says who works on a run, and is made anew by whoever does.
const LOCK: &str = "lock";

/// Something to be archived, as it was found.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Source {
    /// From the data root on.
    pub(super) path: String,
    pub(super) mode: u32,
    pub(super) modified: (i64, u32),
    pub(super) kind: Kind,
}

/// What it is.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Folder,
    Link(String),
    /// A file of so many bytes.
    File(u64),
}

/// All that lies under these paths of a data root, in the order of their names. Those that are not there are left out.
pub(crate) fn sources(root: &Path, paths: &[String]) -> Result<Vec<Source>, JournalError> {
    let mut found = Vec::new();
    for path in paths {
        match fs::symlink_metadata(root.join(path)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error).at("read", &root.join(path)),
            Ok(seen) => gather(root, path, &seen, &mut found)?,
        }
    }
    // The run's own lock, not a file of that name that a trial wrote.
    let lock = paths.first().map(|run| format!("{run}/{LOCK}"));
    found.retain(|source| Some(&source.path) != lock.as_ref());
    found.sort_by(|a, b| order(&a.path, &b.path));
    Ok(found)
}

fn gather(
    root: &Path,
    path: &str,
    seen: &Metadata,
    found: &mut Vec<Source>,
) -> Result<(), JournalError> {
    let here = root.join(path);
    let kind = seen.file_type();
    let content = if kind.is_dir() {
        Kind::Folder
    } else if kind.is_file() {
        Kind::File(seen.len())
    } else if kind.is_symlink() {
        let to = fs::read_link(&here).at("read", &here)?;
        Kind::Link(text(to, &here)?)
    } else {
        return Err(refused(&here, "is neither a file nor a folder nor a link"));
    };
    let is_folder = content == Kind::Folder;
    found.push(Source {
        path: path.to_owned(),
        mode: seen.permissions().mode() & 0o7777,
        modified: (seen.mtime(), seen.mtime_nsec() as u32),
        kind: content,
    });
    if is_folder {
        for entry in fs::read_dir(&here).at("list", &here)? {
            let entry = entry.at("list", &here)?;
            let name = text(PathBuf::from(entry.file_name()), &entry.path())?;
            let seen = entry.metadata().at("read", &entry.path())?;
            gather(root, &format!("{path}/{name}"), &seen, found)?;
        }
    }
    Ok(())
}

fn text(path: PathBuf, place: &Path) -> Result<String, JournalError> {
    let path = path.into_os_string().into_string();
    path.map_err(|_| {
        refused(
            place,
            "has a name, or leads to one, that is no text in UTF-8",
        )
    })
}

fn refused(path: &Path, why: &str) -> JournalError {
    JournalError::Content {
        path: path.to_owned(),
        message: format!("this {why}, and would be lost in an archive; nothing was archived"),
    }
}

impl Source {
    /// As a member without anything in it.
    pub(super) fn empty(&self, at: u64) -> Content {
        match &self.kind {
            Kind::Folder => Content::Folder,
            Kind::Link(to) => Content::Link(to.clone()),
            Kind::File(bytes) => Content::File {
                at,
                bytes: *bytes,
                sha256: String::new(),
            },
        }
    }
}
