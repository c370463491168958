//! Who says that a child has ended, on systems without `signalfd`: each child by its own pipe.

use super::child::Child;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};

/// Becomes readable when a child ends.
pub(super) struct Exits;

impl Exits {
    /// Nothing to set up.
    pub(super) fn watch() -> io::Result<Self> {
        Ok(Self)
    }

    /// What to wait for.
    pub(super) fn readable<'a>(&'a self, child: &'a Child) -> BorrowedFd<'a> {
        child.ended.as_fd()
    }

    /// Nothing to take.
    pub(super) fn heard(&self) {}
}
