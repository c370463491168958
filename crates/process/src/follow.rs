//! Follows a running program without a thread: its output, its input, its time and its end in one loop.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use std::io::{self, PipeReader, Read, Write};
use std::process::{Child, ChildStdin, ExitStatus};
use std::time::{Duration, Instant};

/// Time between the polite and the forced end.
const GRACE: Duration = Duration::from_secs(2);
/// How long what a program left behind may keep its pipes open without a word: a wrapper may end before its filter.
const LINGER: Duration = Duration::from_millis(100);
/// How often the end is looked for where the system cannot tell of it.
const LOOK: Duration = Duration::from_millis(20);
/// How much is read at once.
const CHUNK: usize = 1 << 16;

/// Where output comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    /// Standard output; also what is said on the other where the two are one.
    Out,
    /// Standard error.
    Err,
}

/// Follows a running program.
pub trait Follower {
    /// Takes what the program printed. An error ends the program.
    fn hear(&mut self, from: Stream, bytes: &[u8]) -> io::Result<()>;

    /// How often it wants to look; absent means never.
    fn look_every(&self) -> Option<Duration> {
        None
    }

    /// Looks now and then; an answer ends the program, for that reason.
    fn look(&mut self) -> Option<String> {
        None
    }
}

/// Why we ended a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stopped {
    /// Its time was over.
    Late,
    /// Its follower wanted it.
    Wanted(String),
}

/// How a program ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct End {
    /// What the system says.
    pub status: ExitStatus,
    /// Why we ended it, where we did.
    pub stopped: Option<Stopped>,
}

/// A started program.
pub(crate) struct Running {
    pub(crate) child: Child,
    pub(crate) out: Option<PipeReader>,
    pub(crate) err: Option<PipeReader>,
    /// What it still has to read.
    pub(crate) input: Option<(ChildStdin, Vec<u8>)>,
    pub(crate) limit: Option<Duration>,
    /// Whether what it leaves running in its group ends with it.
    pub(crate) takes_group: bool,
}

impl Running {
    /// Follows it to its end. Whatever happens, it has ended then and is reaped.
    pub(crate) fn follow(mut self, follower: &mut dyn Follower) -> io::Result<End> {
        let stopped = self.until_exit(follower);
        if self.takes_group || !matches!(stopped, Ok(None)) {
            // Before it is reaped: from then on its number may be somebody else's.
            self.signal(Signal::KILL);
        }
        let status = self.child.wait();
        let stopped = stopped?;
        Ok(End {
            status: status?,
            stopped,
        })
    }

    fn until_exit(&mut self, follower: &mut dyn Follower) -> io::Result<Option<Stopped>> {
        let began = Instant::now();
        let deadline = self.limit.and_then(|limit| began.checked_add(limit));
        let exit = exit_of(&self.child);
        let mut stopped = None;
        let mut force_at = None;
        let every = follower.look_every();
        let mut next_look = every.map(|every| began + every);
        if let Some((input, _)) = &self.input {
            rustix::io::ioctl_fionbio(input, true)?;
        }
        loop {
            let mut due = [force_at, None, None];
            if stopped.is_none() {
                due = [None, deadline, next_look];
            }
            let due = due.into_iter().flatten().min();
            let due = due.map(|at| at.saturating_duration_since(Instant::now()));
            let due = match &exit {
                Some(_) => due,
                None => Some(due.map_or(LOOK, |due| due.min(LOOK))),
            };
            self.wait_and_read(exit.as_ref(), due, follower)?;
            if self.has_exited()? {
                self.drain(stopped.is_some(), follower)?;
                return Ok(stopped);
            }
            let now = Instant::now();
            if stopped.is_none() {
                if deadline.is_some_and(|at| now >= at) {
                    stopped = Some(Stopped::Late);
                } else if next_look.is_some_and(|at| now >= at) {
                    next_look = every.map(|every| now + every);
                    stopped = follower.look().map(Stopped::Wanted);
                }
                if stopped.is_some() {
                    self.signal(Signal::TERM);
                    force_at = Some(now + GRACE);
                }
            } else if force_at.is_some_and(|at| now >= at) {
                self.signal(Signal::KILL);
                force_at = Some(now + GRACE);
            }
        }
    }

