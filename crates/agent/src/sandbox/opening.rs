//! Which sandbox a task gets.

#[cfg(target_os = "linux")]
use super::bubblewrap;
use super::container;
use super::contract::{Confined, Order, Room, Sandbox};
use super::setting::Setting;
use super::template;
use crate::error::AgentError;
use fairtrial_spec::{SandboxChoice, SandboxKey, SandboxKind};

/// The sandbox that a task asks for; the best there is where it asks for none.
pub(crate) fn open(
    choice: &SandboxChoice,
    setting: Setting,
) -> Result<Box<dyn Sandbox>, AgentError> {
    match usable_kind(choice)? {
        SandboxKind::Process => Ok(Box::new(Plain)),
        #[cfg(target_os = "linux")]
        SandboxKind::Bubblewrap => bubblewrap::open(choice).map(|found| Box::new(found) as _),
        #[cfg(not(target_os = "linux"))]
        SandboxKind::Bubblewrap => Err(AgentError::Sandbox(
            "sandbox = \"bubblewrap\" is for Linux; choose podman, docker, or sandbox = \"process\" for agents that you trust"
                .to_owned(),
        )),
        kind @ (SandboxKind::Podman | SandboxKind::Docker) => {
            container::open(kind, choice, setting).map(|found| Box::new(found) as _)
        }
        SandboxKind::Modal => template::open(choice).map(|found| Box::new(found) as _),
    }
}

/// Which sandbox a choice means.
pub fn kind(choice: &SandboxChoice) -> SandboxKind {
    choice.kind.unwrap_or(SandboxKind::Bubblewrap)
}

/// Which sandbox a choice means, where that one does all that the choice says.
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

    fn is_grouped(&self) -> bool {
        true
    }

    fn inside(&self, room: &Room) -> Room {
        room.clone()
    }

    fn confine(&self, room: &Room, order: &Order<'_>) -> Result<Confined, AgentError> {
        Ok(Confined {
            argv: order.argv.to_vec(),
            env: order.env.clone(),
            workdir: room.workspace.clone(),
            files: Vec::new(),
            on_start: None,
        })
    }
}
