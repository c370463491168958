//! Folders of files: copied for each rollout, compared with what was copied, and written to without leaving them.

use crate::error::{AgentError, At};
use crate::sandbox::owner::Owner;
use crate::task_file::FileBody;
use fairtrial_text::glob::Glob;
use rustix::fs::{AtFlags, CWD, chownat};
use std::collections::HashMap;
use std::fs::{self, File, Metadata};
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// The system's clock for files ticks this coarsely, in nanoseconds: a change within one tick of the copy may not show
/// in a file's times.
const TICK: i64 = 20_000_000;

/// What was copied, to tell later whether anything changed.
#[derive(Debug, Default)]
pub(crate) struct Snapshot {
    entries: HashMap<PathBuf, Seen>,
    /// Folders and their modes.
    folders: HashMap<PathBuf, u32>,
}

#[derive(Debug, PartialEq, Eq)]
struct Seen {
    mode: u32,
    size: u64,
    inode: u64,
    changed: i64,
}

impl Seen {
    fn new(data: &Metadata) -> Self {
        Self {
            mode: data.mode(),
            size: if data.is_dir() { 0 } else { data.size() },
            inode: data.ino(),
            // A folder's times change when its files do, which are looked at one by one.
            changed: if data.is_dir() { 0 } else { nanos(data) },
        }
    }
}

fn nanos(data: &Metadata) -> i64 {
    data.ctime()
        .wrapping_mul(1_000_000_000)
        .wrapping_add(data.ctime_nsec())
}

/// Copies a folder that is to be worked in: files share their blocks with the original where the file system can do
/// that, and are never the same file. They are given to an owner where there is one.
pub(crate) fn copy(from: &Path, to: &Path, owner: Option<Owner>) -> Result<Snapshot, AgentError> {
    let mut snapshot = Snapshot::default();
    let copying = Copying { from, to, owner };
    copying.below(Path::new(""), &mut snapshot)?;
    Ok(snapshot)
}

/// A copy that is being made.
struct Copying<'a> {
    from: &'a Path,
    to: &'a Path,
    owner: Option<Owner>,
}

impl Copying<'_> {
    fn below(&self, below: &Path, snapshot: &mut Snapshot) -> Result<(), AgentError> {
        let Self { from, to, owner } = *self;
        let (source, target) = (from.join(below), to.join(below));
        fs::create_dir(&target).at("create", &target)?;
        give_one(&target, owner)?;
        for entry in fs::read_dir(&source).at("list", &source)? {
            let entry = entry.at("list", &source)?;
            let name = below.join(entry.file_name());
            let (old, new) = (from.join(&name), to.join(&name));
            let kind = entry.file_type().at("look at", &old)?;
            if kind.is_dir() {
                self.below(&name, snapshot)?;
                let data = fs::symlink_metadata(&new).at("look at", &new)?;
                snapshot.folders.insert(name, data.mode());
                continue;
            }
            if kind.is_symlink() {
                let target = fs::read_link(&old).at("read", &old)?;
                std::os::unix::fs::symlink(target, &new).at("create", &new)?;
            } else if !kind.is_file() {
                // A socket or a pipe is of use to nobody but the program that made it.
                continue;
            } else {
                fs::copy(&old, &new).at("copy", &old)?;
            }
            give_one(&new, owner)?;
            let seen = Seen::new(&fs::symlink_metadata(&new).at("look at", &new)?);
            snapshot.entries.insert(name, seen);
        }
        Ok(())
    }
}

/// Gives a file or a folder with all that lies in it to an owner; links are given, never what they point to.
pub(crate) fn give(path: &Path, owner: Owner) -> Result<(), AgentError> {
    let Ok(data) = fs::symlink_metadata(path) else {
        return Ok(());
    };
    if data.uid() != owner.uid || data.gid() != owner.gid {
        give_one(path, Some(owner))?;
    }
    if data.is_dir() {
        for entry in fs::read_dir(path).at("list", path)? {
            give(&entry.at("list", path)?.path(), owner)?;
        }
    }
    Ok(())
}

fn give_one(path: &Path, owner: Option<Owner>) -> Result<(), AgentError> {
    let Some(Owner { uid, gid }) = owner else {
        return Ok(());
    };
    let (uid, gid) = (
        rustix::fs::Uid::from_raw(uid),
        rustix::fs::Gid::from_raw(gid),
    );
    let given = chownat(CWD, path, Some(uid), Some(gid), AtFlags::SYMLINK_NOFOLLOW);
    given
        .map_err(io::Error::from)
        .at("change the owner of", path)
}

