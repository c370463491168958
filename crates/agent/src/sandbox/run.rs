//! Runs a command of a rollout in its sandbox and within its caps, and says what became of it besides its own end: the
//! one place through which setup, agent and tests go, so that every sandbox is judged alike.

use super::caps::{Caps, GivenCaps, machine_memory};
use super::contract::{Env, Order, Room, Sandbox};
use super::disk::DiskWatch;
use super::network::Gateway;
use super::opening;
use super::owner::Owner;
use super::setting::Setting;
use crate::error::{AgentError, At};
use crate::process::{self, LoggedProgram, ProgramEnd, Start, Watcher};
use crate::tree;
use fairtrial_journal::redact::Redactor;
use fairtrial_process::cgroup::{Group, GroupLimits, Hierarchy};
use fairtrial_spec::{Network, Phase, SandboxChoice, SandboxKind};
use fairtrial_text::bytes::size;
use std::cell::OnceCell;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// A sandbox with the caps of a rollout.
pub(crate) struct Confinement {
    sandbox: Box<dyn Sandbox>,
    choice: SandboxChoice,
    given: GivenCaps,
    caps: Caps,
    log_limit: u64,
    /// The control group of the rollout's programs, made when the first one starts, or why there is none.
    group: OnceCell<Result<Arc<Group>, String>>,
}

/// A command of one phase.
pub(crate) struct PhaseJob<'a> {
    pub(crate) phase: Phase,
    pub(crate) room: &'a Room,
    pub(crate) argv: &'a [String],
    pub(crate) env: &'a Env,
    /// What it reads.
    pub(crate) stdin: Option<&'a Path>,
    /// Files of the workspace that nothing inside may change.
    pub(crate) fixed: &'a [String],
    pub(crate) log: &'a Path,
    pub(crate) timeout: Duration,
    /// What the workspace held before, which counts for no cap.
    pub(crate) given: &'a Path,
    pub(crate) redactor: &'a Redactor,
}

/// How a command of a phase ended.
pub(crate) struct PhaseEnd {
    pub(crate) ended: ProgramEnd,
    /// Whether the memory limit ended one of its processes.
    pub(crate) short_of_memory: bool,
    /// Why it did not run at all.
    pub(crate) trouble: Option<String>,
    /// What a reader of the record should know.
    pub(crate) notes: Vec<String>,
}

impl Confinement {
    pub(crate) fn open(
        choice: &SandboxChoice,
        setting: Setting,
        (caps, log_limit): (GivenCaps, u64),
    ) -> Result<Self, AgentError> {
        Ok(Self::around(
            opening::open(choice, setting)?,
            choice,
            (caps, log_limit),
        ))
    }

    /// The caps around a sandbox that is there.
    pub(crate) fn around(
        sandbox: Box<dyn Sandbox>,
        choice: &SandboxChoice,
        (caps, log_limit): (GivenCaps, u64),
    ) -> Self {
        Self {
            sandbox,
            choice: choice.clone(),
            given: caps,
            caps: caps.or_default(machine_memory()),
            log_limit,
            group: OnceCell::new(),
        }
    }

    pub(crate) fn kind(&self) -> SandboxKind {
        self.sandbox.kind()
    }

    pub(crate) fn caps(&self) -> Caps {
        self.caps
    }

    /// Whom the folders of a room must belong to.
    pub(crate) fn owner(&self) -> Option<Owner> {
        self.sandbox.owner()
    }

    pub(crate) fn prepare(&self, env: &Env, redactor: &Redactor) -> Result<(), AgentError> {
        self.sandbox.prepare(env, redactor)
    }

    pub(crate) fn inside(&self, room: &Room) -> Room {
        self.sandbox.inside(room)
    }

    /// The image that its programs come from.
    pub(crate) fn image(&self) -> Option<String> {
        self.sandbox.image()
    }

    /// What a program of that image prints for `--version`.
    pub(crate) fn version_in_image(&self, program: &str, name: &str) -> Option<String> {
        self.sandbox.version_in_image(program, name, self.caps)
    }

    /// Ends what a program may have left running.
    pub(crate) fn end(&self, room: &Room) {
        self.sandbox.end(room);
    }

    /// Makes the folders of a room, but the workspace.
    pub(crate) fn make_room(&self, room: &Room) -> Result<(), AgentError> {
        let mut folders = vec![&room.inputs, &room.out];
        if self.kind() != SandboxKind::Process {
            // Without confinement these are the user's own.
            folders.extend([&room.home, &room.tmp]);
        }
        for folder in folders {
            fs::create_dir_all(folder).at("create", folder)?;
        }
        self.hand_over(&[&room.out, &room.home, &room.tmp])
    }

    /// Gives folders to whom they belong inside.
    pub(crate) fn hand_over(&self, folders: &[&PathBuf]) -> Result<(), AgentError> {
        let Some(owner) = self.owner() else {
            return Ok(());
        };
        folders
            .iter()
            .try_for_each(|folder| tree::give(folder, owner))
    }

