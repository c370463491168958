//! `podman` and `docker`: one container per phase, labelled with its run, its attempt and its owner, so that whoever
//! comes later can tell a living one from one whose owner is dead.

use super::caps::Caps;
use super::contract::{Confined, Env, Order, Room, Sandbox, fixed_room};
use super::held::HeldContainer;
use super::image::{Builder, Recipe, allowed_limits};
use super::leftover::{OWNER_LABEL, owner};
use super::out_of_memory::{EndedContainer, Watch};
use super::program::ContainerProgram;
use crate::error::AgentError;
use crate::process::ProgramEnd;
use crate::sandbox::setting::{Labels, Setting};
use fairtrial_journal::redact::Redactor;
use fairtrial_process::ProcessError;
use fairtrial_spec::{Network, SandboxChoice, SandboxKind};
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

/// Variables that belong to this machine and not to a container. The program that starts containers may need them.
const MACHINES: [&str; 15] = [
    "PATH", "HOME", "PWD", "OLDPWD", "SHELL", "TMPDIR", "USER", "LOGNAME", "HOSTNAME", "TERM",
    "SHLVL", "MAIL", "LANG", "LANGUAGE", "TZ",
];
/// Prefixes of such variables.
const MACHINES_START: [&str; 8] = [
    "XDG_",
    "LC_",
    "LD_",
    "DBUS_",
    "SSH_",
    "CONTAINERS_",
    "DOCKER_",
    "STORAGE_",
];
/// Rights that the root of a container has by default and no task needs: devices, raw packets, the audit log.
const NEEDLESS: [&str; 3] = ["MKNOD", "NET_RAW", "AUDIT_WRITE"];

/// How long a program in a container may take to say its version. The first start from an image takes seconds on a busy
/// machine.
const VERSION_LIMIT: Duration = Duration::from_secs(30);

/// How the last word begins of a program, or of the first process that it put in, that could not start a command.
const NOT_STARTED: [&str; 5] = [
    "Error: ",
    "Error response from daemon",
    "docker: ",
    "ERROR (catatonit:",
    "[FATAL tini",
];

/// The file by which podman's monitor tells that the memory limit was reached. It belongs beside the container, where
/// `inspect` knows of it; podman before 4.4 starts its monitor where it was started itself, and the file lies there.
const OOM_FILE: &str = "oom";

pub(crate) struct Container {
    kind: SandboxKind,
    program: ContainerProgram,
    choice: SandboxChoice,
    image: Image,
    labels: Labels,
    memory: Watch,
}

enum Image {
    /// One that is there.
    Ready(String),
    /// One that the task brings.
    Built(Recipe),
}

pub(crate) fn open(
    kind: SandboxKind,
    choice: &SandboxChoice,
    setting: Setting,
) -> Result<Container, AgentError> {
    let word = kind.word();
    let Some(program) = ContainerProgram::find(word) else {
        return Err(AgentError::Sandbox(format!(
            "`{word}` is not installed; install it, or choose another sandbox"
        )));
    };
    let image = match (&choice.image, setting.recipe) {
        (Some(name), _) => Image::Ready(name.clone()),
        (None, Some(recipe)) => Image::Built(recipe),
        (None, None) => {
            return Err(AgentError::Sandbox(format!(
                "sandbox = \"{word}\" needs an image: a Dockerfile in the task's folder, or sandbox = {{ kind = \"{word}\", image = \"NAME\" }}"
            )));
        }
    };
    Ok(Container {
        kind,
        program,
        choice: choice.clone(),
        image,
        labels: setting.labels,
        memory: Watch::default(),
    })
}

impl Image {
    fn name(&self) -> String {
        match self {
            Self::Ready(name) => name.clone(),
            Self::Built(recipe) => recipe.tag(),
        }
    }
}

impl Container {
    pub(super) fn program(&self) -> &ContainerProgram {
        &self.program
    }