/// How a copied folder differs from what was copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Difference {
    /// Not at all: it is as good as a fresh copy.
    None,
    /// In its folders or its own `.git`, which no diff shows.
    Unseen,
    /// In its files.
    Files,
}

/// Compares a copied folder with what was copied.
pub(crate) fn compare(
    original: &Path,
    copy: &Path,
    snapshot: &Snapshot,
) -> Result<Difference, AgentError> {
    match look(original, copy, snapshot) {
        // All of it could be read when it was copied: whoever shut it changed it.
        Err(AgentError::Io { source, .. }) if source.kind() == io::ErrorKind::PermissionDenied => {
            Ok(Difference::Files)
        }
        found => found,
    }
}

fn look(original: &Path, copy: &Path, snapshot: &Snapshot) -> Result<Difference, AgentError> {
    let newest = snapshot
        .entries
        .values()
        .map(|seen| seen.changed)
        .max()
        .unwrap_or(0);
    let mut difference = Difference::None;
    let (mut files, mut folders) = ([0, 0], 0);
    let mut open = vec![PathBuf::new()];
    while let Some(below) = open.pop() {
        let folder = copy.join(&below);
        for entry in fs::read_dir(&folder).at("list", &folder)? {
            let entry = entry.at("list", &folder)?;
            let name = below.join(entry.file_name());
            let path = copy.join(&name);
            let data = fs::symlink_metadata(&path).at("look at", &path)?;
            if data.is_dir() {
                folders += 1;
                if snapshot.folders.get(&name) != Some(&data.mode()) {
                    difference = Difference::Unseen;
                }
                open.push(name);
                continue;
            }
            let hidden = name.starts_with(".git");
            files[usize::from(hidden)] += 1;
            let seen = Seen::new(&data);
            let may_hide = seen.changed + TICK > newest && !data.is_symlink();
            let same = snapshot.entries.get(&name) == Some(&seen)
                && (!may_hide || same_content(&original.join(&name), &path)?);
            if !same && !hidden {
                return Ok(Difference::Files);
            }
            if !same {
                difference = Difference::Unseen;
            }
        }
    }
    let names = snapshot.entries.keys();
    let hidden = names.filter(|name| name.starts_with(".git")).count();
    if files[0] != snapshot.entries.len() - hidden {
        return Ok(Difference::Files);
    }
    if files[1] != hidden || folders != snapshot.folders.len() {
        difference = Difference::Unseen;
    }
    Ok(difference)
}

/// Whether two files hold the same.
pub(crate) fn same_content(one: &Path, other: &Path) -> Result<bool, AgentError> {
    let (mut left, mut right) = (
        File::open(one).at("open", one)?,
        File::open(other).at("open", other)?,
    );
    let (mut ours, mut theirs) = ([0; 1 << 14], [0; 1 << 14]);
    loop {
        let read = fill(&mut left, &mut ours).at("read", one)?;
        let also = fill(&mut right, &mut theirs).at("read", other)?;
        if ours[..read] != theirs[..also] {
            return Ok(false);
        }
        if read == 0 {
            return Ok(true);
        }
    }
}

fn fill(file: &mut File, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match file.read(&mut buffer[filled..])? {
            0 => break,
            read => filled += read,
        }
    }
    Ok(filled)
}

/// Writes a file below a folder whose content others have made: a link on the way is replaced, never followed.
pub(crate) fn place(root: &Path, name: &str, file: &FileBody) -> Result<PathBuf, AgentError> {
    let mut path = root.to_owned();
    let name = Path::new(name);
    for part in name.parent().into_iter().flat_map(Path::components) {
        path.push(part);
        match fs::symlink_metadata(&path) {
            Ok(data) if data.is_dir() => continue,
            Ok(_) => fs::remove_file(&path).at("remove", &path)?,
            Err(_) => {}
        }
        fs::create_dir(&path).at("create", &path)?;
    }
    path.push(name.file_name().unwrap_or_default());
    match fs::symlink_metadata(&path) {
        Ok(data) if data.is_dir() => fs::remove_dir_all(&path).at("remove", &path)?,
        Ok(_) => fs::remove_file(&path).at("remove", &path)?,
        Err(_) => {}
    }
    let mut out = File::create_new(&path).at("create", &path)?;
    out.write_all(file.bytes()).at("write", &path)?;
    if file.executable {
        let mode = fs::Permissions::from_mode(0o755);
        out.set_permissions(mode).at("change", &path)?;
    }
    Ok(path)
}

