//! The launcher: a process with almost no memory of its own that starts one program at a time and reaps it.
//!
//! It exists because a child inherits its parent's resident size into `ru_maxrss`, and because everything that a trial
//! leaves behind becomes a child of the launcher, where it can be found and ended. When the runner dies, the socket
//! closes and the launcher ends its program; when the launcher dies, the kernel ends the program.

mod child;
#[cfg(target_os = "linux")]
mod child_steps;
#[cfg_attr(not(target_os = "linux"), path = "counters_portable.rs")]
mod counters;
#[cfg(target_os = "linux")]
mod exits;
#[cfg(not(target_os = "linux"))]
#[path = "exits_portable.rs"]
mod exits;
mod files;
mod folder;
#[cfg(target_os = "linux")]
mod fork;
mod line;
mod output;
mod quiet;
mod reap;
#[cfg(target_os = "linux")]
mod spawn;
#[cfg(not(target_os = "linux"))]
#[path = "spawn_portable.rs"]
mod spawn;
mod state;
mod supervise;

use crate::inner::Inner;
use crate::wire::{Ended, Killed, Launch};
pub use counters::cannot_count;
use state::{Launcher, RunnerGone};
pub use supervise::HOLD;

use counters::Counters;
use exits::Exits;
use line::{Line, Waiting};
use spawn::ChildStack;
use std::fs::File;
use std::io;
use std::os::unix::net::UnixStream;
use std::time::Instant;

/// Serves the runner at the other end of `socket` until that is gone. Trials whose program is one of `inner` are run by
/// a copy of this process, which must have one thread only.
pub fn serve(socket: UnixStream, inner: &'static [Inner]) -> io::Result<()> {
    reap::adopt_orphans();
    reap::outlive_signals();
    let mut launcher = Launcher {
        line: Line::new(socket),
        exits: Exits::watch()?,
        stack: ChildStack::new(),
        backend: None,
        folder: None,
        null: File::options().read(true).write(true).open("/dev/null")?,
        read_buffer: vec![0; 64 * 1024],
        started: 0,
        peak: 0,
        quiet: fairtrial_model::Quiet::default(),
        counters: Counters::default(),
        inner,
    };
    while let Some(next) = launcher.line.next()? {
        let ended = if next.cancelled {
            Ok(launcher.leave_out(&next.launch))
        } else {
            launcher.run(&next)
        };
        match ended {
            Ok(ended) => {
                let timed = next.launch.timed.as_ref();
                let together = timed.is_some_and(|timed| timed.together);
                launcher.line.ended(ended, together)?;
            }
            Err(RunnerGone) => return Ok(()),
        }
    }
    Ok(())
}

impl Launcher {
    /// Runs one program to its end.
    fn run(&mut self, order: &Waiting) -> Result<Ended, RunnerGone> {
        self.started += 1;
        let began = Instant::now();
        let mut ended = match files::prepare(&order.launch, self) {
            Ok(ready) => supervise::run(self, order, ready, began)?,
            Err(failure) => failure.into(),
        };
        ended.busy_ns = began.elapsed().as_nanos() as u64;
        Ok(ended)
    }

    /// A program that was cancelled before its turn came has a directory, and nothing else.
    fn leave_out(&mut self, launch: &Launch) -> Ended {
        let furnished = files::prepare(launch, self).and_then(|_| {
            if launch.holds() {
                files::furnish_dir(launch, self)
            } else {
                Ok(())
            }
        });
        match furnished {
            Ok(()) => Ended {
                killed: Some(Killed::Asked),
                ..Ended::default()
            },
            Err(failure) => failure.into(),
        }
    }
}
