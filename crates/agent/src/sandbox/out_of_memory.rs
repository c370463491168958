//! Whether the memory limit of a container was reached. Docker and podman learn it from the kernel by a message of its
//! own, which on a busy machine comes after that of the container's end, or not at all where the container's control
//! group is gone by then. The kernel's count of ended processes says when waiting for it is worth while.

use super::program::ContainerProgram;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::sleep;
use std::time::Duration;

/// How often it is asked again, and how long after the last time, where the kernel did end something.
const AGAIN: u32 = 20;
const PAUSE: Duration = Duration::from_millis(100);

/// The exit code of a container whose program was ended by a signal that none can heed.
const KILLED: i32 = 137;

/// Watches what the kernel ends for want of memory while a container runs.
pub(super) struct Watch {
    count: fn() -> Option<u64>,
    before: AtomicU64,
    since_s: AtomicU64,
}

impl Default for Watch {
    fn default() -> Self {
        Self::of(kernels_count)
    }
}

impl Watch {
    fn of(count: fn() -> Option<u64>) -> Self {
        Self {
            count,
            before: AtomicU64::new(0),
            since_s: AtomicU64::new(0),
        }
    }

    /// Takes the count before a container starts.
    pub(super) fn begin(&self) {
        let before = (self.count)().unwrap_or_default();
        self.before.store(before, Ordering::Relaxed);
        self.since_s.store(now_s(), Ordering::Relaxed);
    }

    /// Whether the limit ended the container, which ended with this code. `seen` looks for another sign of it.
    pub(super) fn was_reached(
        &self,
        ended: &EndedContainer<'_>,
        mut seen: impl FnMut() -> bool,
    ) -> bool {
        if seen() || ended.is_flagged() {
            return true;
        }
        // Where there is no count the first answer has to do, as it has where a count stands still.
        let before = self.before.load(Ordering::Relaxed);
        if (self.count)().is_none_or(|now| now == before) {
            return false;
        }
        for _ in 0..AGAIN {
            sleep(PAUSE);
            let since_s = self.since_s.load(Ordering::Relaxed);
            if seen() || ended.is_flagged() || ended.has_event(since_s) {
                return true;
            }
        }
        // The message was lost. Something was ended for want of memory, and nobody else ends a program that way.
        ended.code == KILLED
    }
}

/// A container that has ended.
pub(super) struct EndedContainer<'a> {
    pub(super) program: &'a ContainerProgram,
    pub(super) name: &'a str,
    pub(super) code: i32,
}

impl EndedContainer<'_> {
    fn is_flagged(&self) -> bool {
        let format = "{{.State.OOMKilled}}";
        let asked = ["container", "inspect", "--format", format, self.name];
        self.program.said(&asked).trim() == "true"
    }

    /// Older dockers keep a message that came late among the events only.
    fn has_event(&self, since_s: u64) -> bool {
        if !self.program.is("docker") {
            return false;
        }
        let (since, until) = (since_s.to_string(), now_s().to_string());
        let container = format!("container={}", self.name);
        let span = ["events", "--since", &since, "--until", &until];
        let which = ["--filter", "event=oom", "--filter", &container];
        let events = self.program.said(&[&span[..], &which].concat());
        !events.trim().is_empty()
    }
}

fn now_s() -> u64 {
    let now = std::time::SystemTime::UNIX_EPOCH.elapsed();
    now.unwrap_or_default().as_secs()
}

/// How many processes the kernel has ended for want of memory, in any control group.
fn kernels_count() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/vmstat").ok()?;
    let mut lines = text.lines();
    lines.find_map(|line| line.strip_prefix("oom_kill ")?.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::{ContainerProgram, EndedContainer, Watch};
    use std::path::{Path, PathBuf};
    use std::sync::atomic::Ordering;
    use std::time::Duration;

    /// A docker whose answers are these, one for each time it is asked; the last is repeated.
    fn docker(dir: &Path, inspect: &[&str], events: &str) -> PathBuf {
        use std::os::unix::fs::PermissionsExt;
        let answers = inspect.join("\n");
        let program = dir.join("docker");
        let script = format!(
            "#!/bin/sh\ncase $1 in\ncontainer) echo x >> {0}/asked; n=$(wc -l < {0}/asked)\n\
             printf '%s\\n' '{answers}' | head -n $n | tail -n 1 ;;\nevents) printf '%s' '{events}' ;;\nesac\n",
            dir.display()
        );
        std::fs::write(&program, script).unwrap();
        std::fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
        program
    }

    fn asked(inspect: &[&str], events: &str, code: i32, kernel_ended_one: bool) -> (bool, usize) {
        let dir = tempfile::tempdir().unwrap();
        let program = docker(dir.path(), inspect, events);
        let watch = Watch::of(|| Some(7));
        watch.begin();
        if kernel_ended_one {
            watch.before.fetch_sub(1, Ordering::Relaxed);
        }
        let container = EndedContainer {
            program: &ContainerProgram::at(program, Duration::from_mins(1)),
            name: "c",
            code,
        };
        let was = watch.was_reached(&container, || false);
        let asked = std::fs::read_to_string(dir.path().join("asked")).unwrap();
        (was, asked.lines().count())
    }

    #[test]
    fn a_late_message_is_waited_for_only_where_the_kernel_ended_something() {
        assert_eq!(asked(&["true"], "", 3, false), (true, 1));
        assert_eq!(asked(&["false", "true"], "", 137, false), (false, 1));
        assert_eq!(asked(&["false", "false", "true"], "", 3, true), (true, 3));
        assert_eq!(asked(&["false"], "an event", 3, true), (true, 2));
        assert!(!asked(&["false"], "", 3, true).0, "its own failure");
        assert!(asked(&["false"], "", 137, true).0, "the message was lost");
    }
}
