//! Where the programs of a rollout run: each kind turns a command into one that is confined, and says under which
//! paths the command finds its files.

mod bubblewrap;
mod container;
pub(crate) mod contract;
pub(crate) mod image;
mod leftover;
mod monitor;
mod out_of_memory;
mod program;
pub(crate) mod setting;
mod template;

use crate::error::AgentError;
use fairtrial_spec::{SandboxChoice, SandboxKey, SandboxKind};

pub use bubblewrap::is_visible;
pub use contract::{Confined, Env, Room, Sandbox, find_program};
pub use image::{BuiltImage, Recipe, forget_failures, list_images, remove_image};
pub use leftover::{Leftover, Leftovers, list_leftovers, remove_leftover};
pub use monitor::{Monitor, end_monitor, list_monitors};
pub use setting::{Labels, Setting};

/// The sandbox that a task asks for; the best there is where it asks for none.
pub fn open(choice: &SandboxChoice, setting: Setting) -> Result<Box<dyn Sandbox>, AgentError> {
    match usable_kind(choice)? {
        SandboxKind::Process => Ok(Box::new(Plain)),
        SandboxKind::Bubblewrap => bubblewrap::open(choice).map(|found| Box::new(found) as _),
        kind @ (SandboxKind::Podman | SandboxKind::Docker) => {
            container::open(kind, choice, setting).map(|found| Box::new(found) as _)
        }
        SandboxKind::Modal => template::open(choice).map(|found| Box::new(found) as _),
    }
}

/// Which sandbox a choice means on this machine.
pub fn kind(choice: &SandboxChoice) -> SandboxKind {
    choice.kind.unwrap_or_else(|| {
        if bubblewrap::program().is_some() {
            SandboxKind::Bubblewrap
        } else {
            SandboxKind::Process
        }
    })
}

/// Which sandbox a choice means on this machine, where that one does all that the choice says.
pub(crate) fn usable_kind(choice: &SandboxChoice) -> Result<SandboxKind, AgentError> {
    let kind = kind(choice);
    let told = |key: SandboxKey| format!("{}; {}", key.problem(kind), key.advice(kind));
    let unused: Vec<String> = SandboxKey::unused(choice, kind).map(told).collect();
    if unused.is_empty() {
        return Ok(kind);
    }
    Err(AgentError::Sandbox(unused.join("\n")))
}

/// No confinement.
struct Plain;

impl Sandbox for Plain {
    fn kind(&self) -> SandboxKind {
        SandboxKind::Process
    }

    fn inside(&self, room: &Room) -> Room {
        room.clone()
    }

    fn confine(&self, room: &Room, argv: &[String], env: &Env) -> Confined {
        Confined {
            argv: argv.to_vec(),
            env: env.clone(),
            workdir: room.workspace.clone(),
        }
    }
}
