//! Reaps children with what they used. `std` throws the resource usage away, so `wait4` is called here.
#![allow(unsafe_code, reason = "wait4, kill and prctl have no safe form in std")]

use std::{fs, io};

/// What one or several reaped processes used together.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Usage {
    pub(super) user_us: u64,
    pub(super) sys_us: u64,
    pub(super) max_rss: u64,
    pub(super) minor_faults: u64,
    pub(super) major_faults: u64,
    pub(super) voluntary: u64,
    pub(super) involuntary: u64,
    pub(super) blocks_in: u64,
    pub(super) blocks_out: u64,
}

/// The answer of one look at the children.
#[derive(Debug)]
pub(super) enum Reaped {
    /// This one ended.
    One(i32, Usage),
    /// Some live, none has ended.
    Running,
    /// There are none.
    None,
}

impl Usage {
    /// Adds another process's usage; the peak of resident memory is the larger one.
    pub(super) fn add(&mut self, other: &Self) {
        self.user_us += other.user_us;
        self.sys_us += other.sys_us;
        self.max_rss = self.max_rss.max(other.max_rss);
        self.minor_faults += other.minor_faults;
        self.major_faults += other.major_faults;
        self.voluntary += other.voluntary;
        self.involuntary += other.involuntary;
        self.blocks_in += other.blocks_in;
        self.blocks_out += other.blocks_out;
    }
}

/// Reaps a child (`-1`: any) if one has ended.
pub(super) fn reap(pid: i32) -> Reaped {
    let mut status = 0;
    // SAFETY: `rusage` is plain data for which all zeroes is a value.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    loop {
        // SAFETY: both pointers are to live locals.
        let ended = unsafe { libc::wait4(pid, &raw mut status, libc::WNOHANG, &raw mut usage) };
        if ended > 0 {
            return Reaped::One(status, convert(&usage));
        }
        if ended == 0 {
            return Reaped::Running;
        }
        if io::Error::last_os_error().kind() != io::ErrorKind::Interrupted {
            return Reaped::None;
        }
    }
}

fn convert(usage: &libc::rusage) -> Usage {
    let micros = |time: libc::timeval| time.tv_sec as u64 * 1_000_000 + time.tv_usec as u64;
    // Linux counts ru_maxrss in kilobytes, macOS in bytes.
    let unit = if cfg!(target_os = "macos") { 1 } else { 1024 };
    Usage {
        user_us: micros(usage.ru_utime),
        sys_us: micros(usage.ru_stime),
        max_rss: usage.ru_maxrss as u64 * unit,
        minor_faults: usage.ru_minflt as u64,
        major_faults: usage.ru_majflt as u64,
        voluntary: usage.ru_nvcsw as u64,
        involuntary: usage.ru_nivcsw as u64,
        blocks_in: usage.ru_inblock as u64,
        blocks_out: usage.ru_oublock as u64,
    }
}

/// Sends a signal to a process group; a group that is gone is no error.
pub(super) fn signal_group(pgid: i32, signal: i32) {
    // SAFETY: no memory is involved.
    unsafe { libc::kill(-pgid, signal) };
}

/// Sends a signal to one process.
pub(super) fn signal_process(pid: i32, signal: i32) {
    // SAFETY: no memory is involved.
    unsafe { libc::kill(pid, signal) };
}

/// A scheduler that ends a job signals every process of it. The launcher lives as long as its runner: it must see the
/// trial out. Programs get the default handling back before they start.
#[cfg(target_os = "linux")]
pub(super) fn outlive_signals() {
    for signal in [libc::SIGTERM, libc::SIGHUP, libc::SIGINT, libc::SIGUSR1] {
        // SAFETY: ignoring a signal runs no code of ours.
        unsafe {
            libc::signal(signal, libc::SIG_IGN);
        }
    }
}

/// Elsewhere programs would inherit that.
#[cfg(not(target_os = "linux"))]
pub(super) fn outlive_signals() {}

/// Makes orphans of the trial children of the launcher, so that none can leave its sight.
pub(super) fn adopt_orphans() {
    #[cfg(target_os = "linux")]
    // SAFETY: no memory is involved.
    unsafe {
        libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1)
    };
}

/// The launcher's living children.
pub(super) fn children() -> Vec<i32> {
    let me = std::process::id();
    let listed = fs::read_to_string(format!("/proc/{me}/task/{me}/children"));
    listed
        .map(|text| {
            text.split_whitespace()
                .filter_map(|pid| pid.parse().ok())
                .collect()
        })
        .unwrap_or_default()
}

/// Nanoseconds that an ended, not yet reaped child's main thread spent waiting for a CPU.
pub(super) fn run_delay(pid: i32) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{pid}/schedstat")).ok()?;
    text.split_whitespace().nth(1)?.parse().ok()
}

/// The launcher's own peak of resident memory, which every child inherits as the floor of its `ru_maxrss`.
pub(super) fn own_peak() -> u64 {
    // SAFETY: `rusage` is plain data; the pointer is to a live local.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &raw mut usage);
        usage
    };
    convert(&usage).max_rss
}
