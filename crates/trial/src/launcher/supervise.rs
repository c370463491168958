//! Watches one program from start to end: output, time, orders of the runner, and what it leaves behind.

mod ending;

use super::child::{Child, ChildFiles, StepError};
use super::files::{self, Ready};
use super::line::{Heard, Waiting};
use super::output::{self, Log};
use super::reap::{self, Reaped, Usage};
use super::spawn::{self, Prepared};
use super::state::{Launcher, RunnerGone};
use crate::limits::{self, Applied};
use crate::wire::{Ended, Killed, Launch, LaunchFailure, LaunchLimits, monotonic_ns};
use fairtrial_process::cgroup::Group;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::fs::File;
use std::os::fd::{AsFd, OwnedFd};
use std::time::{Duration, Instant};

/// How often the CPU time of a whole trial is looked at, where it has a limit and a group to ask.
const CPU_LOOK: Duration = Duration::from_millis(100);

/// How long a trial may take, with what comes before and after its program, before its launcher returns what waits
/// behind it: who hands over more than so much time's worth gets it back.
pub const HOLD: Duration = Duration::from_millis(20);

/// Bytes of a stream that are held in memory at most.
const MOST_HELD: usize = 32 << 10;

/// From here on it is worth knowing how long a program waited for a CPU.
const DELAY_FROM: Duration = Duration::from_millis(5);

/// A program under watch.
struct Watch<'a> {
    launch: &'a Launch,
    child: Child,
    /// When the launcher began with it.
    began: Instant,
    started: Instant,
    applied: Applied,
    pipes: [Option<File>; 2],
    /// The child's ends of the pipes. Held, so that a program that closes its own as it ends wakes nobody: its end is
    /// news enough, and everything that could still write has ended when the logs are completed.
    _write: [Option<OwnedFd>; 2],
    logs: [Log<'a>; 2],
    /// Whether its directory is bare yet, and its logs are held.
    holds: bool,
    /// Why its logs could not be written.
    log_failure: Option<String>,
    killed: Option<Killed>,
    /// When force follows.
    force_at: Option<Instant>,
    runner_gone: bool,
}

/// Runs a prepared program to its end.
pub(super) fn run(
    launcher: &mut Launcher,
    order: &Waiting,
    ready: Ready<'_>,
    began: Instant,
) -> Result<Ended, RunnerGone> {
    let launch = &*order.launch;
    let applied = apply_limits(launcher, &launch.limits);
    let files = ProgramFiles {
        stdin: ready.stdin.as_ref(),
        output: [0, 1].map(|place| ready.write[place].as_ref()),
    };
    let started = Instant::now();
    let child = match start(launcher, order, &applied, &files) {
        Ok(child) => child,
        Err(error) => {
            let notes = applied.notes;
            // Whoever looks why finds the directory as it is for others.
            let furnished = launch.holds().then(|| files::furnish_dir(launch, launcher));
            let log_failure = furnished
                .and_then(Result::err)
                .map(|failure| words(&failure));
            return Ok(Ended {
                failure: Some(error.into()),
                log_failure,
                notes,
                ..Ended::default()
            });
        }
    };
    let Ready {
        logs, read, write, ..
    } = ready;
    let mut watch = Watch {
        launch,
        child,
        began,
        started,
        applied,
        pipes: read,
        _write: write,
        logs,
        holds: launch.holds(),
        log_failure: None,
        killed: None,
        force_at: None,
        runner_gone: false,
    };
    let exit = watch.until_exit(launcher);
    let (ended, runner_gone) = watch.finish(launcher, exit);
    if runner_gone {
        return Err(RunnerGone);
    }
    Ok(ended)
}

/// What could not be done, for a note.
fn words(failure: &LaunchFailure) -> String {
    format!("could not {}", failure.stage)
}

fn apply_limits(launcher: &mut Launcher, limits: &LaunchLimits) -> Applied {
    if !limits.are_any() && !limits.watch_memory {
        return Applied {
            group: None,
            rlimits: Vec::new(),
            by: None,
            notes: Vec::new(),
        };
    }
    let name = format!("{}-{}", std::process::id(), launcher.started);
    limits::apply(limits, launcher.backend(), &name)
}

/// The files that a program starts with; `/dev/null` where there is none.
struct ProgramFiles<'a> {
    stdin: Option<&'a File>,
    output: [Option<&'a OwnedFd>; 2],
}