    /// Runs a command to its end.
    pub(crate) fn run(
        &self,
        job: &PhaseJob<'_>,
        watcher: Option<&mut dyn Watcher>,
    ) -> Result<PhaseEnd, AgentError> {
        let network = self.choice.network_in(job.phase);
        let (mut env, mut gateway) = (job.env.clone(), None);
        if let Network::Allow(places) = network {
            Gateway::tell(&mut env);
            gateway = Some(Arc::new(Gateway::new(places)));
        }
        let mut notes = Vec::new();
        let group = self.group(&job.room.name, &mut notes);
        let order = Order {
            argv: job.argv,
            env: &env,
            network,
            gateway: gateway.clone(),
            caps: self.caps,
            is_grouped: group.is_some(),
            reads: job.stdin.is_some(),
            fixed: job.fixed,
        };
        let before = group.as_deref().map_or((0, 0), counts);
        let mut guard = Guard {
            disk: self.disk_watch(job),
            has_looked: false,
            sandbox: &*self.sandbox,
            room: job.room,
            watcher,
        };
        let mut ended = self.run_confined(job, &order, group.as_ref(), &mut guard);
        if matches!(ended, Err(AgentError::Unbuilt(_))) && self.sandbox.was_not_built() {
            ended = self.run_confined(job, &order, group.as_ref(), &mut guard);
        }
        let refused = gateway.and_then(|gateway| gateway.close());
        let mut unstarted = None;
        let ended = match ended {
            // Setup and tests end as in a shell that does not find a program; of an agent more is to be said.
            Err(AgentError::Io {
                action: "start",
                path,
                source,
            }) if job.phase != Phase::Agent => {
                let name = path.display();
                unstarted = Some(format!("`{name}` could not be started: {source}"));
                ProgramEnd::not_found(job.argv)
            }
            ended => ended?,
        };
        let after = group.as_deref().map_or((0, 0), counts);
        if ended.stopped.is_some() {
            self.sandbox.end(job.room);
        }
        notes.extend(refused);
        notes.extend(self.crowded(after.1.saturating_sub(before.1)));
        let of_container = ended.stopped.is_none() && !self.sandbox.is_grouped();
        let short_of_memory =
            after.0 > before.0 || (of_container && self.sandbox.memory_was_short(job.room, &ended));
        Ok(PhaseEnd {
            short_of_memory,
            trouble: unstarted.or_else(|| self.sandbox.trouble(&ended)),
            ended,
            notes,
        })
    }

    fn run_confined(
        &self,
        job: &PhaseJob<'_>,
        order: &Order<'_>,
        group: Option<&Arc<Group>>,
        guard: &mut Guard<'_, '_>,
    ) -> Result<ProgramEnd, AgentError> {
        let confined = self.sandbox.confine(job.room, order)?;
        let env: Vec<(String, String)> = confined.env.into_iter().collect();
        let program = LoggedProgram {
            argv: &confined.argv,
            env: &env,
            workdir: &confined.workdir,
            stdin: job.stdin,
            log: job.log,
            log_limit: self.log_limit,
            timeout: Some(job.timeout),
            group: group.cloned(),
        };
        let start = Start {
            files: confined.files,
            on_start: confined.on_start,
            entrance: confined.entrance,
        };
        process::run(&program, start, job.redactor, Some(guard))
    }

    /// The control group of the rollout, where this machine lets us make one.
    fn group(&self, name: &str, notes: &mut Vec<String>) -> Option<Arc<Group>> {
        if !self.sandbox.is_grouped() {
            return None;
        }
        let is_first = self.group.get().is_none();
        let made = self.group.get_or_init(|| {
            let limits = GroupLimits {
                memory_bytes: Some(self.caps.memory_bytes),
                processes: Some(self.caps.processes),
            };
            let made = Hierarchy::probe()?.create(name, &limits);
            made.map(Arc::new).map_err(|error| error.to_string())
        });
        match made {
            Ok(group) => Some(Arc::clone(group)),
            Err(why) => {
                notes.extend(self.unheld(why).filter(|_| is_first));
                None
            }
        }
    }

    /// Which of the limits that somebody asked for do not hold as a whole.
    fn unheld(&self, why: &str) -> Option<String> {
        let GivenCaps {
            memory_bytes,
            processes,
            ..
        } = self.given;
        match self.kind() {
            SandboxKind::Bubblewrap => memory_bytes.map(|_| {
                format!(
                    "the limit on memory holds for each process alone: no control group ({why})"
                )
            }),
            _ => memory_bytes.or(processes).map(|_| {
                format!("limits on memory and processes do not hold: no control group ({why})")
            }),
        }
    }

    fn crowded(&self, refused: u64) -> Option<String> {
        let limit = self.caps.processes;
        (refused > 0).then(|| {
            let times = if refused == 1 { "time" } else { "times" };
            format!("the limit of {limit} processes was reached {refused} {times}")
        })
    }

    fn disk_watch(&self, job: &PhaseJob<'_>) -> DiskWatch {
        let room = job.room;
        let mut folders = vec![room.workspace.clone(), room.out.clone()];
        if self.kind() != SandboxKind::Process {
            folders.extend([room.home.clone(), room.tmp.clone()]);
        }
        DiskWatch::new(folders, vec![job.given.to_owned()], self.caps.disk_bytes)
    }
}

/// Processes ended for want of memory, and refused for want of room.
fn counts(group: &Group) -> (u64, u64) {
    (group.oom_kills(), group.refused_processes())
}

/// Watches a program for its caps, and for whoever else watches it.
struct Guard<'a, 'w> {
    disk: DiskWatch,
    has_looked: bool,
    sandbox: &'a dyn Sandbox,
    room: &'a Room,
    watcher: Option<&'w mut dyn Watcher>,
}

impl Watcher for Guard<'_, '_> {
    fn hear(&mut self, text: &str) {
        if let Some(watcher) = &mut self.watcher {
            watcher.hear(text);
        }
    }

    fn look(&mut self) -> Option<String> {
        let (sandbox, room) = (self.sandbox, self.room);
        if !std::mem::replace(&mut self.has_looked, true)
            && let Some(place) = sandbox.storage()
        {
            self.disk.ask_also(place);
        }
        if let Some(bytes) = self.disk.over(|| sandbox.disk_used(room)) {
            let used = size(bytes);
            let most = size(self.disk.cap());
            return Some(format!("its limit of {most} on disk ({used} added)"));
        }
        self.watcher.as_mut()?.look()
    }
}
