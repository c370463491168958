//! Processes as the kernel lists them: who belongs to a lab, and signals to single ones.

use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

/// The variable by which every process of a lab is known, whatever became of its parents.
pub(crate) const MARK: &str = "TORTURE_LAB";

/// Longest wait for something that must happen; reached only where it never does.
const PATIENCE: Duration = Duration::from_mins(2);

/// Waits until `look` gives something, and says what was waited for where it never comes.
pub(crate) fn wait_for<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let began = Instant::now();
    loop {
        if let Some(seen) = look() {
            return seen;
        }
        assert!(began.elapsed() < PATIENCE, "waited in vain for {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// A process and its command line.
#[derive(Debug, Clone)]
pub(crate) struct Process {
    pub(crate) pid: i32,
    pub(crate) command: String,
}

impl Process {
    /// Whether it is a launcher of ours.
    pub(crate) fn is_launcher(&self) -> bool {
        self.command.ends_with(" __launch")
    }
}

/// Living processes that carry the mark of this lab.
pub(crate) fn marked(lab: &Path) -> Vec<Process> {
    let mark = format!("{MARK}={}", lab.display());
    let carries = |pid: i32| {
        // What ended and waits to be reaped has an empty environment.
        fs::read(format!("/proc/{pid}/environ")).is_ok_and(|environ| {
            environ
                .split(|byte| *byte == 0)
                .any(|entry| entry == mark.as_bytes())
        })
    };
    let entries = fs::read_dir("/proc").unwrap();
    let pids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    pids.filter(|pid| carries(*pid))
        .map(|pid| Process {
            pid,
            command: command_of(pid),
        })
        .collect()
}

fn command_of(pid: i32) -> String {
    let text = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let words = text
        .split(|byte| *byte == 0)
        .map(String::from_utf8_lossy)
        .filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

/// Sends a signal; a process that is gone already is no error.
pub(crate) fn signal(pid: i32, signal: Signal) {
    if let Some(pid) = Pid::from_raw(pid) {
        let _ = kill_process(pid, signal);
    }
}