fn start(
    launcher: &mut Launcher,
    order: &Waiting,
    applied: &Applied,
    files: &ProgramFiles<'_>,
) -> Result<Child, StepError> {
    let prepared = Prepared::new(order, &applied.rlimits, launcher.inner)?;
    let entrances = match &applied.group {
        Some(group) => group.entrances().map_err(|error| StepError {
            step: "open the control group".into(),
            errno: error.raw_os_error().unwrap_or(0),
        })?,
        None => Vec::new(),
    };
    let null = launcher.null.as_fd();
    let [stdout, stderr] = files.output.map(|file| file.map_or(null, AsFd::as_fd));
    let files = ChildFiles {
        stdin: files.stdin.map_or(null, AsFd::as_fd),
        stdout,
        stderr,
        cgroups: entrances.iter().map(AsFd::as_fd).collect(),
    };
    spawn::spawn(&prepared, &files, &mut launcher.stack)
}

impl Watch<'_> {
    /// Waits until the program itself has ended, serving output, time limits and orders.
    fn until_exit(&mut self, launcher: &mut Launcher) -> Exit {
        loop {
            let seen = self.wait(launcher);
            for place in 0..2 {
                if seen.pipes[place] {
                    self.read(launcher, place);
                }
            }
            if seen.exit
                && let Some(exit) = self.reap(launcher)
            {
                let quiet = seen.pipes == [false; 2];
                return Exit { quiet, ..exit };
            }
            if seen.socket {
                self.serve(launcher);
            }
            self.hold_up_nothing(launcher);
            if self.holds && self.began.elapsed() >= HOLD {
                self.lay_out(launcher);
            }
            self.check_time();
        }
    }

    /// Puts on disk what was held: who looks at a trial that takes long, says much or does not end well finds its files,
    /// and so does whoever comes after this process was killed.
    fn lay_out(&mut self, launcher: &mut Launcher) {
        self.holds = false;
        match files::furnish_dir(self.launch, launcher) {
            Ok(()) => self.logs.iter_mut().for_each(Log::release),
            Err(failure) => self.log_failure = Some(words(&failure)),
        }
    }

    /// Reaps the program, if it is the one that ended.
    fn reap(&self, launcher: &Launcher) -> Option<Exit> {
        let (wall, at_ns) = (self.started.elapsed(), monotonic_ns());
        launcher.exits.heard();
        // Only known until it is reaped.
        let run_delay_ns = (wall >= DELAY_FROM)
            .then(|| reap::run_delay(self.child.pid))
            .flatten();
        let (status, usage) = match reap::reap(self.child.pid) {
            Reaped::One(status, usage) => (Some(status), usage),
            Reaped::Running => return None,
            Reaped::None => (None, Usage::default()),
        };
        Some(Exit {
            wall,
            at_ns,
            status,
            usage,
            run_delay_ns,
            quiet: false,
        })
    }

    /// Lets go of what others wait for, once this one takes long.
    fn hold_up_nothing(&self, launcher: &mut Launcher) {
        if launcher.line.is_held_up() && self.began.elapsed() >= HOLD {
            // A runner that is gone is noticed by the next poll.
            let _ = launcher.line.let_go();
        }
    }

    fn wait(&self, launcher: &Launcher) -> Seen {
        let socket = if self.runner_gone {
            None
        } else {
            Some(launcher.line.readable())
        };
        let exit = launcher.exits.readable(&self.child);
        let [out, err] = [0, 1].map(|place| self.pipes[place].as_ref().map(AsFd::as_fd));
        let watched = [Some(exit), out, err, socket].map(|file| file.unwrap_or(exit));
        let mut polled = watched.map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN));
        let hold = (self.holds || launcher.line.is_held_up()).then(|| self.began + HOLD);
        let timeout = self.next_look().into_iter().chain(hold).min().map(|at| {
            let left = at.saturating_duration_since(Instant::now());
            Timespec {
                tv_sec: left.as_secs() as i64,
                tv_nsec: left.subsec_nanos().into(),
            }
        });
        if poll(&mut polled, timeout.as_ref()).is_err() {
            return Seen::default();
        }
        let [exit, out, err, said] = polled.map(|fd| !fd.revents().is_empty());
        Seen {
            exit,
            pipes: [
                out && self.pipes[0].is_some(),
                err && self.pipes[1].is_some(),
            ],
            socket: said && socket.is_some(),
        }
    }

    /// When something is due next: force, the wall limit, a look at the CPU clock.
    fn next_look(&self) -> Option<Instant> {
        let wall = match (self.killed, self.launch.limits.wall_ms) {
            (None, Some(wall_ms)) => Some(self.started + Duration::from_millis(wall_ms)),
            _ => None,
        };
        let cpu = (self.launch.limits.cpu_ms.is_some() && self.applied.group.is_some())
            .then(|| Instant::now() + CPU_LOOK);
        [self.force_at, wall, cpu].into_iter().flatten().min()
    }

    fn check_time(&mut self) {
        let now = Instant::now();
        if self.force_at.is_some_and(|at| now >= at) {
            self.signal_all(libc::SIGKILL);
            self.force_at = Some(now + Duration::from_secs(1));
        }
        if self.killed.is_some() {
            return;
        }
        let limits = &self.launch.limits;
        if limits
            .wall_ms
            .is_some_and(|wall_ms| now >= self.started + Duration::from_millis(wall_ms))
        {
            return self.kill(Killed::Wall);
        }
        let used = self.applied.group.as_ref().and_then(Group::cpu_ms);
        if let (Some(limit), Some(used)) = (limits.cpu_ms, used)
            && used >= limit
        {
            self.kill(Killed::Cpu);
        }
    }

    /// Asks the whole trial to end; force follows after the grace.
    fn kill(&mut self, why: Killed) {
        self.killed = Some(why);
        self.signal_all(self.launch.limits.notice.unwrap_or(libc::SIGTERM));
        self.force_at = Some(Instant::now() + Duration::from_millis(self.launch.limits.grace_ms));
    }

    /// Reaches the process group, what left it but is in the trial's control group, and adopted orphans.
    fn signal_all(&self, signal: i32) {
        reap::signal_group(self.child.pid, signal);
        let members = self
            .applied
            .group
            .as_ref()
            .map(Group::members)
            .unwrap_or_default();
        for pid in members.into_iter().chain(reap::children()) {
            if pid != self.child.pid {
                reap::signal_process(pid, signal);
            }
        }
    }

    fn serve(&mut self, launcher: &mut Launcher) {
        let lost = Heard {
            kills: 0,
            gone: true,
        };
        let Heard { kills, gone } = launcher.line.look().unwrap_or(lost);
        for _ in 0..kills {
            if self.killed.is_some() {
                self.force_at = Some(Instant::now());
            } else {
                self.kill(Killed::Asked);
            }
        }
        if gone {
            self.runner_gone = true;
            if self.killed.is_none() {
                self.kill(Killed::Asked);
            }
        }
    }

    /// The same where nobody waits for the socket.
    fn serve_now(&mut self, launcher: &mut Launcher) {
        if self.runner_gone {
            return;
        }
        let seen = {
            let socket = launcher.line.readable();
            let mut polled = [PollFd::from_borrowed_fd(socket, PollFlags::IN)];
            poll(&mut polled, Some(&Timespec::default()))
        };
        if seen.is_ok_and(|count| count > 0) {
            self.serve(launcher);
        }
    }

    /// Reads from a pipe that holds something; says how much.
    fn read(&mut self, launcher: &mut Launcher, place: usize) -> usize {
        let Some(pipe) = &self.pipes[place] else {
            return 0;
        };
        let read = output::read_some(pipe, &mut launcher.read_buffer);
        let bytes = &launcher.read_buffer[..read];
        self.logs[place].take(bytes);
        if self.launch.stream && read > 0 && !self.runner_gone {
            // A runner that is gone is noticed by the next poll.
            let _ = launcher.line.output(place == 1, bytes);
        }
        if self.holds && self.logs[place].holds() > MOST_HELD {
            self.lay_out(launcher);
        }
        read
    }

    /// Takes what the pipes hold now, and no more: what outlived the program may write without end.
    fn drain(&mut self, launcher: &mut Launcher) {
        for place in 0..2 {
            let held = |pipe| rustix::io::ioctl_fionread(pipe).unwrap_or(0);
            let mut left = self.pipes[place].as_ref().map_or(0, held);
            while left > 0 {
                match self.read(launcher, place) as u64 {
                    0 => break,
                    read => left = left.saturating_sub(read),
                }
            }
        }
    }
}

/// The end of the program itself.
#[derive(Clone, Copy)]
struct Exit {
    wall: Duration,
    /// When, by [`monotonic_ns`].
    at_ns: u64,
    /// Raw wait status; absent where somebody else took it.
    status: Option<i32>,
    usage: Usage,
    run_delay_ns: Option<u64>,
    /// The pipes held nothing when the end was seen, so the program had written all that was read.
    quiet: bool,
}

/// What one wait saw.
#[derive(Default)]
struct Seen {
    /// A child has ended; which, is to be seen.
    exit: bool,
    socket: bool,
    pipes: [bool; 2],
}