    /// Bytes that a container added to its image.
    pub(super) fn disk_of(&self, name: &str) -> u64 {
        let format = ["--size", "--format", "{{.SizeRw}}"];
        let asked = [&["container", "inspect"][..], &format, &[name]].concat();
        self.program.said(&asked).trim().parse().unwrap_or(0)
    }

    pub(super) fn image_name(&self) -> String {
        self.image.name()
    }

    /// The words that start a container of this name, up to what is its own.
    pub(super) fn run_words(&self, name: &str, is_closed: bool, caps: Caps) -> Vec<String> {
        let mut words = vec![self.program.path().display().to_string()];
        let mut all = |some: &[&str]| words.extend(some.iter().map(|word| (*word).to_owned()));
        // It is asked afterwards whether its memory limit ended it, and removed then. What it prints is kept by us alone.
        all(&["run", "--init", "--pull=never", "--log-driver=none"]);
        all(&["--name", name]);
        for (label, value) in [
            ("fairtrial.run", self.labels.run.as_str()),
            ("fairtrial.trial", self.labels.trial.as_str()),
            (OWNER_LABEL, &owner()),
        ] {
            all(&["--label", &format!("{label}={value}")]);
        }
        for word in allowed_limits(&self.program) {
            all(&[&word]);
        }
        for right in NEEDLESS {
            all(&["--cap-drop", right]);
        }
        if is_closed {
            all(&["--network", "none"]);
        }
        // Without the second, what does not fit would go to the swap and the limit be none.
        let bytes = caps.memory_bytes.to_string();
        all(&["--memory", &bytes, "--memory-swap", &bytes]);
        all(&["--pids-limit", &caps.processes.to_string()]);
        if let Some(cpus) = self.choice.cpus {
            all(&["--cpus", &cpus.to_string()]);
        }
        words
    }
}

impl Sandbox for Container {
    fn kind(&self) -> SandboxKind {
        self.kind
    }

    fn inside(&self, room: &Room) -> Room {
        fixed_room(room)
    }

    fn answers(&self) -> Result<(), AgentError> {
        let word = self.kind.word();
        let asked = self
            .program
            .ask_once(&["version", "--format", "{{.Server.Version}}"]);
        let why = match asked {
            Ok(_) => return Ok(()),
            // Podman without a service has no server, and needs none.
            Err(ProcessError::Failed { .. }) if self.kind == SandboxKind::Podman => return Ok(()),
            Err(error) => error.reason(),
        };
        Err(AgentError::Sandbox(format!(
            "`{word}` does not answer: {why}; start its service, or choose another sandbox"
        )))
    }

    fn prepare(&self, env: &Env, redactor: &Redactor) -> Result<(), AgentError> {
        match &self.image {
            Image::Ready(_) => Ok(()),
            Image::Built(recipe) => recipe.ensure(&Builder {
                program: &self.program,
                env,
                timeout_s: self.choice.build_timeout_s,
                redactor,
            }),
        }
    }

