//! Containers that outlived their owner: found by their labels, told from living ones by the owner's process.

use super::find_program;
use serde::Serialize;
use std::path::Path;
use std::process::{Command, Stdio};

/// The label with the owner of a container.
pub(super) const OWNER_LABEL: &str = "fairtrial.owner";

/// Who owns a container: this process, told apart from a later one with the same number by when it started.
pub(super) fn owner() -> String {
    let pid = std::process::id();
    format!("{pid}:{}", started(pid).unwrap_or_default())
}

/// When a process started, in the system's ticks; absent for one that has ended.
fn started(pid: u32) -> Option<String> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let mut after_name = stat.rsplit_once(") ")?.1.split_whitespace();
    let state = after_name.next()?;
    let ended = matches!(state, "Z" | "X");
    after_name.nth(18).filter(|_| !ended).map(str::to_owned)
}

/// Whether there is a process of this number that has not ended.
pub(super) fn is_running(pid: u32) -> bool {
    started(pid).is_some()
}

fn is_alive(owner: &str) -> bool {
    let (pid, since) = owner.split_once(':').unwrap_or((owner, ""));
    let Ok(pid) = pid.parse() else { return false };
    started(pid).is_some_and(|now| now == since)
}

/// A container whose owner is dead.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Leftover {
    /// The program that knows it.
    pub program: &'static str,
    /// Its name.
    pub name: String,
    /// The attempt it belonged to.
    pub trial: String,
}

/// Every container of ours whose owner is dead.
pub fn list_leftovers() -> Vec<Leftover> {
    let mut found = Vec::new();
    for program in super::CONTAINER_PROGRAMS {
        if let Some(path) = find_program(program) {
            found.extend(list(program, &path));
        }
    }
    found
}

fn list(program: &'static str, path: &Path) -> Vec<Leftover> {
    let filter = format!("label={OWNER_LABEL}");
    let listed = output(
        path,
        &[
            "ps",
            "-a",
            "--filter",
            &filter,
            "--format",
            "{{.ID}} {{.Names}}",
        ],
    );
    let known = listed.lines().filter_map(|line| line.split_once(' '));
    known
        .filter_map(|(id, name)| {
            let trial = match labels(path, id) {
                Some((owner, _)) if is_alive(&owner) => return None,
                Some((_, trial)) => trial,
                // One whose removal was cut short cannot be looked into; one that is gone since needs nothing.
                None if is_listed(path, id) => String::new(),
                None => return None,
            };
            Some(Leftover {
                program,
                name: name.trim().to_owned(),
                trial,
            })
        })
        .collect()
}

/// Owner and attempt of a container. `ps` prints labels in a way of each program's own; `inspect` is the same for both.
/// It is asked for one at a time, since one that cannot be looked into would keep it from answering for the others.
fn labels(path: &Path, id: &str) -> Option<(String, String)> {
    let format = format!(
        "{{{{index .Config.Labels \"{OWNER_LABEL}\"}}}}\t{{{{index .Config.Labels \"fairtrial.trial\"}}}}"
    );
    let text = output(path, &["container", "inspect", "--format", &format, id]);
    let (owner, trial) = text.trim_end().split_once('\t')?;
    Some((owner.to_owned(), trial.to_owned()))
}

fn is_listed(path: &Path, id: &str) -> bool {
    let filter = format!("id={id}");
    !output(path, &["ps", "-aq", "--filter", &filter])
        .trim()
        .is_empty()
}

/// What a command of the program prints; nothing where it fails.
pub(super) fn output(program: &Path, args: &[&str]) -> String {
    let ran = Command::new(program)
        .args(args)
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output();
    let text = ran.map(|out| out.stdout).unwrap_or_default();
    String::from_utf8_lossy(&text).into_owned()
}

/// Removes a container; says whether that worked.
pub fn remove_leftover(leftover: &Leftover) -> bool {
    remove(Path::new(leftover.program), &leftover.name)
}

pub(super) fn remove(program: &Path, name: &str) -> bool {
    let mut command = Command::new(program);
    command.args(["rm", "-f", "-v"]);
    if program
        .file_name()
        .is_some_and(|program| program == "podman")
    {
        // It would wait ten seconds for a program that does not heed a polite end; docker does not wait.
        command.args(["-t", "0"]);
    }
    let ran = command
        .arg(name)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    ran.is_ok_and(|status| status.success())
}

#[cfg(test)]
mod tests {
    use super::{is_alive, owner};

    #[test]
    fn an_owner_is_a_process_and_not_its_number() {
        let own = owner();
        assert!(is_alive(&own));
        let (pid, since) = own.split_once(':').unwrap();
        assert!(!is_alive(&format!("{pid}:{since}0")));
        assert!(!is_alive("nobody"));
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let stat = || std::fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap();
        while !stat().contains(") Z ") {
            std::thread::yield_now();
        }
        let since = stat().rsplit_once(") ").unwrap().1.to_owned();
        let since = since.split_whitespace().nth(19).unwrap();
        assert!(
            !is_alive(&format!("{}:{since}", child.id())),
            "it waits to be reaped"
        );
        child.wait().unwrap();
    }
}
