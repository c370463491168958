//! Calls of the kernel that have no safe form elsewhere. All of them may be made in a copy of a process that has not
//! become another program yet: none allocates, none takes a lock.
#![allow(
    unsafe_code,
    reason = "clone, seccomp, mount_setattr and execveat have no safe form in rustix or std"
)]

use rustix::fd::{AsFd, AsRawFd, BorrowedFd};
use rustix::io::{Errno, Result};
use rustix::process::Pid;
use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;

/// What a mount forbids.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Forbids(u64);

impl Forbids {
    /// That a program gets rights by its owner.
    pub(super) const RIGHTS: Self = Self(libc::MOUNT_ATTR_NOSUID);
    /// That, and programs.
    pub(super) const TERMINALS: Self = Self(Self::RIGHTS.0 | libc::MOUNT_ATTR_NOEXEC);
    /// That, and devices.
    pub(super) const DEVICES: Self = Self(Self::RIGHTS.0 | libc::MOUNT_ATTR_NODEV);
    /// That, devices and programs.
    pub(super) const PROGRAMS: Self = Self(Self::DEVICES.0 | libc::MOUNT_ATTR_NOEXEC);
    /// All of that, and changes.
    pub(super) const SETTINGS: Self = Self(Self::PROGRAMS.0 | libc::MOUNT_ATTR_RDONLY);
    /// That, devices and changes.
    pub(super) const CHANGES: Self = Self(Self::DEVICES.0 | libc::MOUNT_ATTR_RDONLY);
}

/// What the kernel answers, with its error.
fn answer(said: libc::c_long) -> Result<libc::c_long> {
    if said == -1 {
        let error = io::Error::last_os_error();
        return Err(Errno::from_io_error(&error).unwrap_or(Errno::IO));
    }
    Ok(said)
}

/// Lets a fresh copy of this process do something before it becomes the program: only what may be done after a fork.
pub(super) fn before_start(
    command: &mut Command,
    act: impl FnMut() -> io::Result<()> + Send + Sync + 'static,
) {
    // SAFETY: whoever calls sees to it that `act` neither allocates nor takes a lock.
    unsafe { command.pre_exec(act) };
}

/// Signals do what they do to any program: what this process does with them is not for its copies.
pub(super) fn default_signals() {
    for signal in [libc::SIGTERM, libc::SIGINT, libc::SIGHUP, libc::SIGCHLD] {
        // SAFETY: a call with numbers alone.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
}

/// Copies this process, which has one thread, into namespaces of its own; absent in the copy. No page is shared.
pub(super) fn copy(namespaces: libc::c_int) -> Result<Option<Pid>> {
    let flags = libc::c_long::from(namespaces | libc::SIGCHLD);
    let none: libc::c_long = 0;
    // SAFETY: without a stack of its own the copy goes on here, as after a fork.
    let said = unsafe { libc::syscall(libc::SYS_clone, flags, none, none, none, none) };
    Ok(Pid::from_raw(answer(said)? as i32))
}

/// Forbids something to a mount, and to all below it where that is asked for; nothing is told to other namespaces.
pub(super) fn forbid(mount: BorrowedFd<'_>, what: Forbids, is_deep: bool) -> Result<()> {
    let mut asked = libc::mount_attr {
        attr_set: what.0,
        attr_clr: 0,
        propagation: libc::MS_PRIVATE,
        userns_fd: 0,
    };
    let deep = if is_deep { libc::AT_RECURSIVE } else { 0 };
    // SAFETY: the pointers are to a text that ends and to a structure of the length that is told.
    let said = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            mount.as_raw_fd(),
            c"".as_ptr(),
            libc::AT_EMPTY_PATH | deep,
            &raw mut asked,
            size_of::<libc::mount_attr>(),
        )
    };
    answer(said).map(drop)
}

/// No program that is started later can have these rights.
pub(super) fn drop_bounding_set() -> Result<()> {
    let none: libc::c_ulong = 0;
    for right in 0..64 as libc::c_ulong {
        // SAFETY: a call with numbers alone.
        match answer(unsafe { libc::prctl(libc::PR_CAPBSET_DROP, right, none, none, none) }.into())
        {
            // There are no more.
            Err(Errno::INVAL) if right > 0 => return Ok(()),
            other => other?,
        };
    }
    Ok(())
}

/// Filters every call from now on, also of what is started later.
pub(super) fn filter(steps: &[libc::sock_filter]) -> Result<()> {
    let program = libc::sock_fprog {
        len: steps.len() as libc::c_ushort,
        filter: steps.as_ptr().cast_mut(),
    };
    let mode = libc::SECCOMP_SET_MODE_FILTER;
    // SAFETY: the kernel copies the steps, whose number is told, and changes none.
    answer(unsafe { libc::syscall(libc::SYS_seccomp, mode, 0, &raw const program) }).map(drop)
}

/// Becomes the program in a file, with nothing but its name; comes back only with an error.
pub(super) fn become_program(file: BorrowedFd<'_>) -> Errno {
    let words = [c"first".as_ptr(), std::ptr::null()];
    let none = [std::ptr::null::<libc::c_char>()];
    // SAFETY: both lists end with a null, and what they point to lives as long as the program.
    let said = unsafe {
        libc::syscall(
            libc::SYS_execveat,
            file.as_raw_fd(),
            c"".as_ptr(),
            words.as_ptr(),
            none.as_ptr(),
            libc::AT_EMPTY_PATH,
        )
    };
    answer(said).err().unwrap_or(Errno::IO)
}

/// Lets go of every file.
pub(super) fn close_all() -> Result<()> {
    close_range(0, 0)
}

/// Lets go of every file when a program is started; the usual three stay where they are wanted.
pub(super) fn close_on_exec(first: libc::c_uint) -> Result<()> {
    close_range(first, libc::CLOSE_RANGE_CLOEXEC)
}

fn close_range(first: libc::c_uint, flags: libc::c_uint) -> Result<()> {
    // SAFETY: whoever calls uses none of these files any more.
    answer(unsafe { libc::syscall(libc::SYS_close_range, first, libc::c_uint::MAX, flags) })
        .map(drop)
}

/// Keeps word of ended children until it is asked for.
pub(super) fn block_word_of_children() -> Result<()> {
    // SAFETY: the set is on our stack, and made empty before it is used.
    answer(
        unsafe {
            let mut set = std::mem::zeroed();
            libc::sigemptyset(&raw mut set);
            libc::sigaddset(&raw mut set, libc::SIGCHLD);
            libc::sigprocmask(libc::SIG_SETMASK, &raw const set, std::ptr::null_mut())
        }
        .into(),
    )
    .map(drop)
}

/// Lets programs of this network talk to each other.
pub(super) fn raise_loopback(socket: impl AsFd) -> Result<()> {
    // SAFETY: all zeros is a request, whose name is cut and ended below; the kernel reads it and writes back into it.
    answer(
        unsafe {
            let mut request: libc::ifreq = std::mem::zeroed();
            for (place, letter) in request.ifr_name.iter_mut().zip(*b"lo") {
                *place = letter as libc::c_char;
            }
            request.ifr_ifru.ifru_flags = (libc::IFF_UP | libc::IFF_RUNNING) as libc::c_short;
            let socket = socket.as_fd().as_raw_fd();
            libc::ioctl(socket, libc::SIOCSIFFLAGS as _, &raw mut request)
        }
        .into(),
    )
    .map(drop)
}

/// Ends this process, without anything that ours would do at its end.
pub(super) fn end(code: i32) -> ! {
    // SAFETY: does not come back.
    unsafe { libc::_exit(code) }
}
