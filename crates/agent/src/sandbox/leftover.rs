//! Containers that outlived their owner: found by their labels, told from living ones by the owner's process.

use super::program::{CONTAINER_PROGRAMS, ContainerProgram};
use fairtrial_process::ProcessError;
use serde::Serialize;

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

/// What was found of containers whose owner is dead.
#[derive(Debug, Default)]
pub struct Leftovers {
    /// The containers.
    pub found: Vec<Leftover>,
    /// Programs that did not answer in time, in words: what they know of is not known here.
    pub silent: Vec<String>,
}

/// Every container of ours whose owner is dead.
pub fn list_leftovers() -> Leftovers {
    let mut all = Leftovers::default();
    for name in CONTAINER_PROGRAMS {
        if let Some(program) = ContainerProgram::find(name) {
            list(name, &program, &mut all);
        }
    }
    all
}

fn list(name: &'static str, program: &ContainerProgram, all: &mut Leftovers) {
    let filter = format!("label={OWNER_LABEL}");
    let format = ["--format", "{{.ID}} {{.Names}}"];
    let listed = program.ask(&[&["ps", "-a", "--filter", &filter][..], &format].concat());
    let found = listed.and_then(|listed| {
        let known = listed.lines().filter_map(|line| line.split_once(' '));
        let found = known.map(|(id, container)| {
            Ok(dead_trial(program, id)?.map(|trial| Leftover {
                program: name,
                name: container.trim().to_owned(),
                trial,
            }))
        });
        found
            .filter_map(Result::transpose)
            .collect::<Result<Vec<_>, _>>()
    });
    match found {
        Ok(found) => all.found.extend(found),
        Err(late @ ProcessError::Late { .. }) => {
            all.silent.push(format!("{name}: {}", late.reason()));
        }
        // One that is not set up, or whose service is down, has no containers that could be removed.
        Err(_) => {}
    }
}

/// The attempt of a container whose owner is dead; nothing for one that is alive or gone.
fn dead_trial(program: &ContainerProgram, id: &str) -> Result<Option<String>, ProcessError> {
    Ok(match labels(program, id)? {
        Some((owner, _)) if is_alive(&owner) => None,
        Some((_, trial)) => Some(trial),
        // One whose removal was cut short cannot be looked into; one that is gone since needs nothing.
        None if is_listed(program, id)? => Some(String::new()),
        None => None,
    })
}

/// Owner and attempt of a container. `ps` prints labels in a way of each program's own; `inspect` is the same for both.
/// It is asked for one at a time, since one that cannot be looked into would keep it from answering for the others.
fn labels(program: &ContainerProgram, id: &str) -> Result<Option<(String, String)>, ProcessError> {
    let format = format!(
        "{{{{index .Config.Labels \"{OWNER_LABEL}\"}}}}\t{{{{index .Config.Labels \"fairtrial.trial\"}}}}"
    );
    let text = match program.ask(&["container", "inspect", "--format", &format, id]) {
        Ok(text) => text,
        Err(late @ ProcessError::Late { .. }) => return Err(late),
        Err(_) => return Ok(None),
    };
    let labels = text.trim_end().split_once('\t');
    Ok(labels.map(|(owner, trial)| (owner.to_owned(), trial.to_owned())))
}

fn is_listed(program: &ContainerProgram, id: &str) -> Result<bool, ProcessError> {
    let filter = format!("id={id}");
    let listed = program.ask(&["ps", "-aq", "--filter", &filter])?;
    Ok(!listed.trim().is_empty())
}

/// Removes a container; says whether that worked.
pub fn remove_leftover(leftover: &Leftover) -> bool {
    ContainerProgram::find(leftover.program).is_some_and(|program| program.remove(&leftover.name))
}

#[cfg(test)]
mod tests {
    use super::{ContainerProgram, Leftovers, is_alive, list, owner};
    use std::os::unix::fs::PermissionsExt;
    use std::time::Duration;

    #[test]
    fn a_program_that_hangs_is_told_and_not_waited_for() {
        let dir = tempfile::tempdir().unwrap();
        let hanging = "#!/bin/sh\nsleep 1000\n";
        let hangs_later =
            "#!/bin/sh\ncase $1 in ps) echo 1 one; echo 2 two;; *) sleep 1000;; esac\n";
        for script in [hanging, hangs_later] {
            let path = dir.path().join("podman");
            std::fs::write(&path, script).unwrap();
            std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
            let program = ContainerProgram::at(path, Duration::from_millis(300));
            let mut all = Leftovers::default();
            list("podman", &program, &mut all);
            assert!(all.found.is_empty(), "{all:?}");
            let silent = all.silent.join("\n");
            assert!(
                silent.starts_with("podman: it took longer than 0.3 s"),
                "{silent}"
            );
        }
    }

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