    /// Takes what is left in the pipes of a program that has ended.
    fn drain(&mut self, was_stopped: bool, follower: &mut dyn Follower) -> io::Result<()> {
        self.input = None;
        let patience = if self.takes_group || was_stopped {
            Duration::ZERO
        } else {
            LINGER
        };
        // What it left behind may print for ever.
        let until = Instant::now() + 10 * LINGER;
        while (self.out.is_some() || self.err.is_some())
            && Instant::now() < until
            && self.wait_and_read(None, Some(patience), follower)?
        {}
        Ok(())
    }

    /// Waits until something happens, and takes what came; says whether that was output or its end.
    fn wait_and_read(
        &mut self,
        exit: Option<&rustix::fd::OwnedFd>,
        due: Option<Duration>,
        follower: &mut dyn Follower,
    ) -> io::Result<bool> {
        let pipes = [&self.out, &self.err].map(Option::as_ref);
        let input = self.input.as_ref().map(|(input, _)| input);
        let mut polled: Vec<PollFd<'_>> = Vec::with_capacity(4);
        polled.extend(
            pipes
                .iter()
                .flatten()
                .map(|pipe| PollFd::new(*pipe, PollFlags::IN)),
        );
        polled.extend(input.map(|input| PollFd::new(input, PollFlags::OUT)));
        polled.extend(exit.map(|exit| PollFd::new(exit, PollFlags::IN)));
        rustix::io::retry_on_intr(|| poll(&mut polled, due.map(timespec).as_ref()))?;
        let mut is_ready = polled.iter().map(|fd| !fd.revents().is_empty());
        let readable = pipes.map(|pipe| pipe.is_some() && is_ready.next() == Some(true));
        let writable = input.is_some() && is_ready.next() == Some(true);
        drop(is_ready);
        drop(polled);
        if writable {
            self.feed();
        }
        if readable[0] {
            read(&mut self.out, Stream::Out, follower)?;
        }
        if readable[1] {
            read(&mut self.err, Stream::Err, follower)?;
        }
        Ok(readable != [false, false])
    }

    /// Gives it more of its input; a program that does not read is free not to.
    fn feed(&mut self) {
        let Some((input, rest)) = &mut self.input else {
            return;
        };
        match input.write(rest) {
            Ok(written) if written < rest.len() => drop(rest.drain(..written)),
            Err(error) if is_passing(&error) => {}
            // All is written, or nobody reads any more: it sees the end of its input.
            _ => self.input = None,
        }
    }

    /// Whether it has ended; it is not reaped by that.
    fn has_exited(&self) -> io::Result<bool> {
        let how = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let ended = waitid(WaitId::Pid(Pid::from_child(&self.child)), how)?;
        Ok(ended.is_some())
    }

    fn signal(&self, signal: Signal) {
        // A group that is gone has ended.
        let _ = kill_process_group(Pid::from_child(&self.child), signal);
    }
}

fn read(
    pipe: &mut Option<PipeReader>,
    from: Stream,
    follower: &mut dyn Follower,
) -> io::Result<()> {
    let Some(open) = pipe else { return Ok(()) };
    let mut chunk = vec![0; CHUNK];
    match open.read(&mut chunk) {
        Ok(0) => *pipe = None,
        Ok(read) => follower.hear(from, &chunk[..read])?,
        Err(error) if is_passing(&error) => {}
        Err(error) => return Err(error),
    }
    Ok(())
}

fn is_passing(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::Interrupted | io::ErrorKind::WouldBlock
    )
}

/// A descriptor that becomes readable when the child ends, where the system has such.
#[cfg(target_os = "linux")]
fn exit_of(child: &Child) -> Option<rustix::fd::OwnedFd> {
    use rustix::process::{PidfdFlags, pidfd_open};
    pidfd_open(Pid::from_child(child), PidfdFlags::empty()).ok()
}

#[cfg(not(target_os = "linux"))]
fn exit_of(_child: &Child) -> Option<rustix::fd::OwnedFd> {
    None
}

fn timespec(time: Duration) -> Timespec {
    Timespec {
        tv_sec: time.as_secs().try_into().unwrap_or(i64::MAX),
        tv_nsec: time.subsec_nanos().into(),
    }
}
