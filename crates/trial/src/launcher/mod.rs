//! The launcher: a process with almost no memory of its own that starts one program at a time and reaps it.
//!
//! It exists because a child inherits its parent's resident size into `ru_maxrss`, and because everything that a trial
//! leaves behind becomes a child of the launcher, where it can be found and ended. When the runner dies, the socket
//! closes and the launcher ends its program; when the launcher dies, the kernel ends the program.

mod child;
mod files;
#[cfg(target_os = "linux")]
mod fork;
mod output;
mod reap;
#[cfg(target_os = "linux")]
mod spawn;
#[cfg(not(target_os = "linux"))]
#[path = "spawn_portable.rs"]
mod spawn;
mod supervise;

use crate::inner::Inner;
use crate::limits::Backend;
use crate::wire::{self, Ended, Launch, Order, Report};
use output::EmptyFile;
use spawn::ChildStack;
use std::ffi::CString;
use std::io;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;

/// What a launcher keeps between programs.
pub(crate) struct Launcher {
    socket: UnixStream,
    scratch: Vec<u8>,
    stack: ChildStack,
    backend: Option<Backend>,
    empty: Option<EmptyFile>,
    null: std::fs::File,
    read_buffer: Vec<u8>,
    started: u64,
    /// What programs inherit, as the runner last said.
    inherited: Vec<CString>,
    /// What this binary can be without being started anew.
    inner: &'static [Inner],
}

/// Serves the runner at the other end of `socket` until that is gone. Trials whose program is one of `inner` are run by
/// a copy of this process, which must have one thread only.
pub fn serve(socket: UnixStream, inner: &'static [Inner]) -> io::Result<()> {
    reap::adopt_orphans();
    reap::outlive_signals();
    let mut launcher = Launcher {
        socket,
        scratch: Vec::new(),
        stack: ChildStack::new(),
        backend: None,
        empty: None,
        null: std::fs::File::open("/dev/null")?,
        read_buffer: vec![0; 64 * 1024],
        started: 0,
        inherited: Vec::new(),
        inner,
    };
    while let Some(order) = launcher.next_order()? {
        // A kill that crossed the end of the program has nothing left to do.
        let Order::Run(launch) = order else { continue };
        let ended = launcher.run(&launch);
        match ended {
            Ok(ended) => launcher.report(&Report::Ended(Box::new(ended)))?,
            Err(RunnerGone) => return Ok(()),
        }
    }
    Ok(())
}

/// The runner's end of the socket is closed: there is nobody to report to.
#[derive(Debug, Clone, Copy)]
struct RunnerGone;

impl Launcher {
    fn next_order(&mut self) -> io::Result<Option<Order>> {
        wire::receive(&self.socket, &mut self.scratch)
    }

    fn report(&mut self, report: &Report) -> io::Result<()> {
        wire::send(&self.socket, report, &mut self.scratch)
    }

    /// Runs one program to its end.
    fn run(&mut self, launch: &Launch) -> Result<Ended, RunnerGone> {
        self.started += 1;
        if self.empty.is_none() {
            let parent = PathBuf::from(&launch.dir)
                .parent()
                .map(PathBuf::from)
                .unwrap_or_default();
            self.empty = Some(EmptyFile::at(
                parent.join(format!(".empty-{}", std::process::id())),
            ));
        }
        match files::prepare(launch, self) {
            Ok(ready) => supervise::run(self, launch, ready),
            Err(failure) => Ok(Ended {
                failure: Some(failure),
                ..Ended::default()
            }),
        }
    }

    /// The machine's offer for limits, looked at once and only where a trial has limits.
    fn backend(&mut self) -> &Backend {
        self.backend.get_or_insert_with(Backend::probe)
    }
}
