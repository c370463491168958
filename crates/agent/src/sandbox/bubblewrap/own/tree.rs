//! The files of a sandbox, built from its parts by the kernel's newer calls for mounts. Each part is made ready apart
//! from every tree, forbidden what it must not do, and only then put in its place.

use super::calls::{Forbids, forbid};
use crate::sandbox::bubblewrap::layout::Part;
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{CWD, FileType, Mode, OFlags, ResolveFlags, mkdirat, mknodat, openat2, symlinkat};
use rustix::io::{Errno, Result};
use rustix::mount::{
    FsMountFlags, FsOpenFlags, MountAttrFlags, MoveMountFlags, OpenTreeFlags, UnmountFlags,
    fsconfig_create, fsconfig_set_string, fsmount, fsopen, move_mount, open_tree, unmount,
};
use rustix::process::{chdir, fchdir, pivot_root};
use std::ffi::{CStr, CString};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Parts of `/proc` by which the machine is changed.
const SETTINGS: [&CStr; 4] = [c"proc/sys", c"proc/sysrq-trigger", c"proc/irq", c"proc/bus"];
/// Devices that hold nothing, with their names inside.
const DEVICES: [(&CStr, &CStr); 6] = [
    (c"/dev/null", c"null"),
    (c"/dev/zero", c"zero"),
    (c"/dev/full", c"full"),
    (c"/dev/random", c"random"),
    (c"/dev/urandom", c"urandom"),
    (c"/dev/tty", c"tty"),
];
/// Links that programs expect there.
const LINKS: [(&CStr, &CStr); 6] = [
    (c"/proc/self/fd", c"fd"),
    (c"/proc/self/fd/0", c"stdin"),
    (c"/proc/self/fd/1", c"stdout"),
    (c"/proc/self/fd/2", c"stderr"),
    (c"/proc/kcore", c"core"),
    (c"pts/ptmx", c"ptmx"),
];

/// A place below the root that is built. A folder above it may be one that an agent wrote to, with links in it that lead
/// anywhere: until the root is ours, an absolute one would lead into that of the machine.
struct Place {
    whole: CString,
    above: CString,
    name: CString,
}

/// A part as system calls take it.
enum Step {
    Folder(Place),
    Link {
        target: CString,
        at: Place,
    },
    Shown {
        from: CString,
        at: Place,
        kind: Kind,
        forbids: Forbids,
    },
    Processes,
    Devices,
}

/// What is put in place for what is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Folder,
    File,
    /// It is there, in a folder that others may have written to: no link is followed.
    There,
}

/// The files of a sandbox, ready to be built.
pub(super) struct Tree(Vec<Step>);

/// What could not be done with which part.
pub(super) struct Failed<'a> {
    pub(super) what: &'a CStr,
    pub(super) why: Errno,
}

impl Tree {
    pub(super) fn of(parts: &[Part]) -> io::Result<Self> {
        parts.iter().map(step).collect::<io::Result<_>>().map(Self)
    }

    /// Builds it and makes it the root of this namespace, in which nothing else is left.
    pub(super) fn build(&self) -> std::result::Result<(), Failed<'_>> {
        let of = |what| move |why| Failed { what, why };
        let root = mounted(c"tmpfs", &[(c"mode", c"0755")], Forbids::DEVICES).map_err(of(c"/"))?;
        // It lies over the root, where only this descriptor leads; paths still begin at the root of before.
        put(&root, CWD, c"/").map_err(of(c"/"))?;
        for step in &self.0 {
            step.take(root.as_fd()).map_err(of(step.name()))?;
        }
        forbid(root.as_fd(), Forbids::CHANGES, false)
            .and_then(|()| fchdir(&root))
            .and_then(|()| pivot_root(c".", c"."))
            // The root of before lies over this one now, with all that is not shown.
            .and_then(|()| unmount(c".", UnmountFlags::DETACH))
            .and_then(|()| chdir(c"/"))
            .map_err(of(c"/"))
    }
}

