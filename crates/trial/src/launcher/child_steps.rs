//! What a new process does before it becomes its program, and what it needs for that.
#![allow(
    unsafe_code,
    reason = "process groups, rlimits and signals have no safe form that keeps the order of calls we need"
)]

use super::child::StepError;
use std::borrow::Cow;
use std::io;
use std::os::fd::RawFd;

impl StepError {
    /// From the last error of the system.
    pub(super) fn last(step: &'static str) -> Self {
        Self {
            step: Cow::Borrowed(step),
            errno: io::Error::last_os_error().raw_os_error().unwrap_or(0),
        }
    }
}

/// Pointers for exec and the place for the child's error, shared through the one address space.
pub(super) struct Shared {
    pub(super) program: *const libc::c_char,
    pub(super) argv: Vec<*const libc::c_char>,
    pub(super) env: Vec<*const libc::c_char>,
    pub(super) workdir: *const libc::c_char,
    pub(super) rlimits: *const (u32, u64, u64),
    pub(super) rlimit_count: usize,
    pub(super) files: [RawFd; 3],
    pub(super) cgroups: Vec<RawFd>,
    pub(super) failed: Option<StepError>,
}

/// Does what comes before a program; gives the step that failed.
pub(super) unsafe fn child_steps(shared: &Shared) -> Result<(), &'static str> {
    // SAFETY: every pointer was prepared by `spawn` and is NUL-terminated.
    unsafe {
        if libc::setpgid(0, 0) != 0 {
            return Err("make a process group");
        }
        if libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) != 0 {
            return Err("tie the process to its launcher");
        }
        for cgroup in &shared.cgroups {
            if libc::write(*cgroup, c"0".as_ptr().cast(), 1) != 1 {
                return Err("enter the control group");
            }
        }
        for (place, file) in (0..).zip(shared.files) {
            if libc::dup2(file, place) < 0 {
                return Err("connect standard input and output");
            }
        }
        for place in 0..shared.rlimit_count {
            let (resource, soft, hard) = *shared.rlimits.add(place);
            let limit = libc::rlimit {
                rlim_cur: soft,
                rlim_max: hard,
            };
            // Its type is another one with musl.
            if libc::setrlimit(resource as _, &raw const limit) != 0 {
                return Err("set a resource limit");
            }
        }
        if libc::chdir(shared.workdir) != 0 {
            return Err("enter the working directory");
        }
        reset_signals();
    }
    Ok(())
}

/// Gives the child the default handling of signals: Rust ignores SIGPIPE, and that would be inherited.
unsafe fn reset_signals() {
    // SAFETY: plain system calls on local values.
    unsafe {
        for signal in [
            libc::SIGPIPE,
            libc::SIGINT,
            libc::SIGTERM,
            libc::SIGHUP,
            libc::SIGUSR1,
        ] {
            libc::signal(signal, libc::SIG_DFL);
        }
        let mut none: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut none);
        libc::sigprocmask(libc::SIG_SETMASK, &raw const none, std::ptr::null_mut());
    }
}
