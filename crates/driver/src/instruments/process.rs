//! What a process and all its descendants use, as `/proc` shows it. Elsewhere nothing is known.

use std::collections::HashMap;
use std::fs;

/// What a tree of processes uses right now. CPU time and I/O count since each process began.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct TreeUse {
    /// CPU seconds by process, so that one that ends does not look like time that ran backwards.
    pub(super) cpu: HashMap<u32, f64>,
    /// Resident bytes.
    pub(super) rss: u64,
    /// Bytes read from and written to storage; absent where the system does not say.
    pub(super) io: Option<(u64, u64)>,
}

/// Looks at a process and its descendants; nothing where it is gone or the system has no `/proc`.
pub(super) fn look(root: u32) -> Option<TreeUse> {
    let ticks = rustix::param::clock_ticks_per_second() as f64;
    let page = rustix::param::page_size() as u64;
    let mut tree = TreeUse {
        io: Some((0, 0)),
        ..TreeUse::default()
    };
    let mut waiting = vec![root];
    while let Some(pid) = waiting.pop() {
        let Some((cpu_ticks, rss_pages)) = stat(pid) else {
            continue;
        };
        if tree.cpu.insert(pid, cpu_ticks as f64 / ticks).is_some() {
            continue;
        }
        tree.rss += rss_pages * page;
        tree.io = tree.io.zip(io(pid)).map(|(a, b)| (a.0 + b.0, a.1 + b.1));
        waiting.extend(children(pid));
    }
    (!tree.cpu.is_empty()).then_some(tree)
}

impl TreeUse {
    /// CPU seconds used since an earlier look.
    pub(super) fn cpu_since(&self, before: &Self) -> f64 {
        let used = self.cpu.iter().map(|(pid, now)| {
            let then = before.cpu.get(pid).copied().unwrap_or(0.0);
            (now - then).max(0.0)
        });
        used.sum()
    }
}

/// CPU ticks (user and system) and resident pages. The program's name may hold anything, so fields count from after it.
fn stat(pid: u32) -> Option<(u64, u64)> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let after_name = text.rsplit_once(')')?.1;
    let field = |number: usize| -> Option<u64> {
        // The first field after the name is the third of the line.
        after_name.split_whitespace().nth(number - 3)?.parse().ok()
    };
    Some((field(14)? + field(15)?, field(24)?))
}

fn io(pid: u32) -> Option<(u64, u64)> {
    let text = fs::read_to_string(format!("/proc/{pid}/io")).ok()?;
    let value = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name));
        line?.trim().parse().ok()
    };
    Some((value("read_bytes:")?, value("write_bytes:")?))
}

fn children(pid: u32) -> Vec<u32> {
    let Ok(threads) = fs::read_dir(format!("/proc/{pid}/task")) else {
        return Vec::new();
    };
    let lists = threads
        .flatten()
        .filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    let mut found = Vec::new();
    for list in lists {
        found.extend(
            list.split_whitespace()
                .filter_map(|pid| pid.parse::<u32>().ok()),
        );
    }
    found
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::look;
    use std::process::Command;

    #[test]
    fn a_process_and_its_child_are_seen_together() {
        let before = look(std::process::id()).unwrap();
        let mut child = Command::new("sleep").arg("30").spawn().unwrap();
        let with_child = look(std::process::id()).unwrap();
        // Other tests of this process have children of their own.
        assert!(with_child.cpu.contains_key(&child.id()) && !before.cpu.contains_key(&child.id()));
        assert!(with_child.cpu.contains_key(&std::process::id()) && with_child.rss > 0);
        assert!(with_child.cpu_since(&before) >= 0.0);
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(look(child.id()).is_none());
    }
}
