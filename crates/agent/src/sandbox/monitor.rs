//! Monitors of podman's containers that outlived them. Where podman is killed after it made a container and before it
//! started it, its records say that there is nothing to end: the container is removed, and its monitor waits for ever with
//! the process that was to become it.

use super::leftover::is_running;
use rustix::process::{Pid, Signal, kill_process};
use serde::Serialize;
use std::fs;
use std::path::Path;
use std::time::Duration;

/// The program that podman starts beside each container.
const MONITOR: &str = "conmon";
/// How our containers are called.
const OURS: &str = "fairtrial-";
/// How often, and how long in between, it is looked whether a monitor ended by itself.
const LOOKS: u32 = 50;
const PAUSE: Duration = Duration::from_millis(20);

/// A monitor of a container of ours that is gone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Monitor {
    /// Its process.
    pub pid: u32,
    /// The container's name.
    pub name: String,
}

/// Every monitor of a container of ours that is gone and whose owner is dead.
pub fn list_monitors() -> Vec<Monitor> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter_map(monitor).collect()
}

fn monitor(pid: u32) -> Option<Monitor> {
    let bytes = fs::read(format!("/proc/{pid}/cmdline")).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let words: Vec<&str> = text.split('\0').collect();
    let program = words.first()?.rsplit('/').next()?;
    if program != MONITOR {
        return None;
    }
    let option = |name: &str| {
        let place = words.iter().position(|word| *word == name)?;
        words.get(place + 1).copied()
    };
    let (name, bundle) = (option("-n")?, option("-b")?);
    // Where its folder is there, so is the container, and whoever knows it ends it.
    (is_orphaned(name) && !Path::new(bundle).exists()).then(|| Monitor {
        pid,
        name: name.to_owned(),
    })
}

/// Whether a container is ours and its owner, whose process its name holds, is no more.
fn is_orphaned(name: &str) -> bool {
    let mut parts = name.rsplit('-').skip(1);
    let owner = parts.next().and_then(|pid| pid.parse().ok());
    name.starts_with(OURS) && owner.is_some_and(|pid| !is_running(pid))
}

/// Ends what a monitor watches, upon which it ends itself, or is ended; says whether it is gone.
pub fn end_monitor(found: &Monitor) -> bool {
    let pid = found.pid;
    // Its number may be another process's by now.
    let is_it = || monitor(pid).is_some_and(|now| now == *found);
    for look in 0..LOOKS {
        if !is_it() {
            return true;
        }
        let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children"));
        let children = children.unwrap_or_default();
        let last = (look == LOOKS / 2).then_some(pid);
        for pid in children
            .split_whitespace()
            .filter_map(|pid| pid.parse().ok())
            .chain(last)
        {
            if let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) {
                let _ = kill_process(pid, Signal::KILL);
            }
        }
        std::thread::sleep(PAUSE);
    }
    !is_it()
}

#[cfg(test)]
mod tests {
    use super::is_orphaned;

    #[test]
    fn only_containers_of_ours_with_a_dead_owner_are_orphans() {
        let own = std::process::id();
        assert!(!is_orphaned(&format!(
            "fairtrial-20250824__12-34-56-0-{own}-agent"
        )));
        assert!(is_orphaned(
            "fairtrial-20250824__12-34-56-0-999999999-verify"
        ));
        assert!(!is_orphaned("other-20250824__12-34-56-0-999999999-verify"));
        assert!(!is_orphaned("fairtrial-by-hand"));
    }
}
