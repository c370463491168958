//! What makes timed programs less disturbed. The launcher does it to itself, and what it starts inherits it.
#![allow(
    unsafe_code,
    reason = "affinity, priority and personality have no safe form among what we link"
)]

use fairtrial_model::Quiet;
use std::io;

/// A step that the system refused.
pub(super) type Refused = (&'static str, io::Error);

/// Makes it so, where it is not yet.
pub(super) fn apply(wanted: Quiet, now: &mut Quiet) -> Result<(), Refused> {
    if let Some(cpu) = wanted.cpu.filter(|_| wanted.cpu != now.cpu) {
        pin(cpu).map_err(|error| ("keep it on one CPU", error))?;
    }
    if let Some(nice) = wanted.nice.filter(|_| wanted.nice != now.nice) {
        // SAFETY: no pointers; 0 is this process.
        let done = unsafe { libc::setpriority(libc::PRIO_PROCESS, 0, nice) };
        checked(done).map_err(|error| ("set its priority", error))?;
    }
    if wanted.fixed_addresses && !now.fixed_addresses {
        fix_addresses().map_err(|error| ("fix its addresses", error))?;
    }
    *now = wanted;
    Ok(())
}

fn checked(done: libc::c_int) -> io::Result<()> {
    if done == -1 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

#[cfg(target_os = "linux")]
fn pin(cpu: u32) -> io::Result<()> {
    // SAFETY: a set of bits that is all zeros is a valid empty set; a number beyond it is ignored by CPU_SET.
    let set = unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        libc::CPU_SET(cpu as usize, &mut set);
        set
    };
    // SAFETY: the set lives until the call returns, and its size is given.
    checked(unsafe { libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &raw const set) })
}

#[cfg(target_os = "linux")]
fn fix_addresses() -> io::Result<()> {
    const ASK: libc::c_ulong = 0xffff_ffff;
    // SAFETY: no pointers.
    let now = unsafe { libc::personality(ASK) };
    checked(now)?;
    // SAFETY: the same.
    let fixed = now | libc::ADDR_NO_RANDOMIZE;
    checked(unsafe { libc::personality(fixed as libc::c_ulong) })
}

#[cfg(not(target_os = "linux"))]
fn pin(_: u32) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(not(target_os = "linux"))]
fn fix_addresses() -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
