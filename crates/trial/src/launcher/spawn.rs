//! Starts a program: the one place in Fairtrial that forks.
//!
//! Between fork and exec only async-signal-safe calls are allowed, and the child shares the launcher's memory until
//! exec (`CLONE_VM | CLONE_VFORK`: no page tables are copied, which is most of the cost of a fork). That is what needs
//! `unsafe` here: everything the child touches is prepared before, and the parent sleeps until exec or exit.
#![allow(
    unsafe_code,
    reason = "fork, exec and rlimits have no safe form that keeps the order of calls we need"
)]

use super::child::{Child, ChildFiles, NO_COMMAND, StepError, whole};
use super::child_steps::{Shared, child_steps};
use super::fork;
use super::line::Waiting;
use crate::inner::Inner;
use crate::wire::{Launch, RUN_THE_PROGRAM};
use crate::words::Words;
use std::borrow::Cow;
use std::ffi::{CStr, CString};
use std::os::fd::AsRawFd;

/// Everything a child needs, in the form that system calls take.
pub(super) struct Prepared<'a> {
    program: Cow<'a, CStr>,
    launch: &'a Launch,
    inherited: &'a Words,
    workdir: &'a CStr,
    /// `setrlimit` calls: resource, soft, hard.
    rlimits: &'a [(u32, u64, u64)],
    /// The program of our own that this is, with its arguments.
    inner: Option<(&'static Inner, Vec<String>)>,
}

impl<'a> Prepared<'a> {
    /// Looks at a command: its program is found, and a NUL inside any part refused.
    pub(super) fn new(
        order: &'a Waiting,
        rlimits: &'a [(u32, u64, u64)],
        inner: &'static [Inner],
    ) -> Result<Self, StepError> {
        let Waiting {
            launch, inherited, ..
        } = order;
        let program = whole(&launch.argv)?.terminated().next();
        let program = program.ok_or(NO_COMMAND)?;
        let variables = whole(&launch.env)?.terminated();
        let variables = variables.chain(whole(inherited)?.terminated());
        let found = find_program(program, variables);
        let called = || {
            let command: Vec<String> = launch.argv.texts().map(str::to_owned).collect();
            Inner::called(inner, &command).map(|(inner, arguments)| (inner, arguments.to_vec()))
        };
        Ok(Self {
            program: found.map_or(Cow::Borrowed(program), Cow::Owned),
            launch,
            inherited,
            workdir: whole(&launch.workdir)?.terminated().next().unwrap_or(c"/"),
            rlimits,
            // Counters begin when a program is executed, which a mere copy of this process never does.
            inner: (launch.own && launch.counters.is_empty())
                .then(called)
                .flatten(),
        })
    }
}

/// Finds a program without a slash through the child's own `PATH`; what is not found is left for exec to refuse.
fn find_program<'a>(
    program: &CStr,
    mut variables: impl Iterator<Item = &'a CStr>,
) -> Option<CString> {
    let name = program.to_bytes();
    if name.contains(&b'/') || name.is_empty() {
        return None;
    }
    let path = variables.find_map(|entry| entry.to_bytes().strip_prefix(b"PATH="));
    let path = path.unwrap_or(b"/usr/local/bin:/usr/bin:/bin");
    path.split(|byte| *byte == b':').find_map(|folder| {
        let mut full = folder.to_vec();
        if !full.is_empty() {
            full.push(b'/');
        }
        full.extend_from_slice(name);
        let full = CString::new(full).ok()?;
        // SAFETY: `full` is a NUL-terminated string that outlives the call.
        (unsafe { libc::access(full.as_ptr(), libc::X_OK) } == 0).then_some(full)
    })
}

const STACK_BYTES: usize = 256 * 1024;

/// Stack for the child between clone and exec, made once.
pub(super) struct ChildStack(Vec<u128>);

impl ChildStack {
    /// Reserves it.
    pub(super) fn new() -> Self {
        Self(vec![0; STACK_BYTES / size_of::<u128>()])
    }

    fn top(&mut self) -> *mut libc::c_void {
        self.0.as_mut_ptr_range().end.cast()
    }
}

/// Starts the program as the leader of a new process group; it dies with its launcher.
pub(super) fn spawn(
    prepared: &Prepared<'_>,
    files: &ChildFiles<'_>,
    stack: &mut ChildStack,
) -> Result<Child, StepError> {
    let launch = prepared.launch;
    let inherited = prepared.inherited.terminated();
    let mut shared = Shared {
        program: prepared.program.as_ptr(),
        argv: pointers(launch.argv.terminated()),
        env: pointers(inherited.chain(launch.env.terminated())),
        workdir: prepared.workdir.as_ptr(),
        rlimits: prepared.rlimits.as_ptr(),
        rlimit_count: prepared.rlimits.len(),
        files: [
            files.stdin.as_raw_fd(),
            files.stdout.as_raw_fd(),
            files.stderr.as_raw_fd(),
        ],
        cgroups: files.cgroups.iter().map(AsRawFd::as_raw_fd).collect(),
        failed: None,
    };
    if let Some((inner, arguments)) = &prepared.inner {
        return fork::fork(inner, arguments, &shared);
    }
    let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
    // SAFETY: the child runs `child_main` on its own stack; CLONE_VFORK suspends this (only) thread until the child
    // has replaced its memory or ended, so `shared`, `prepared` and the stack outlive its use of them.
    let pid = unsafe { libc::clone(child_main, stack.top(), flags, (&raw mut shared).cast()) };
    if pid < 0 {
        return Err(StepError::last("start a process"));
    }
    if let Some(failed) = shared.failed {
        // SAFETY: waits for the child that just ended itself; no pointer is kept.
        unsafe { libc::waitpid(pid, std::ptr::null_mut(), 0) };
        return Err(failed);
    }
    Ok(Child { pid })
}

/// A list as exec takes it.
fn pointers<'a>(words: impl Iterator<Item = &'a CStr>) -> Vec<*const libc::c_char> {
    let words = words.map(CStr::as_ptr);
    words.chain([std::ptr::null()]).collect()
}

/// Runs in the child. Only async-signal-safe calls, no allocation, no panic.
extern "C" fn child_main(arg: *mut libc::c_void) -> libc::c_int {
    // SAFETY: `arg` is the `Shared` of `spawn`, which sleeps until this function ends or execs.
    let shared = unsafe { &mut *arg.cast::<Shared>() };
    // SAFETY: plain system calls on values that live in `shared`.
    let step = unsafe { start_steps(shared) };
    shared.failed = Some(StepError::last(step));
    // SAFETY: ends only the child, without running the launcher's exit handlers.
    unsafe { libc::_exit(127) }
}

/// Does every step and execs; returns the step that failed.
unsafe fn start_steps(shared: &Shared) -> &'static str {
    // SAFETY: see `child_main`; every pointer was prepared by `spawn` and is NUL-terminated.
    unsafe {
        if let Err(step) = child_steps(shared) {
            return step;
        }
        libc::execve(shared.program, shared.argv.as_ptr(), shared.env.as_ptr());
    }
    RUN_THE_PROGRAM
}
