//! Whether the kernel killed something for memory in the control group that a scheduler put this process into. A trial
//! that dies so shows only a SIGKILL; the group's counter tells why.

use fairtrial_model::{Cause, Exit, Outcome, Record};
use std::path::{Path, PathBuf};

const SIGKILL: i32 = 9;

/// The count of kills for memory before a trial.
pub(crate) struct OomWatch {
    files: Vec<PathBuf>,
    before: u64,
}

impl OomWatch {
    pub(crate) fn begin() -> Self {
        let groups = std::fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
        let files = counters(&groups);
        let before = kills(&files);
        Self { files, before }
    }

    /// A trial that was killed while the counter rose ran out of memory.
    pub(crate) fn correct(&self, record: &mut Record) {
        let killed =
            record.outcome == Outcome::Failed && record.exit == Some(Exit::Signal(SIGKILL));
        if killed && kills(&self.files) > self.before {
            record.outcome = Outcome::Oom;
            record.cause = Some(Cause::Memory { limit_bytes: None });
        }
    }
}

/// The counters of this process's memory group and of those above it.
fn counters(groups: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for line in groups.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else {
            continue;
        };
        let (root, file) = match controllers {
            "" => ("/sys/fs/cgroup", "memory.events"),
            list if list.split(',').any(|name| name == "memory") => {
                ("/sys/fs/cgroup/memory", "memory.oom_control")
            }
            _ => continue,
        };
        let own = Path::new(root).join(path.trim_start_matches('/'));
        let above = own.ancestors().take_while(|dir| dir.starts_with(root));
        found.extend(above.map(|dir| dir.join(file)));
    }
    found
}

fn kills(files: &[PathBuf]) -> u64 {
    let read = |file: &PathBuf| std::fs::read_to_string(file).ok();
    files.iter().filter_map(read).map(|text| count(&text)).sum()
}

fn count(text: &str) -> u64 {
    let line = text.lines().find_map(|line| line.strip_prefix("oom_kill "));
    line.and_then(|number| number.trim().parse().ok())
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::{count, counters};
    use std::path::Path;

    #[test]
    fn both_hierarchies_are_read() {
        let found = counters("9:cpu,cpuacct:/a\n4:memory:/slurm_n1/job_7\n0::/init.scope\n");
        let has = |path: &str| found.iter().any(|file| file == Path::new(path));
        assert!(has(
            "/sys/fs/cgroup/memory/slurm_n1/job_7/memory.oom_control"
        ));
        assert!(has("/sys/fs/cgroup/memory/slurm_n1/memory.oom_control"));
        assert!(has("/sys/fs/cgroup/init.scope/memory.events"));
        assert_eq!(found.len(), 5);
        assert_eq!(count("oom_kill_disable 0\nunder_oom 0\noom_kill 3\n"), 3);
        assert_eq!(count("low 0\noom 1\noom_kill 2\n"), 2);
        assert_eq!(count(""), 0);
    }
}
