//! What starting a program takes and gives, whichever way this system starts one.

use std::borrow::Cow;
use std::ffi::CString;
use std::os::fd::{BorrowedFd, OwnedFd};

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
    pub(super) pidfd: OwnedFd,
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

/// A text in the form that system calls take.
pub(super) fn terminated(text: &str) -> Result<CString, StepError> {
    CString::new(text).map_err(|_| HOLDS_NUL)
}

/// Variables in the form that exec takes.
pub(super) fn variables(list: &[String]) -> Result<Vec<CString>, StepError> {
    list.iter().map(|text| terminated(text)).collect()
}
