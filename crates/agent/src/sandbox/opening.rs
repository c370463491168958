//! Which sandbox a task gets.

#[cfg(target_os = "linux")]
use super::bubblewrap;
use super::container;
use super::contract::{Confined, Order, Room, Sandbox, find_program};
use super::lasting::Lasting;
use super::setting::Setting;
use super::template;
use crate::error::AgentError;
use fairtrial_spec::{SandboxChoice, SandboxKey, SandboxKind};
use std::rc::Rc;

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

/// A container that lasts for a whole rollout.
pub(crate) fn lasting(
    choice: &SandboxChoice,
    setting: Setting,
    name: String,
) -> Result<Rc<Lasting>, AgentError> {
    let kind = usable_kind(choice)?;
    if !kind.is_container() {
        return Err(AgentError::Sandbox(NEEDS_CONTAINER.to_owned()));
    }
    Ok(Lasting::new(container::open(kind, choice, setting)?, name))
}

/// What is said where a task needs a container and is not to have one.
pub(crate) const NEEDS_CONTAINER: &str =
    "the task lives in a container of its own image: choose sandbox = \"podman\" or \"docker\"";

/// The container program of this machine, for tasks that need one and name none.
pub fn container_kind() -> Option<SandboxKind> {
    let all = [SandboxKind::Podman, SandboxKind::Docker];
    all.into_iter()
        .find(|kind| find_program(kind.word()).is_some())
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
            entrance: None,
        })
    }
}
