//! Who says that a child has ended: one descriptor for all of them. One for each child, as newer kernels offer, costs as
//! much and does not exist on the older ones that clusters have.
#![allow(
    unsafe_code,
    reason = "signal masks and signalfd have no safe form in std"
)]

use super::child::Child;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd, FromRawFd};

/// Becomes readable when a child ends. Also when an orphan of a trial does, or a child stops: who is told looks.
pub(super) struct Exits(File);

impl Exits {
    /// From now on. This process must have one thread only: another one would be told instead. A child must be given
    /// its signals back before it is a program.
    pub(super) fn watch() -> io::Result<Self> {
        // SAFETY: the set is plain data that lives through the calls; a descriptor that is made is nobody else's.
        unsafe {
            // Who starts this program may ignore the ends of children; then nobody could ask how they ended.
            libc::signal(libc::SIGCHLD, libc::SIG_DFL);
            let mut ends: libc::sigset_t = std::mem::zeroed();
            libc::sigemptyset(&raw mut ends);
            libc::sigaddset(&raw mut ends, libc::SIGCHLD);
            if libc::sigprocmask(libc::SIG_BLOCK, &raw const ends, std::ptr::null_mut()) != 0 {
                return Err(io::Error::last_os_error());
            }
            let flags = libc::SFD_CLOEXEC | libc::SFD_NONBLOCK;
            match libc::signalfd(-1, &raw const ends, flags) {
                ..0 => Err(io::Error::last_os_error()),
                file => Ok(Self(File::from_raw_fd(file))),
            }
        }
    }

    /// What to wait for.
    pub(super) fn readable<'a>(&'a self, _child: &'a Child) -> BorrowedFd<'a> {
        self.0.as_fd()
    }

    /// Takes the news, so that the next wait is for something new. To be called before the look at the child.
    pub(super) fn heard(&self) {
        // However many ended, the kernel keeps one of them.
        let mut news = [0; size_of::<libc::signalfd_siginfo>()];
        let _ = (&self.0).read(&mut news);
    }
}
