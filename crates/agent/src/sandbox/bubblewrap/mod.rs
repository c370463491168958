//! `bubblewrap`: a user of its own without any right, its own processes, names and control groups, the system read-only,
//! a home and a temporary folder of its own, nothing else of this machine's files, and of the network what is allowed.

mod hold;
mod layout;
mod own;
mod programs;
mod seccomp;
mod words;

use super::contract::{Confined, Env, Order, Room, Sandbox, find_program, fixed_room};
use super::owner::Owner;
use crate::error::{AgentError, At};
use crate::process::ProgramEnd;
use fairtrial_spec::{Network, SandboxChoice, SandboxKind};
use hold::Gifts;
use layout::{Part, layout};
use own::{Own, Walls};
use rustix::process::Resource;
use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use words::Words;

const NO_BWRAP: &str = "`bwrap` is not installed; install bubblewrap, or choose sandbox = \"process\" for agents that you trust";
/// What becomes another user where root starts a sandbox.
const NO_SETPRIV: &str = "`setpriv` is not installed, which sandbox = \"bubblewrap\" needs where root starts it; install util-linux, or choose another sandbox";

const NO_FILTER: &str = "sandbox = \"bubblewrap\" has no filter of system calls for this kind of processor; choose another sandbox";

pub(super) struct Bubblewrap {
    program: PathBuf,
    choice: SandboxChoice,
    /// Whom the files inside belong to, and what becomes that user, where this process is root.
    owner: Option<(Owner, PathBuf)>,
    /// Whether `bwrap` must build it, because this machine did not let us.
    needs_program: Cell<bool>,
    /// Whether it built the last one.
    is_by_program: Cell<bool>,
}

fn program() -> Option<&'static Path> {
    static FOUND: OnceLock<Option<PathBuf>> = OnceLock::new();
    FOUND.get_or_init(|| find_program("bwrap")).as_deref()
}

pub(super) fn open(choice: &SandboxChoice) -> Result<Bubblewrap, AgentError> {
    let refused = |why: &str| AgentError::Sandbox(why.to_owned());
    let program = program().ok_or_else(|| refused(NO_BWRAP))?;
    for path in &choice.read {
        if !Path::new(path).exists() {
            return Err(refused(&format!("sandbox.read: {path} is not there")));
        }
    }
    let owner = match Owner::of_this_process() {
        None => None,
        Some(owner) => Some((
            owner,
            find_program("setpriv").ok_or_else(|| refused(NO_SETPRIV))?,
        )),
    };
    Ok(Bubblewrap {
        program: program.to_owned(),
        choice: choice.clone(),
        owner,
        needs_program: Cell::new(false),
        is_by_program: Cell::new(false),
    })
}

impl Sandbox for Bubblewrap {
    fn kind(&self) -> SandboxKind {
        SandboxKind::Bubblewrap
    }

    fn owner(&self) -> Option<Owner> {
        self.owner.as_ref().map(|(owner, _)| *owner)
    }

    fn is_grouped(&self) -> bool {
        true
    }

    fn inside(&self, room: &Room) -> Room {
        fixed_room(room)
    }

    fn confine(&self, room: &Room, order: &Order<'_>) -> Result<Confined, AgentError> {
        let parts = layout(room, order, &self.choice);
        let Some(filter) = seccomp::filter() else {
            return Err(AgentError::Sandbox(NO_FILTER.to_owned()));
        };
        let own = self.is_own(order).then(|| {
            Own::new(Walls {
                parts: &parts,
                filter: &filter,
                owner: self.owner(),
                rlimits: rlimits(order),
                has_network: *order.network == Network::Full,
                workdir: &fixed_room(room).workspace,
            })
        });
        let own = own.and_then(Result::ok);
        self.is_by_program.set(own.is_none());
        let Some(own) = own else {
            return self.confine_by_program(room, order, &parts, &filter);
        };
        Ok(Confined {
            argv: order.argv.to_vec(),
            env: env_inside(room, order),
            workdir: room.workspace.clone(),
            files: Vec::new(),
            on_start: None,
            entrance: Some(own.entrance()),
        })
    }

    fn was_not_built(&self) -> bool {
        !self.needs_program.replace(true)
    }

    fn trouble(&self, ended: &ProgramEnd) -> Option<String> {
        if !self.is_by_program.get() {
            // Whatever it says, it has run.
            return None;
        }
        let said = ended.last_line();
        let own = ["bwrap: ", "setpriv: setresuid", "setpriv: setresgid"];
        let own = own.iter().any(|start| said.starts_with(start));
        (ended.code != 0 && own).then(|| format!("the sandbox could not be started: {said}"))
    }
}

impl Bubblewrap {
    /// Whether we build it. A way to some places is opened in a sandbox that is held, which `bwrap` does.
    fn is_own(&self, order: &Order<'_>) -> bool {
        cfg!(target_arch = "x86_64") && order.gateway.is_none() && !self.needs_program.get()
    }

    fn confine_by_program(
        &self,
        room: &Room,
        order: &Order<'_>,
        parts: &[Part],
        filter: &[libc::sock_filter],
    ) -> Result<Confined, AgentError> {
        let mut words = Words::new(&self.program);
        if *order.network != Network::Full {
            words.all(&["--unshare-net"]);
        }
        if self.owner.is_some() {
            // For the step from root to the user, which gives them up.
            for right in ["CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP"] {
                words.all(&["--cap-add", right]);
            }
        }
        words.filter(seccomp::file(filter).at("make a filter for", &self.program)?);
        let gifts = Gifts {
            owner: self.owner(),
            rlimits: rlimits(order),
            gateway: order.gateway.clone(),
        };
        let hold = gifts.hold().at("hold", &self.program)?;
        let on_start = hold.map(|hold| words.held(hold));
        words.parts(parts);
        if let Some((_, setpriv)) = &self.owner {
            words.become_user(setpriv);
        }
        words.list.extend_from_slice(order.argv);
        Ok(Confined {
            argv: words.list,
            env: env_inside(room, order),
            workdir: room.workspace.clone(),
            files: words.files,
            on_start,
            entrance: None,
        })
    }
}

/// Limits for each process, where nothing holds all of them together.
fn rlimits(order: &Order<'_>) -> Vec<(Resource, u64)> {
    if order.is_grouped {
        return Vec::new();
    }
    vec![
        (Resource::Nproc, order.caps.processes),
        (Resource::Data, order.caps.memory_bytes),
    ]
}

fn env_inside(room: &Room, order: &Order<'_>) -> Env {
    let inside = fixed_room(room);
    let mut env = order.env.clone();
    env.insert("HOME".to_owned(), inside.home.display().to_string());
    env.insert("PWD".to_owned(), inside.workspace.display().to_string());
    env.remove("TMPDIR");
    env
}
