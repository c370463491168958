//! A container that lasts for a whole rollout: what runs in it is put there by `exec`, one command after the other, as
//! different users. It is removed when this is dropped; where nobody lives to do that, its labels let others find it.

use super::caps::Caps;
use super::container::{Container, is_machines, with_machines};
use super::contract::{Confined, Env, Order, Room, Sandbox};
use crate::error::{AgentError, At};
use crate::process::ProgramEnd;
use fairtrial_journal::redact::Redactor;
use fairtrial_spec::SandboxKind;
use std::cell::{Cell, RefCell};
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;

/// The variable by which what one command started is found.
const MARK: &str = "FAIRTRIAL_EXEC";
/// How long starting it may take, and copying.
const LIMIT: Duration = Duration::from_mins(10);
/// Its first process: it waits, and reaps nothing, which `--init` does.
const WAITS: &str = "while :; do sleep 86400; done";

/// What is mounted into the container.
pub(crate) struct Mount {
    /// The folder of this machine.
    pub(crate) from: PathBuf,
    /// Where it is inside.
    pub(crate) to: &'static str,
    /// Whether it can only be read.
    pub(crate) is_read_only: bool,
}

/// As whom, and where, the next command runs.
#[derive(Debug, Clone, Default)]
pub(crate) struct Acting {
    /// A user of the container; absent means that of its image.
    pub(crate) user: Option<String>,
    /// Where it starts; absent means what the image says.
    pub(crate) workdir: Option<String>,
}

/// A container that lasts.
pub(crate) struct Lasting {
    inner: Container,
    name: String,
    acting: RefCell<Acting>,
    /// Its first process, as this machine numbers it.
    pid: Cell<Option<u32>>,
    /// The number of the command that runs.
    turn: Cell<u32>,
    /// What the kernel had ended in it for want of memory before that.
    killed: Cell<u64>,
    /// Where programs start that are not told otherwise.
    home: RefCell<String>,
}

impl Lasting {
    pub(crate) fn new(inner: Container, name: String) -> Rc<Self> {
        Rc::new(Self {
            inner,
            name,
            acting: RefCell::default(),
            pid: Cell::default(),
            turn: Cell::default(),
            killed: Cell::default(),
            home: RefCell::new("/".to_owned()),
        })
    }

    /// Starts it with these variables.
    pub(crate) fn start(
        &self,
        env: &Env,
        mounts: &[Mount],
        (is_closed, caps): (bool, Caps),
    ) -> Result<(), AgentError> {
        let mut words = self.inner.run_words(&self.name, is_closed, caps);
        words.push("-d".to_owned());
        for mount in mounts {
            let how = if mount.is_read_only { "ro" } else { "rw" };
            let from = mount.from.display();
            words.extend(["-v".to_owned(), format!("{from}:{}:{how}", mount.to)]);
        }
        // Names only: the values are read from our environment and stand in no argument.
        for name in env.keys() {
            words.extend(["--env".to_owned(), name.clone()]);
        }
        words.extend(["--entrypoint", ""].map(str::to_owned));
        words.extend([self.inner.image_name(), "sh".to_owned()]);
        words.extend(["-c", WAITS].map(str::to_owned));
        let started = self
            .inner
            .program()
            .call(&words[1..], &with_machines(env), LIMIT);
        let failed = |why: String| {
            AgentError::Sandbox(format!("the task's container could not be started: {why}"))
        };
        started
            .and_then(fairtrial_process::Ended::success)
            .map_err(|error| failed(error.reason()))?;
        let asked = [
            "container",
            "inspect",
            "--format",
            "{{.State.Pid}} {{.Config.WorkingDir}}",
        ];
        let said = self
            .inner
            .program()
            .said(&[&asked[..], &[&self.name]].concat());
        let (pid, home) = said.trim_end().split_once(' ').unwrap_or((said.trim(), ""));
        match pid.parse() {
            Ok(pid) if pid > 0 => self.pid.set(Some(pid)),
            _ => {
                return Err(failed(
                    "it ended at once; it needs `sh` and `sleep`".to_owned(),
                ));
            }
        }
        if !home.is_empty() {
            home.clone_into(&mut self.home.borrow_mut());
        }
        Ok(())
    }

    /// As whom, and where, the next commands run.
    pub(crate) fn act_as(&self, acting: Acting) {
        *self.acting.borrow_mut() = acting;
    }

    /// The folder in which commands start.
    pub(crate) fn workdir(&self) -> String {
        let acting = self.acting.borrow();
        acting
            .workdir
            .clone()
            .unwrap_or_else(|| self.home.borrow().clone())
    }

    /// Whether it is there and runs no more: what is in it may end it.
    pub(crate) fn has_ended(&self) -> bool {
        let format = ["--format", "{{.State.Running}}"];
        let asked = [&["container", "inspect"][..], &format, &[&self.name]].concat();
        self.inner.program().said(&asked).trim() == "false"
    }

    /// Copies what is in a folder of this machine into one of the container.
    pub(crate) fn put(&self, from: &Path, to: &str) -> Result<(), AgentError> {
        self.copy(
            &format!("{}/.", from.display()),
            &format!("{}:{to}", self.name),
        )
    }

    /// Copies something of the container to a place that is not there yet.
    pub(crate) fn take(&self, from: &str, to: &Path) -> Result<(), AgentError> {
        let folder = to.parent().unwrap_or(to);
        fs::create_dir_all(folder).at("create", folder)?;
        self.copy(&format!("{}:{from}", self.name), &to.display().to_string())
    }

