//! What programs leave running: it becomes this process's own, and is ended before anything is scored.

use rustix::process::{Pid, Signal};
use std::time::Duration;

/// Makes this process the reaper of its descendants, where the system knows that.
pub fn adopt_orphans() {
    #[cfg(target_os = "linux")]
    // Without it the process group is all that can be ended.
    let _ = rustix::process::set_child_subreaper(rustix::process::Pid::from_raw(1));
}

/// Ends every process that was left to this one, which must be the reaper of its descendants.
pub fn end_descendants() {
    for round in 0..200 {
        let left = children();
        if left.is_empty() {
            return;
        }
        for pid in left.into_iter().filter_map(Pid::from_raw) {
            let _ = rustix::process::kill_process(pid, Signal::KILL);
            let _ = rustix::process::waitpid(Some(pid), rustix::process::WaitOptions::NOHANG);
        }
        std::thread::sleep(Duration::from_millis(if round < 10 { 1 } else { 10 }));
    }
}

fn children() -> Vec<i32> {
    let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten();
    let mut found = Vec::new();
    for task in tasks.flatten() {
        let text = std::fs::read_to_string(task.path().join("children")).unwrap_or_default();
        found.extend(
            text.split_whitespace()
                .filter_map(|pid| pid.parse::<i32>().ok()),
        );
    }
    found
}