fn step(part: &Part) -> io::Result<Step> {
    let text = |path: &Path| CString::new(path.as_os_str().as_bytes());
    let below = Place::of;
    Ok(match part {
        Part::Folder(at) => Step::Folder(below(at)?),
        Part::Link { target, at } => Step::Link {
            target: text(target)?,
            at: below(at)?,
        },
        Part::Shown {
            from,
            at,
            is_written,
        } => Step::Shown {
            from: text(from)?,
            at: below(at)?,
            kind: if from.is_dir() {
                Kind::Folder
            } else {
                Kind::File
            },
            forbids: if *is_written {
                Forbids::DEVICES
            } else {
                Forbids::CHANGES
            },
        },
        Part::Fixed { from, at } => Step::Shown {
            from: text(from)?,
            at: below(at)?,
            kind: Kind::There,
            forbids: Forbids::CHANGES,
        },
        Part::Processes => Step::Processes,
        Part::Devices => Step::Devices,
    })
}

impl Step {
    fn name(&self) -> &CStr {
        match self {
            Self::Folder(at) | Self::Link { at, .. } => &at.whole,
            Self::Shown { from, .. } => from,
            Self::Processes => c"/proc",
            Self::Devices => c"/dev",
        }
    }

    fn take(&self, root: BorrowedFd<'_>) -> Result<()> {
        match self {
            Self::Folder(at) => folder(at.folder_above(root)?.as_fd(), &at.name),
            Self::Link { target, at } => symlinkat(
                target.as_c_str(),
                at.folder_above(root)?,
                at.name.as_c_str(),
            ),
            Self::Shown {
                from,
                at,
                kind,
                forbids,
            } => {
                let tree = apart(CWD, from, *forbids)?;
                put(&tree, at.opened(root, *kind)?.as_fd(), c"")
            }
            Self::Processes => processes(root),
            Self::Devices => devices(root),
        }
    }
}

/// The processes of this namespace, whose settings can only be read.
fn processes(root: BorrowedFd<'_>) -> Result<()> {
    folder(root, c"proc")?;
    let all = mounted(c"proc", &[], Forbids::PROGRAMS)?;
    put(&all, root, c"proc")?;
    for name in SETTINGS {
        match apart(root, name, Forbids::SETTINGS) {
            // Not every kernel has all of them.
            Err(Errno::NOENT) => {}
            tree => put(&tree?, root, name)?,
        }
    }
    Ok(())
}

fn devices(root: BorrowedFd<'_>) -> Result<()> {
    folder(root, c"dev")?;
    let all = mounted(c"tmpfs", &[(c"mode", c"0755")], Forbids::DEVICES)?;
    put(&all, root, c"dev")?;
    let dev = all.as_fd();
    for (from, name) in DEVICES {
        let device = apart(CWD, from, Forbids::RIGHTS)?;
        file(dev, name)?;
        put(&device, dev, name)?;
    }
    for (target, name) in LINKS {
        symlinkat(target, dev, name)?;
    }
    folder(dev, c"shm")?;
    let shared = mounted(c"tmpfs", &[(c"mode", c"1777")], Forbids::DEVICES)?;
    put(&shared, dev, c"shm")?;
    folder(dev, c"pts")?;
    let options = [(c"ptmxmode", c"0666"), (c"mode", c"0620")];
    let terminals = mounted(c"devpts", &options, Forbids::TERMINALS)?;
    put(&terminals, dev, c"pts")?;
    forbid(dev, Forbids::CHANGES, false)
}

/// A fresh file system that is in no tree yet.
fn mounted(kind: &CStr, options: &[(&CStr, &CStr)], forbids: Forbids) -> Result<OwnedFd> {
    let made = fsopen(kind, FsOpenFlags::FSOPEN_CLOEXEC)?;
    for (name, value) in options {
        fsconfig_set_string(made.as_fd(), *name, *value)?;
    }
    fsconfig_create(made.as_fd())?;
    let mount = fsmount(
        made.as_fd(),
        FsMountFlags::FSMOUNT_CLOEXEC,
        MountAttrFlags::empty(),
    )?;
    forbid(mount.as_fd(), forbids, false)?;
    Ok(mount)
}

/// A copy of what is mounted at a place and below, in no tree yet.
fn apart(base: BorrowedFd<'_>, path: &CStr, forbids: Forbids) -> Result<OwnedFd> {
    let flags = OpenTreeFlags::OPEN_TREE_CLONE
        | OpenTreeFlags::OPEN_TREE_CLOEXEC
        | OpenTreeFlags::AT_RECURSIVE;
    let tree = open_tree(base, path, flags)?;
    forbid(tree.as_fd(), forbids, true)?;
    Ok(tree)
}

