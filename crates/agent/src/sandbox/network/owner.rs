//! The user namespace that a namespace belongs to, which only the kernel can tell.
#![allow(unsafe_code)]

use rustix::fd::{AsFd, FromRawFd, OwnedFd};
use rustix::ioctl::{Ioctl, IoctlOutput, Opcode, ioctl, opcode};
use std::ffi::c_void;
use std::fs::File;
use std::io;

/// The user namespace that owns an open namespace.
pub(super) fn owner_of(namespace: &File) -> io::Result<OwnedFd> {
    // SAFETY: `NS_GET_USERNS` takes no argument and answers with a new descriptor.
    Ok(unsafe { ioctl(namespace.as_fd(), GetUserNamespace)? })
}

struct GetUserNamespace;

// SAFETY: the opcode is the kernel's `NS_GET_USERNS`; it has no argument to point at, and a success is an open descriptor.
unsafe impl Ioctl for GetUserNamespace {
    type Output = OwnedFd;
    const IS_MUTATING: bool = false;

    fn opcode(&self) -> Opcode {
        opcode::none(0xb7, 1)
    }

    fn as_ptr(&mut self) -> *mut c_void {
        std::ptr::null_mut()
    }

    unsafe fn output_from_ptr(out: IoctlOutput, _: *mut c_void) -> rustix::io::Result<OwnedFd> {
        // SAFETY: a success of this call is a new descriptor that nobody else holds.
        Ok(unsafe { OwnedFd::from_raw_fd(out) })
    }
}
