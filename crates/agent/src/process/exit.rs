//! Waiting for the end of a child together with its output: a file descriptor of the process where the system has such,
//! else a look now and then.

use rustix::event::{PollFd, Timespec};
use std::process::Child;
use std::time::Duration;

/// The end of a child, to be polled for.
#[cfg(target_os = "linux")]
pub(super) struct Exit(rustix::fd::OwnedFd);

#[cfg(target_os = "linux")]
impl Exit {
    pub(super) fn of(child: &Child) -> std::io::Result<Self> {
        use rustix::process::{Pid, PidfdFlags, pidfd_open};
        let fd = pidfd_open(Pid::from_child(child), PidfdFlags::empty())?;
        Ok(Self(fd))
    }

    /// What is polled for it, and for how long at most.
    pub(super) fn poll(&self, due: Option<Duration>) -> (Vec<PollFd<'_>>, Option<Timespec>) {
        let ended = PollFd::new(&self.0, rustix::event::PollFlags::IN);
        (vec![ended], due.map(timespec))
    }

    /// Whether a poll, whose first answers are those of [`Exit::poll`], saw the end.
    pub(super) fn was_seen(polled: &[PollFd<'_>], _child: &mut Child) -> bool {
        polled.first().is_some_and(|fd| !fd.revents().is_empty())
    }
}

/// The end of a child, to be looked for.
#[cfg(not(target_os = "linux"))]
pub(super) struct Exit;

#[cfg(not(target_os = "linux"))]
impl Exit {
    pub(super) fn of(_child: &Child) -> std::io::Result<Self> {
        Ok(Self)
    }

    pub(super) fn poll(&self, due: Option<Duration>) -> (Vec<PollFd<'_>>, Option<Timespec>) {
        let look = Duration::from_millis(20);
        (
            Vec::new(),
            Some(timespec(due.map_or(look, |due| due.min(look)))),
        )
    }

    pub(super) fn was_seen(_polled: &[PollFd<'_>], child: &mut Child) -> bool {
        // Whoever waits next meets the error.
        !matches!(child.try_wait(), Ok(None))
    }
}

fn timespec(time: Duration) -> Timespec {
    Timespec {
        tv_sec: time.as_secs().try_into().unwrap_or(i64::MAX),
        tv_nsec: time.subsec_nanos().into(),
    }
}
