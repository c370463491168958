//! `bubblewrap`: the system read-only, a home and a temporary folder of its own, nothing else of this machine's files,
//! its own processes, and no network where that is asked for.

use super::contract::{Confined, Env, Room, Sandbox, find_program, fixed_room, is_online};
use crate::error::AgentError;
use crate::process::ProgramEnd;
use fairtrial_spec::{SandboxChoice, SandboxKind};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// What a system is made of.
const SYSTEM: [&str; 9] = [
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc", "/opt", "/nix",
];
/// Where names are looked up, which `/etc/resolv.conf` may point to.
const RESOLVERS: [&str; 2] = ["/run/systemd/resolve", "/run/resolvconf"];

pub(super) struct Bubblewrap {
    program: PathBuf,
    choice: SandboxChoice,
}

/// The program, where it is installed and works here.
pub(super) fn program() -> Option<&'static Path> {
    static FOUND: OnceLock<Option<PathBuf>> = OnceLock::new();
    FOUND.get_or_init(|| find_program("bwrap")).as_deref()
}

/// Whether a program of this machine is there inside.
pub fn is_visible(path: &Path, choice: &SandboxChoice) -> bool {
    // A link in a visible folder may point out of it.
    let real = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let seen = |path: &Path| {
        let below = |folder: &str| path.starts_with(folder);
        SYSTEM.iter().any(|folder| below(folder)) || choice.read.iter().any(|folder| below(folder))
    };
    seen(path) && seen(&real)
}

pub(super) fn open(choice: &SandboxChoice) -> Result<Bubblewrap, AgentError> {
    let Some(program) = program() else {
        return Err(AgentError::Sandbox(
            "`bwrap` is not installed; install bubblewrap, or choose sandbox = \"process\" for agents that you trust"
                .to_owned(),
        ));
    };
    for path in &choice.read {
        if !Path::new(path).exists() {
            return Err(AgentError::Sandbox(format!(
                "sandbox.read: {path} is not there"
            )));
        }
    }
    Ok(Bubblewrap {
        program: program.to_owned(),
        choice: choice.clone(),
    })
}

impl Sandbox for Bubblewrap {
    fn kind(&self) -> SandboxKind {
        SandboxKind::Bubblewrap
    }

    fn inside(&self, room: &Room) -> Room {
        fixed_room(room)
    }

    fn confine(&self, room: &Room, argv: &[String], env: &Env) -> Confined {
        let inside = fixed_room(room);
        let mut words = Words(vec![self.program.display().to_string()]);
        words.all(&["--die-with-parent", "--new-session", "--unshare-pid"]);
        words.all(&["--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"]);
        if !is_online(&self.choice) {
            words.all(&["--unshare-net"]);
        }
        for folder in SYSTEM.iter().chain(&RESOLVERS) {
            words.all(&["--ro-bind-try", folder, folder]);
        }
        words.all(&["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"]);
        words.all(&["--dir", "/var/tmp", "--dir", "/home"]);
        words.bind("--bind", &room.home, &inside.home);
        words.bind("--bind", &room.workspace, &inside.workspace);
        words.bind("--ro-bind", &room.inputs, &inside.inputs);
        words.bind("--bind", &room.out, &inside.out);
        for path in &self.choice.read {
            words.all(&["--ro-bind", path, path]);
        }
        words.all(&["--chdir", "/workspace", "--"]);
        words.0.extend_from_slice(argv);
        let mut env = env.clone();
        env.insert("HOME".to_owned(), inside.home.display().to_string());
        env.insert("PWD".to_owned(), inside.workspace.display().to_string());
        env.remove("TMPDIR");
        Confined {
            argv: words.0,
            env,
            workdir: room.workspace.clone(),
        }
    }

    fn trouble(&self, ended: &ProgramEnd) -> Option<String> {
        let said = ended.last_line();
        let own = ended.code != 0 && said.starts_with("bwrap: ");
        own.then(|| format!("the sandbox could not be started: {said}"))
    }
}

struct Words(Vec<String>);

impl Words {
    fn all(&mut self, words: &[&str]) {
        self.0.extend(words.iter().map(|word| (*word).to_owned()));
    }

    fn bind(&mut self, how: &str, from: &Path, to: &Path) {
        self.all(&[how, &from.display().to_string(), &to.display().to_string()]);
    }
}