    fn confine(&self, room: &Room, order: &Order<'_>) -> Result<Confined, AgentError> {
        let inside = fixed_room(room);
        let is_closed = *order.network != Network::Full;
        let mut words = self.run_words(&room.name, is_closed, order.caps);
        let mut all = |some: &[&str]| words.extend(some.iter().map(|word| (*word).to_owned()));
        if order.reads {
            all(&["-i"]);
        }
        for (from, to, how) in [
            (&room.workspace, &inside.workspace, "rw"),
            (&room.inputs, &inside.inputs, "ro"),
            (&room.out, &inside.out, "rw"),
            (&room.home, &inside.home, "rw"),
        ] {
            all(&["-v", &format!("{}:{}:{how}", from.display(), to.display())]);
        }
        for name in order.fixed {
            let [from, to] = [room, &inside].map(|room| room.workspace.join(name));
            all(&["-v", &format!("{}:{}:ro", from.display(), to.display())]);
        }
        for path in &self.choice.read {
            all(&["-v", &format!("{path}:{path}:ro")]);
        }
        // The command is what runs, whatever an image would start by itself.
        all(&["--entrypoint", "", "-w", "/workspace"]);
        all(&["--env", "HOME=/home/agent"]);
        // Names only: the values are read from our environment and stand in no argument.
        for name in order.env.keys().filter(|name| !is_machines(name)) {
            all(&["--env", name]);
        }
        all(&[&self.image.name()]);
        let held = order.gateway.clone().map(|gateway| HeldContainer {
            program: self.program.clone(),
            name: room.name.clone(),
            inputs: room.inputs.clone(),
            gateway,
        });
        let on_start = match held {
            None => None,
            Some(held) => {
                words.extend(HeldContainer::waiting(&inside));
                Some(held.hold()?)
            }
        };
        words.extend_from_slice(order.argv);
        self.memory.begin();
        Ok(Confined {
            argv: words,
            env: with_machines(order.env),
            // Not the workspace: see `OOM_FILE`.
            workdir: room.outside().to_owned(),
            files: Vec::new(),
            on_start,
            entrance: None,
        })
    }

    fn memory_was_short(&self, room: &Room, ended: &ProgramEnd) -> bool {
        let file = room.outside().join(OOM_FILE);
        let seen = || fs::remove_file(&file).is_ok();
        let container = EndedContainer {
            program: &self.program,
            name: &room.name,
            code: ended.code,
        };
        let was = self.memory.was_reached(&container, seen);
        self.end(room);
        was
    }

    fn disk_used(&self, room: &Room) -> u64 {
        self.disk_of(&room.name)
    }

    fn storage(&self) -> Option<PathBuf> {
        let format = match self.kind {
            SandboxKind::Podman => "{{.Store.GraphRoot}}",
            _ => "{{.DockerRootDir}}",
        };
        let said = self.program.ask_once(&["info", "--format", format]).ok()?;
        let place = PathBuf::from(said.trim());
        place.is_dir().then_some(place)
    }

    fn trouble(&self, ended: &ProgramEnd) -> Option<String> {
        let said = ended.last_line();
        let is_word = |line: &str| NOT_STARTED.iter().any(|start| line.starts_with(start));
        let is_so = ended.code == 125 || (ended.code != 0 && is_word(&said));
        // Docker adds advice after its word.
        let mut lines = ended.tail.lines().rev();
        let word = lines.find(|line| is_word(line)).unwrap_or(&said);
        is_so.then(|| format!("the container could not be started: {word}"))
    }

    fn image(&self) -> Option<String> {
        Some(self.image_name())
    }

    fn version_in_image(&self, program: &str, name: &str, caps: Caps) -> Option<String> {
        let mut words = self.run_words(name, true, caps);
        for path in &self.choice.read {
            words.extend(["-v".to_owned(), format!("{path}:{path}:ro")]);
        }
        let image = self.image_name();
        let asked = ["--entrypoint", "", &image, program, "--version"];
        words.extend(asked.map(str::to_owned));
        // The first word is the program that runs containers.
        let env = with_machines(&Env::new());
        let ended = self.program.call(&words[1..], &env, VERSION_LIMIT);
        let _ = self.program.remove(name);
        Some(ended.ok()?.success().ok()?.text())
    }

    fn end(&self, room: &Room) {
        // One that is gone already is what was wanted.
        let _ = self.program.remove(&room.name);
    }
}

/// Variables with those of this machine, for the program that starts containers.
pub(super) fn with_machines(env: &Env) -> Env {
    let machines = std::env::vars().filter(|(name, _)| is_machines(name));
    let mut all: Env = machines.collect();
    all.extend(env.clone());
    all
}

pub(super) fn is_machines(name: &str) -> bool {
    MACHINES.contains(&name) || MACHINES_START.iter().any(|start| name.starts_with(start))
}
