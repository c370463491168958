//! What the programs of a rollout may use of this machine, where nobody says otherwise.

use fairtrial_spec::{Limits, RolloutOptions};
use serde::{Deserialize, Serialize};

/// Processes and threads at the same time. Builds on large machines start hundreds; a fork bomb has no end.
const PROCESSES: u64 = 4096;
/// Memory, unless the machine has less.
const MEMORY: u64 = 8 << 30;
/// What an agent may add on disk.
const DISK: u64 = 10 << 30;

/// Caps on the programs of one rollout.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Caps {
    /// Processes and threads at the same time.
    pub processes: u64,
    /// Bytes of memory.
    pub memory_bytes: u64,
    /// Bytes added on disk.
    pub disk_bytes: u64,
}

/// Caps as a spec gives them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GivenCaps {
    /// Processes and threads at the same time.
    pub processes: Option<u64>,
    /// Bytes of memory.
    pub memory_bytes: Option<u64>,
    /// Bytes added on disk.
    pub disk_bytes: Option<u64>,
}

impl GivenCaps {
    /// The caps of a task's rollouts.
    pub fn of(limits: &Limits, options: &RolloutOptions) -> Self {
        Self {
            processes: limits.processes,
            memory_bytes: options.sandbox.memory_bytes.or(limits.memory_bytes),
            disk_bytes: options.disk_bytes,
        }
    }

    /// Completed by what holds where nothing is said, on a machine with so much memory.
    pub(crate) fn or_default(self, machine: Option<u64>) -> Caps {
        let most = machine.map_or(MEMORY, |bytes| MEMORY.min(bytes / 4 * 3));
        Caps {
            processes: self.processes.unwrap_or(PROCESSES),
            memory_bytes: self.memory_bytes.unwrap_or(most),
            disk_bytes: self.disk_bytes.unwrap_or(DISK),
        }
    }
}

/// Bytes of memory that this machine has.
pub(crate) fn machine_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kibibytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kibibytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::{Caps, GivenCaps};

    #[test]
    fn the_documents_say_the_same_caps() {
        let caps = GivenCaps::default().or_default(None);
        let gib = |bytes: u64| bytes >> 30;
        let page = include_str!("../../../../docs/guides/agents.md");
        let keys = include_str!("../../../../docs/reference/spec.md");
        for (row, default) in [
            ("| processes |", format!(" {} |", caps.processes)),
            (
                "| memory |",
                format!(" {} GiB, or three quarters", gib(caps.memory_bytes)),
            ),
            ("| disk: ", format!(" {} GiB |", gib(caps.disk_bytes))),
        ] {
            let row = page.lines().find(|line| line.starts_with(row)).unwrap();
            assert!(row.contains(&default), "{row}: {default}");
        }
        for default in [
            format!("{} for agent tasks", caps.processes),
            format!("for agent tasks {}GiB", gib(caps.memory_bytes)),
            format!("{}GiB for agent tasks", gib(caps.disk_bytes)),
        ] {
            assert!(keys.contains(&default), "{default}");
        }
    }

    #[test]
    fn what_is_not_said_is_capped_all_the_same() {
        let none = GivenCaps::default().or_default(Some(64 << 30));
        assert_eq!(none.memory_bytes, 8 << 30);
        assert_eq!(
            GivenCaps::default().or_default(Some(4 << 30)).memory_bytes,
            3 << 30
        );
        let given = GivenCaps {
            processes: Some(7),
            memory_bytes: Some(20 << 30),
            disk_bytes: Some(1),
        };
        let wanted = Caps {
            processes: 7,
            memory_bytes: 20 << 30,
            disk_bytes: 1,
        };
        assert_eq!(given.or_default(Some(4 << 30)), wanted);
    }
}