    fn copy(&self, from: &str, to: &str) -> Result<(), AgentError> {
        let program = self.inner.program();
        let words = ["cp", from, to].map(str::to_owned);
        let copied = program.call(&words, &with_machines(&Env::new()), LIMIT);
        copied.and_then(fairtrial_process::Ended::success)?;
        Ok(())
    }

    /// Runs a script of ours as the container's root, with nothing of the rollout around it; says whether it ended well.
    pub(crate) fn tidy(&self, script: &str) -> bool {
        let words = ["exec", "--user", "0", &self.name, "sh", "-c", script];
        self.inner.program().ask(&words).is_ok()
    }

    /// Removes it, with all that runs in it.
    pub(crate) fn remove(&self) {
        if self.pid.take().is_some() {
            let _ = self.inner.program().remove(&self.name);
        }
    }

    /// What the kernel has ended in it for want of memory, where this machine shows that.
    fn oom_kills(&self) -> Option<u64> {
        let groups = fs::read_to_string(format!("/proc/{}/cgroup", self.pid.get()?)).ok()?;
        let count = |file: PathBuf| {
            let text = fs::read_to_string(file).ok()?;
            let mut lines = text.lines();
            lines.find_map(|line| line.strip_prefix("oom_kill ")?.trim().parse().ok())
        };
        groups.lines().find_map(|line| {
            let mut parts = line.splitn(3, ':').skip(1);
            let (kinds, path) = (parts.next()?, parts.next()?.trim_start_matches('/'));
            if kinds.is_empty() {
                return count(Path::new("/sys/fs/cgroup").join(path).join("memory.events"));
            }
            let folder = Path::new("/sys/fs/cgroup/memory").join(path);
            kinds
                .split(',')
                .any(|kind| kind == "memory")
                .then(|| count(folder.join("memory.oom_control")))?
        })
    }
}

impl Drop for Lasting {
    fn drop(&mut self) {
        self.remove();
    }
}

/// The container as a sandbox: each command is put into it.
pub(crate) struct Inside(pub(crate) Rc<Lasting>);

impl Sandbox for Inside {
    fn kind(&self) -> SandboxKind {
        self.0.inner.kind()
    }

    fn prepare(&self, env: &Env, redactor: &Redactor) -> Result<(), AgentError> {
        self.0.inner.prepare(env, redactor)
    }

    fn image(&self) -> Option<String> {
        self.0.inner.image()
    }

    fn version_in_image(&self, program: &str, name: &str, caps: Caps) -> Option<String> {
        self.0.inner.version_in_image(program, name, caps)
    }

    fn inside(&self, room: &Room) -> Room {
        Room {
            workspace: self.0.workdir().into(),
            inputs: INPUTS.into(),
            out: OUT.into(),
            home: "/root".into(),
            tmp: "/tmp".into(),
            name: room.name.clone(),
        }
    }

    fn confine(&self, room: &Room, order: &Order<'_>) -> Result<Confined, AgentError> {
        let container = &self.0;
        if let (Some(gateway), Some(pid)) = (&order.gateway, container.pid.get()) {
            let opened = gateway.open_for(pid);
            opened.at("enter the network of", Path::new(&container.name))?;
        }
        container.killed.set(container.oom_kills().unwrap_or(0));
        let turn = container.turn.get() + 1;
        container.turn.set(turn);
        let acting = container.acting.borrow();
        let mut words = vec![container.inner.program().path().display().to_string()];
        let mut all = |some: &[&str]| words.extend(some.iter().map(|word| (*word).to_owned()));
        all(&["exec"]);
        if order.reads {
            all(&["-i"]);
        }
        if let Some(user) = &acting.user {
            all(&["--user", user]);
        }
        all(&["-w", &container.workdir()]);
        let mark = turn.to_string();
        for name in order.env.keys().filter(|name| !is_machines(name)) {
            all(&["--env", name]);
        }
        all(&["--env", &format!("{MARK}={mark}"), &container.name]);
        words.extend_from_slice(order.argv);
        Ok(Confined {
            argv: words,
            env: with_machines(order.env),
            workdir: room.outside().to_owned(),
            files: Vec::new(),
            on_start: None,
            entrance: None,
        })
    }

    fn trouble(&self, ended: &ProgramEnd) -> Option<String> {
        self.0.inner.trouble(ended)
    }

    fn memory_was_short(&self, _: &Room, _: &ProgramEnd) -> bool {
        self.0
            .oom_kills()
            .is_some_and(|now| now > self.0.killed.get())
    }

    fn disk_used(&self, _: &Room) -> u64 {
        self.0.inner.disk_of(&self.0.name)
    }

    fn storage(&self) -> Option<PathBuf> {
        self.0.inner.storage()
    }

    /// Ends what the last command started. The container goes on.
    fn end(&self, _: &Room) {
        let mark = format!("{MARK}={}", self.0.turn.get());
        let script = format!(
            "for dir in /proc/[0-9]*; do if grep -qa '{mark}' \"$dir/environ\" 2>/dev/null; then kill -9 \"${{dir#/proc/}}\"; fi; done; true"
        );
        self.0.tidy(&script);
    }
}

/// Where the agent finds its instructions.
pub(crate) const INPUTS: &str = "/fairtrial/task";
/// Where it leaves what is to be kept.
pub(crate) const OUT: &str = "/logs/agent";
/// Where the tests leave the reward.
pub(crate) const VERIFIER: &str = "/logs/verifier";
/// Where anybody leaves what is to be kept.
pub(crate) const ARTIFACTS: &str = "/logs/artifacts";
