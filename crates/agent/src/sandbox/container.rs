//! `podman` and `docker`: one container per phase, labelled with its run, its attempt and its owner, so that whoever
//! comes later can tell a living one from one whose owner is dead.

use super::{Confined, Env, Labels, Room, Sandbox, find_program, fixed_room, is_online};
use crate::error::AgentError;
use fairtrial_spec::{SandboxChoice, SandboxKind};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Variables that belong to this machine and not to a container.
const MACHINES: [&str; 12] = [
    "PATH", "HOME", "PWD", "OLDPWD", "SHELL", "TMPDIR", "USER", "LOGNAME", "HOSTNAME", "TERM",
    "SHLVL", "MAIL",
];
/// Prefixes of such variables.
const MACHINES_START: [&str; 4] = ["XDG_", "LD_", "DBUS_", "SSH_"];

pub(super) struct Container {
    kind: SandboxKind,
    program: PathBuf,
    choice: SandboxChoice,
    image: String,
    labels: Labels,
}

pub(super) fn open(
    kind: SandboxKind,
    choice: &SandboxChoice,
    labels: &Labels,
) -> Result<Container, AgentError> {
    let word = kind.word();
    let Some(program) = find_program(word) else {
        return Err(AgentError::Sandbox(format!(
            "`{word}` is not installed; install it, or choose another sandbox"
        )));
    };
    let Some(image) = choice.image.clone() else {
        return Err(AgentError::Sandbox(format!(
            "sandbox = \"{word}\" needs an image: sandbox = {{ kind = \"{word}\", image = \"NAME\" }}"
        )));
    };
    Ok(Container {
        kind,
        program,
        choice: choice.clone(),
        image,
        labels: labels.clone(),
    })
}

impl Sandbox for Container {
    fn kind(&self) -> SandboxKind {
        self.kind
    }

    fn inside(&self, room: &Room) -> Room {
        fixed_room(room)
    }

    fn confine(&self, room: &Room, argv: &[String], env: &Env) -> Confined {
        let inside = fixed_room(room);
        let mut words = vec![self.program.display().to_string()];
        let mut all = |some: &[&str]| words.extend(some.iter().map(|word| (*word).to_owned()));
        all(&[
            "run",
            "--rm",
            "--init",
            "--pull=never",
            "--name",
            &room.name,
        ]);
        for (key, value) in [
            ("run", self.labels.run.as_str()),
            ("trial", self.labels.trial.as_str()),
            ("owner", &owner()),
        ] {
            all(&["--label", &format!("fairtrial.{key}={value}")]);
        }
        if !is_online(&self.choice) {
            all(&["--network", "none"]);
        }
        if let Some(bytes) = self.choice.memory_bytes {
            all(&["--memory", &bytes.to_string()]);
        }
        if let Some(cpus) = self.choice.cpus {
            all(&["--cpus", &cpus.to_string()]);
        }
        for (from, to, how) in [
            (&room.workspace, &inside.workspace, "rw"),
            (&room.inputs, &inside.inputs, "ro"),
            (&room.out, &inside.out, "rw"),
            (&room.home, &inside.home, "rw"),
        ] {
            all(&["-v", &format!("{}:{}:{how}", from.display(), to.display())]);
        }
        for path in &self.choice.read {
            all(&["-v", &format!("{path}:{path}:ro")]);
        }
        all(&["-w", "/workspace", "--env", "HOME=/home/agent"]);
        // Names only: the values are read from our environment and stand in no argument.
        for name in env.keys().filter(|name| !is_machines(name)) {
            all(&["--env", name]);
        }
        all(&[&self.image]);
        words.extend_from_slice(argv);
        Confined {
            argv: words,
            env: env.clone(),
            workdir: room.workspace.clone(),
        }
    }

    fn end(&self, room: &Room) {
        // One that is gone already is what was wanted.
        let _ = remove(&self.program, &room.name);
    }
}

fn is_machines(name: &str) -> bool {
    MACHINES.contains(&name) || MACHINES_START.iter().any(|start| name.starts_with(start))
}

/// Who owns a container: this process, told apart from a later one with the same number by when it started.
fn owner() -> String {
    let pid = std::process::id();
    format!("{pid}:{}", started(pid).unwrap_or_default())
}

/// When a process started, in the system's ticks.
fn started(pid: u32) -> Option<String> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let after_name = stat.rsplit_once(") ")?.1;
    after_name.split_whitespace().nth(19).map(str::to_owned)
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
    for program in ["podman", "docker"] {
        let Some(path) = find_program(program) else {
            continue;
        };
        let format = "{{.Names}}\t{{.Label \"fairtrial.owner\"}}\t{{.Label \"fairtrial.trial\"}}";
        let listed = Command::new(&path)
            .args(["ps", "-a", "--filter", "label=fairtrial.owner"])
            .args(["--format", format])
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .output();
        let text = listed.map(|out| out.stdout).unwrap_or_default();
        for line in String::from_utf8_lossy(&text).lines() {
            let mut parts = line.split('\t').map(str::trim);
            let (Some(name), Some(owner)) = (parts.next(), parts.next()) else {
                continue;
            };
            if !is_alive(owner) {
                found.push(Leftover {
                    program,
                    name: name.to_owned(),
                    trial: parts.next().unwrap_or_default().to_owned(),
                });
            }
        }
    }
    found
}

/// Removes a container; says whether that worked.
pub fn remove_leftover(leftover: &Leftover) -> bool {
    remove(Path::new(leftover.program), &leftover.name)
}

fn remove(program: &Path, name: &str) -> bool {
    let mut command = Command::new(program);
    command.args(["rm", "-f", "-v", name]);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}