/// Removes what a pattern names below a folder.
pub(crate) fn remove(root: &Path, pattern: &str) -> Result<usize, AgentError> {
    let pattern = Glob::path(pattern);
    let mut removed = 0;
    let mut open = vec![PathBuf::new()];
    while let Some(below) = open.pop() {
        let folder = root.join(&below);
        for entry in fs::read_dir(&folder).at("list", &folder)? {
            let entry = entry.at("list", &folder)?;
            let name = below.join(entry.file_name());
            let path = root.join(&name);
            let is_dir = entry.file_type().at("look at", &path)?.is_dir();
            let named = pattern.matches(&name.to_string_lossy());
            match (named, is_dir) {
                (true, true) => fs::remove_dir_all(&path).at("remove", &path)?,
                (true, false) => fs::remove_file(&path).at("remove", &path)?,
                (false, true) => open.push(name),
                (false, false) => {}
            }
            removed += usize::from(named);
        }
    }
    Ok(removed)
}

#[cfg(test)]
mod tests {
    use super::{Difference, compare, copy, place, remove};
    use crate::task_file::FileBody;
    use std::fs;

    #[test]
    fn a_change_of_any_kind_shows_and_none_does_not() {
        let dir = tempfile::tempdir().unwrap();
        let (base, work) = (dir.path().join("base"), dir.path().join("work"));
        fs::create_dir_all(base.join("sub/.git")).unwrap();
        fs::create_dir_all(base.join(".git")).unwrap();
        fs::write(base.join("a"), "one").unwrap();
        fs::write(base.join("sub/b"), "two").unwrap();
        let fresh = || {
            let _ = fs::remove_dir_all(&work);
            copy(&base, &work, None).unwrap()
        };
        let snapshot = fresh();
        assert_eq!(compare(&base, &work, &snapshot).unwrap(), Difference::None);
        fs::write(work.join(".git/HEAD"), "x").unwrap();
        let unseen = Difference::Unseen;
        assert_eq!(compare(&base, &work, &snapshot).unwrap(), unseen);
        let snapshot = fresh();
        fs::create_dir(work.join("empty")).unwrap();
        assert_eq!(compare(&base, &work, &snapshot).unwrap(), unseen);
        let changes: [fn(&std::path::Path); 5] = [
            |work| fs::write(work.join("a"), "eno").unwrap(),
            |work| fs::write(work.join("new"), "").unwrap(),
            |work| fs::remove_file(work.join("sub/b")).unwrap(),
            |work| {
                fs::remove_file(work.join("a")).unwrap();
                fs::write(work.join("a"), "one").unwrap();
            },
            |work| {
                use std::os::unix::fs::PermissionsExt;
                fs::set_permissions(work.join("a"), fs::Permissions::from_mode(0o755)).unwrap();
            },
        ];
        for (place, change) in changes.iter().enumerate() {
            let snapshot = fresh();
            change(&work);
            let difference = compare(&base, &work, &snapshot).unwrap();
            assert_eq!(difference, Difference::Files, "{place}");
        }
    }

    #[test]
    fn a_link_is_never_written_through() {
        let dir = tempfile::tempdir().unwrap();
        let (inside, outside) = (dir.path().join("in"), dir.path().join("out"));
        fs::create_dir_all(&inside).unwrap();
        fs::create_dir_all(&outside).unwrap();
        fs::write(outside.join("t.sh"), "precious").unwrap();
        std::os::unix::fs::symlink(&outside, inside.join("tests")).unwrap();
        place(&inside, "tests/t.sh", &FileBody::text("ours")).unwrap();
        assert_eq!(
            fs::read_to_string(outside.join("t.sh")).unwrap(),
            "precious"
        );
        assert_eq!(
            fs::read_to_string(inside.join("tests/t.sh")).unwrap(),
            "ours"
        );
        assert_eq!(remove(&inside, "tests/*.sh").unwrap(), 1);
    }
}
