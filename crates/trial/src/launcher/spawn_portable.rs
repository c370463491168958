//! Starts a program on systems without `clone` and process descriptors, by what `std` offers.
//!
//! A child's end is told by a pipe that a small thread closes when the child has ended (without reaping it).
#![allow(
    unsafe_code,
    reason = "rlimits must be set between fork and exec, and waitid has no safe form"
)]

use super::child::{Child, ChildFiles, NO_COMMAND, StepError, whole};
use super::line::Waiting;
use crate::inner::Inner;
use crate::wire::{Launch, RUN_THE_PROGRAM};
use crate::words::Words;
use std::io;
use std::os::fd::BorrowedFd;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

/// Everything a child needs.
pub(super) struct Prepared<'a> {
    program: &'a str,
    launch: &'a Launch,
    inherited: &'a Words,
    rlimits: Vec<(u32, u64, u64)>,
}

/// Nothing is shared with the child here.
pub(super) struct ChildStack;

impl ChildStack {
    /// Nothing to reserve.
    pub(super) fn new() -> Self {
        Self
    }
}

impl<'a> Prepared<'a> {
    /// Looks at a command; a NUL inside any part is refused. `std` looks the program up in the child's own `PATH`.
    pub(super) fn new(
        order: &'a Waiting,
        rlimits: &[(u32, u64, u64)],
        _inner: &'static [Inner],
    ) -> Result<Self, StepError> {
        let Waiting {
            launch, inherited, ..
        } = order;
        for words in [&launch.argv, &launch.env, &launch.workdir, inherited] {
            whole(words)?;
        }
        Ok(Self {
            program: launch.argv.texts().next().ok_or(NO_COMMAND)?,
            launch,
            inherited,
            rlimits: rlimits.to_vec(),
        })
    }
}

/// Starts the program as the leader of a new process group.
pub(super) fn spawn(
    prepared: &Prepared<'_>,
    files: &ChildFiles<'_>,
    _stack: &mut ChildStack,
) -> Result<Child, StepError> {
    let failed = |step: &'static str| {
        move |error: io::Error| StepError {
            step: step.into(),
            errno: error.raw_os_error().unwrap_or(0),
        }
    };
    let copy = |file: BorrowedFd<'_>| file.try_clone_to_owned().map(Stdio::from);
    let connect = failed("connect standard input and output");
    let launch = prepared.launch;
    let mut command = Command::new(prepared.program);
    command
        .args(launch.argv.texts().skip(1))
        .env_clear()
        .current_dir(launch.workdir.texts().next().unwrap_or("/"))
        .process_group(0);
    let variables = prepared.inherited.texts().chain(launch.env.texts());
    command.envs(variables.filter_map(|entry| entry.split_once('=')));
    command.stdin(copy(files.stdin).map_err(connect)?);
    command.stdout(copy(files.stdout).map_err(connect)?);
    command.stderr(copy(files.stderr).map_err(connect)?);
    debug_assert!(files.cgroups.is_empty(), "no control groups on this system");
    let rlimits = prepared.rlimits.clone();
    // SAFETY: the closure only makes setrlimit calls on values it owns.
    unsafe {
        command.pre_exec(move || {
            for (resource, soft, hard) in &rlimits {
                let limit = libc::rlimit {
                    rlim_cur: *soft,
                    rlim_max: *hard,
                };
                if libc::setrlimit(*resource as _, &raw const limit) != 0 {
                    return Err(io::Error::last_os_error());
                }
            }
            Ok(())
        });
    }
    let child = command.spawn().map_err(failed(RUN_THE_PROGRAM))?;
    let pid = child.id() as i32;
    let (read, write) = io::pipe().map_err(failed("make a pipe"))?;
    std::thread::spawn(move || {
        // SAFETY: `siginfo_t` is plain data; the pointer is to a live local.
        unsafe {
            let mut info: libc::siginfo_t = std::mem::zeroed();
            libc::waitid(
                libc::P_PID,
                pid as _,
                &raw mut info,
                libc::WEXITED | libc::WNOWAIT,
            );
        }
        drop(write);
    });
    Ok(Child {
        pid,
        ended: read.into(),
    })
}
