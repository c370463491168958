//! What starting a program takes and gives, whichever way this system starts one.

use crate::words::Words;
use std::borrow::Cow;
use std::os::fd::BorrowedFd;

/// The files a child starts with.
pub(super) struct ChildFiles<'a> {
    pub(super) stdin: BorrowedFd<'a>,
    pub(super) stdout: BorrowedFd<'a>,
    pub(super) stderr: BorrowedFd<'a>,
    /// Opened `cgroup.procs` files that the child enters by writing `0`.
    pub(super) cgroups: Vec<BorrowedFd<'a>>,
}

/// A started child.
pub(super) struct Child {
    pub(super) pid: i32,
    /// Becomes readable when the child ends.
    #[cfg(not(target_os = "linux"))]
    pub(super) ended: std::os::fd::OwnedFd,
}

/// A step that failed in the child, with the system's error number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StepError {
    pub(super) step: Cow<'static, str>,
    pub(super) errno: i32,
}

/// A text with a NUL byte cannot be given to a program.
const HOLDS_NUL: StepError = StepError {
    step: Cow::Borrowed("read the command (it holds a NUL byte)"),
    errno: libc::EINVAL,
};

/// Texts that a program can be given; a NUL inside any of them is refused.
pub(super) fn whole(words: &Words) -> Result<&Words, StepError> {
    if words.are_whole() {
        Ok(words)
    } else {
        Err(HOLDS_NUL)
    }
}

/// There is no program to run.
pub(super) const NO_COMMAND: StepError = StepError {
    step: Cow::Borrowed("read the command (it is empty)"),
    errno: libc::EINVAL,
};
