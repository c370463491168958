//! Becomes one of the binary's own programs by forking the launcher, instead of starting the binary anew.
//!
//! Loading and relocating the whole binary costs more than most of what a driver does; a fork of the small launcher has
//! that behind it. It is safe because the launcher has one thread: the copy may do whatever a fresh process may.
#![allow(
    unsafe_code,
    clippy::exit,
    reason = "fork and the list of variables have no safe form in std; the copy ends itself, not the launcher"
)]

use super::child::{Child, StepError};
use super::child_steps::{Shared, child_steps};
use crate::inner::Inner;
use std::borrow::Cow;
use std::io::{self, PipeReader, PipeWriter, Read, Write};

unsafe extern "C" {
    static mut environ: *const *const libc::c_char;
}

/// How a program of our own that panics ends, as it would on its own.
const PANICKED: u8 = 101;

/// Starts `inner` with `arguments` in a copy of this process.
pub(super) fn fork(
    inner: &Inner,
    arguments: &[String],
    shared: &Shared,
) -> Result<Child, StepError> {
    let (read, write) = io::pipe().map_err(|error| StepError {
        step: Cow::Borrowed("make a pipe"),
        errno: error.raw_os_error().unwrap_or(0),
    })?;
    // SAFETY: this process has one thread, so the child may go on as any process.
    let pid = unsafe { libc::fork() };
    if pid < 0 {
        return Err(StepError::last("start a process"));
    }
    if pid == 0 {
        drop(read);
        become_inner(inner, arguments, shared, write);
    }
    drop(write);
    if let Some(failed) = failure(read) {
        // SAFETY: waits for the child that just ended itself; no pointer is kept.
        unsafe { libc::waitpid(pid, std::ptr::null_mut(), 0) };
        return Err(failed);
    }
    Ok(Child { pid })
}

/// The child: takes the steps that every program takes before it starts, and is then that program.
fn become_inner(inner: &Inner, arguments: &[String], shared: &Shared, mut say: PipeWriter) -> ! {
    // SAFETY: the pointers of `shared` are into memory that this process has its own copy of.
    if let Err(step) = unsafe { child_steps(shared) } {
        let StepError { step, errno } = StepError::last(step);
        let _ = say.write_all(&errno.to_le_bytes());
        let _ = say.write_all(step.as_bytes());
        std::process::exit(127);
    }
    // SAFETY: the list ends with a null and lives as long as this process; no other thread reads it. A fresh Rust program
    // ignores SIGPIPE, so this one does. Nothing is used any more of what is closed, and nothing of it is dropped.
    unsafe {
        environ = shared.env.as_ptr();
        libc::signal(libc::SIGPIPE, libc::SIG_IGN);
        // What `ps` and `top` show: this is no launcher any more.
        let mut name = [0u8; 16];
        for (place, byte) in name.iter_mut().take(15).zip(inner.name.bytes()) {
            *place = byte;
        }
        libc::prctl(libc::PR_SET_NAME, name.as_ptr());
        std::mem::forget(say);
        close_all_but_standard();
    }
    let ended = std::panic::catch_unwind(|| (inner.main)(arguments));
    std::process::exit(ended.unwrap_or(PANICKED).into())
}

/// Closes what exec would have closed: the socket to the runner above all. The end of the pipe that goes with it says
/// that all steps went well.
unsafe fn close_all_but_standard() {
    // SAFETY: see the caller.
    unsafe {
        if libc::syscall(libc::SYS_close_range, 3, libc::c_uint::MAX, 0) == 0 {
            return;
        }
        // Kernels before 5.9.
        let most = libc::sysconf(libc::_SC_OPEN_MAX).clamp(256, 65_536);
        for file in 3..most as i32 {
            libc::close(file);
        }
    }
}

/// What the child could not do; absent when it has become its program.
fn failure(mut read: PipeReader) -> Option<StepError> {
    let mut said = Vec::new();
    read.read_to_end(&mut said).ok()?;
    let (errno, step) = said.split_first_chunk()?;
    Some(StepError {
        step: Cow::Owned(String::from_utf8_lossy(step).into_owned()),
        errno: i32::from_le_bytes(*errno),
    })
}
