//! Finds and ends what a lost launcher left running. A launcher that is killed takes only the trial's own process with
//! it; what that had started is known by the `FAIRTRIAL_DIR` that every process of a trial inherits.

use rustix::process::{Pid, Signal, kill_process};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::Duration;

/// How often the processes are looked through: one that forks while it is being killed shows up in the next look.
const LOOKS: u32 = 50;
const PAUSE: Duration = Duration::from_millis(2);

/// Kills every process of a trial whose directory `belongs`, and says how many there were. Where processes cannot be
/// looked through (no `/proc`), none are found.
pub fn end_strays(belongs: impl Fn(&Path) -> bool) -> usize {
    let mut ended = std::collections::HashSet::new();
    // A process between fork and exec shows no environment for a moment: nothing found once is not nothing there.
    let mut nothing_found = 0;
    for _ in 0..LOOKS {
        let found: Vec<i32> = processes()
            .filter(|pid| {
                trial_dir(*pid).is_some_and(|dir| belongs(Path::new(OsStr::from_bytes(&dir))))
            })
            .collect();
        nothing_found = if found.is_empty() {
            nothing_found + 1
        } else {
            0
        };
        if nothing_found == 2 {
            break;
        }
        for pid in found {
            ended.insert(pid);
            if let Some(pid) = Pid::from_raw(pid) {
                let _ = kill_process(pid, Signal::KILL);
            }
        }
        std::thread::sleep(PAUSE);
    }
    ended.len()
}

fn processes() -> impl Iterator<Item = i32> {
    let entries = fs::read_dir("/proc").into_iter().flatten();
    entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
}

/// The directory of the trial that a process belongs to. One that has ended and is not yet reaped has none.
fn trial_dir(pid: i32) -> Option<Vec<u8>> {
    let environment = fs::read(format!("/proc/{pid}/environ")).ok()?;
    let mut entries = environment.split(|byte| *byte == 0);
    entries
        .find_map(|entry| entry.strip_prefix(b"FAIRTRIAL_DIR="))
        .map(<[u8]>::to_vec)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::end_strays;
    use std::process::Command;

    #[test]
    fn a_process_is_ended_by_the_directory_of_its_trial_and_no_other() {
        let start = |dir: &str| {
            let mut command = Command::new("sleep");
            command
                .arg("1000")
                .env("FAIRTRIAL_DIR", dir)
                .spawn()
                .unwrap()
        };
        let unique = format!("/strays-{}", std::process::id());
        let mut stray = start(&unique);
        let mut other = start(&format!("{unique}-other"));
        assert_eq!(end_strays(|dir| dir.as_os_str() == unique.as_str()), 1);
        assert!(!stray.wait().unwrap().success());
        assert!(other.try_wait().unwrap().is_none());
        other.kill().unwrap();
        other.wait().unwrap();
    }
}
