//! Whether the kernel killed something for memory in the control group that a scheduler put this process into. A trial
//! that dies so shows only a SIGKILL, and one that goes on after it shows nothing; the group's counter tells.

use fairtrial_model::{Cause, Exit, Outcome, Record};
use std::path::{Path, PathBuf};

const SIGKILL: i32 = 9;

/// The count of kills for memory before a trial.
pub(crate) struct OomWatch {
    /// Where this process may be counted: its own group and those above it, which others share.
    any: Counters,
    /// Groups that hold this job and nothing else. A job runs its trials one at a time, so that a kill is the trial's.
    own: Counters,
}

impl OomWatch {
    pub(crate) fn begin() -> Self {
        let groups = std::fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
        let any = counters(&groups);
        let own = any.iter().filter(|file| is_of_one_job(file)).cloned();
        Self {
            own: Counters::begin(own.collect()),
            any: Counters::begin(any),
        }
    }

    /// A trial that was killed while a counter rose ran out of memory, and so did one that lost a process of its own.
    pub(crate) fn correct(&self, record: &mut Record) {
        let by_itself = matches!(
            (record.outcome, &record.cause),
            (Outcome::Ok, _) | (Outcome::Failed, Some(Cause::ExitCode { .. }))
        );
        let killed =
            record.outcome == Outcome::Failed && record.exit == Some(Exit::Signal(SIGKILL));
        if (killed && self.any.rose()) || (by_itself && self.own.rose()) {
            record.cause = Some(Cause::Memory {
                limit_bytes: None,
                went_on: record.outcome == Outcome::Ok,
            });
            record.outcome = Outcome::Oom;
        }
    }
}

/// Files with counts, and their sum when they were first looked at.
struct Counters {
    files: Vec<PathBuf>,
    before: u64,
}

impl Counters {
    fn begin(files: Vec<PathBuf>) -> Self {
        let before = kills(&files);
        Self { files, before }
    }

    fn rose(&self) -> bool {
        kills(&self.files) > self.before
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

/// Whether a group is that of one job, as Slurm makes them (`.../job_4711/step_batch/...`).
fn is_of_one_job(file: &Path) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let mut names = file.iter().filter_map(|name| name.to_str());
    names.any(|name| name.strip_prefix("job_").is_some_and(is_number))
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
    use super::{Counters, OomWatch, count, counters, is_of_one_job};
    use fairtrial_model::{Cause, Exit, Outcome, Record};
    use std::path::{Path, PathBuf};

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
        let own = found.iter().filter(|file| is_of_one_job(file));
        assert_eq!(own.count(), 1, "the others are shared");
        assert_eq!(count("oom_kill_disable 0\nunder_oom 0\noom_kill 3\n"), 3);
        assert_eq!(count("low 0\noom 1\noom_kill 2\n"), 2);
        assert_eq!(count(""), 0);
    }

    /// The outcome and cause of a trial while both, or only a shared, counter rose.
    fn judged(outcome: Outcome, exit: Exit, own_rose: bool) -> (Outcome, Option<Cause>) {
        let dir = tempfile::tempdir().unwrap();
        let file = |name: &str| -> Vec<PathBuf> {
            let path = dir.path().join(name);
            std::fs::write(&path, "oom_kill 2\n").unwrap();
            vec![path]
        };
        let watch = OomWatch {
            any: Counters::begin(file("any")),
            own: Counters::begin(file("own")),
        };
        std::fs::write(dir.path().join("any"), "oom_kill 3\n").unwrap();
        if own_rose {
            std::fs::write(dir.path().join("own"), "oom_kill 3\n").unwrap();
        }
        let text = r#"{"schema":1,"id":"0123456789abcdef0123456789abcdef","attempt":1,"outcome":"ok",
            "trial":{"index":0,"task":"t","arm":"a","seed":1},"ended_at":"2025-08-24T12:34:56Z","resources":{}}"#;
        let mut record: Record = serde_json::from_str(text).unwrap();
        (record.outcome, record.exit) = (outcome, Some(exit));
        watch.correct(&mut record);
        (record.outcome, record.cause)
    }

    #[test]
    fn a_trial_that_went_on_after_a_kill_is_out_of_memory_where_the_kill_was_its_own() {
        let (outcome, cause) = judged(Outcome::Ok, Exit::Code(0), true);
        assert_eq!(outcome, Outcome::Oom);
        assert_eq!(
            cause.unwrap().to_string(),
            "one of its processes was killed for memory; the program itself went on"
        );
        // Somebody else's.
        assert_eq!(
            judged(Outcome::Ok, Exit::Code(0), false),
            (Outcome::Ok, None)
        );
        let (outcome, cause) = judged(Outcome::Failed, Exit::Signal(9), false);
        assert_eq!(outcome, Outcome::Oom);
        assert_eq!(cause.unwrap().to_string(), "killed for memory");
    }
}