/// Puts a mount in its place.
fn put(mount: &OwnedFd, base: BorrowedFd<'_>, path: &CStr) -> Result<()> {
    let mut flags = MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH;
    if path.is_empty() {
        flags |= MoveMountFlags::MOVE_MOUNT_T_EMPTY_PATH;
    }
    move_mount(mount.as_fd(), c"", base, path, flags)
}

/// Makes a folder by its name alone.
fn folder(above: BorrowedFd<'_>, name: &CStr) -> Result<()> {
    match mkdirat(above, name, Mode::from_raw_mode(0o755)) {
        // A folder that is shown holds it.
        Err(Errno::EXIST) => Ok(()),
        made => made,
    }
}

/// Makes an empty file by its name alone.
fn file(above: BorrowedFd<'_>, name: &CStr) -> Result<()> {
    let mode = Mode::from_raw_mode(0o444);
    mknodat(above, name, FileType::RegularFile, mode, 0)
}

impl Place {
    fn of(path: &Path) -> io::Result<Self> {
        let text = |path: &Path| CString::new(path.as_os_str().as_bytes());
        let below = path.strip_prefix("/").unwrap_or(path);
        let above = below.parent().filter(|above| *above != Path::new(""));
        Ok(Self {
            whole: text(below)?,
            above: text(above.unwrap_or(Path::new(".")))?,
            name: text(Path::new(below.file_name().unwrap_or_default()))?,
        })
    }

    /// The folder that it is in; links lead nowhere but below the root.
    fn folder_above(&self, root: BorrowedFd<'_>) -> Result<OwnedFd> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        openat2(
            root,
            &self.above,
            flags,
            Mode::empty(),
            ResolveFlags::IN_ROOT,
        )
    }

    /// What is there, which is made where there is nothing.
    fn opened(&self, root: BorrowedFd<'_>, kind: Kind) -> Result<OwnedFd> {
        let mut resolve = ResolveFlags::IN_ROOT;
        if kind == Kind::There {
            resolve |= ResolveFlags::NO_SYMLINKS;
        }
        let flags = OFlags::PATH | OFlags::CLOEXEC;
        let open = || openat2(root, &self.whole, flags, Mode::empty(), resolve);
        match open() {
            Err(Errno::NOENT) if kind == Kind::Folder => {
                folder(self.folder_above(root)?.as_fd(), &self.name)?;
            }
            Err(Errno::NOENT) if kind == Kind::File => {
                file(self.folder_above(root)?.as_fd(), &self.name)?;
            }
            opened => return opened,
        }
        open()
    }
}

#[cfg(test)]
mod tests {
    use super::{Kind, Place, folder};
    use rustix::fd::AsFd;
    use std::fs::File;
    use std::os::unix::fs::symlink;
    use std::path::Path;

    /// An agent that knows where a tool will be shown plants a link there.
    #[test]
    fn a_link_in_the_middle_of_a_place_leads_nowhere_else() {
        let (outside, root) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        symlink(outside.path(), root.path().join("planted")).unwrap();
        let root_fd = File::open(root.path()).unwrap();
        for kind in [Kind::Folder, Kind::File, Kind::There] {
            let place = Place::of(Path::new("/planted/tool")).unwrap();
            assert!(place.opened(root_fd.as_fd(), kind).is_err());
            assert!(place.folder_above(root_fd.as_fd()).is_err());
        }
        assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 0);
    }

    #[test]
    fn places_are_made_where_they_belong() {
        let root = tempfile::tempdir().unwrap();
        let root_fd = File::open(root.path()).unwrap();
        let made = |path: &str, kind| {
            let place = Place::of(Path::new(path)).unwrap();
            place.opened(root_fd.as_fd(), kind).unwrap();
        };
        made("/opt", Kind::Folder);
        made("/opt/tool", Kind::File);
        let place = Place::of(Path::new("/opt/more")).unwrap();
        let above = place.folder_above(root_fd.as_fd()).unwrap();
        folder(above.as_fd(), &place.name).unwrap();
        folder(above.as_fd(), &place.name).unwrap();
        assert!(root.path().join("opt/tool").is_file());
        assert!(root.path().join("opt/more").is_dir());
    }
}
