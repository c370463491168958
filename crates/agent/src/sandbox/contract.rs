//! What every sandbox does: turns a command into one that is confined.

use crate::error::AgentError;
use crate::process::ProgramEnd;
use fairtrial_journal::redact::Redactor;
use fairtrial_spec::{Network, SandboxChoice, SandboxKind};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Variables of a program.
pub type Env = BTreeMap<String, String>;

/// The folders of one phase.
#[derive(Debug, Clone)]
pub struct Room {
    /// Where the work is done; written.
    pub workspace: PathBuf,
    /// Instructions and files beside the workspace; read only.
    pub inputs: PathBuf,
    /// Where the program leaves what it reports; written.
    pub out: PathBuf,
    /// A home of its own; written.
    pub home: PathBuf,
    /// The name of the attempt and the phase, unique on this machine.
    pub name: String,
}

impl Room {
    /// The folder of this machine that holds the room's own; no program inside sees it.
    pub(super) fn outside(&self) -> &Path {
        self.inputs.parent().unwrap_or(&self.inputs)
    }
}

/// A command as it is started.
#[derive(Debug, Clone, PartialEq)]
pub struct Confined {
    /// Program and arguments.
    pub argv: Vec<String>,
    /// Its variables.
    pub env: Env,
    /// Where it is started.
    pub workdir: PathBuf,
}

/// One way to confine a command.
pub trait Sandbox {
    /// The word for it.
    fn kind(&self) -> SandboxKind;
    /// Whether it can be used at all, asked once before a run.
    fn answers(&self) -> Result<(), AgentError> {
        Ok(())
    }
    /// Makes ready what every phase needs and the machine may not have yet.
    fn prepare(&self, _env: &Env, _redactor: &Redactor) -> Result<(), AgentError> {
        Ok(())
    }
    /// Where the confined program finds the folders of a room.
    fn inside(&self, room: &Room) -> Room;
    /// The command that runs another one confined.
    fn confine(&self, room: &Room, argv: &[String], env: &Env) -> Confined;
    /// Why a program did not run at all, where that shows in how it ended.
    fn trouble(&self, _ended: &ProgramEnd) -> Option<String> {
        None
    }
    /// Whether a memory limit of the sandbox ended something of the program that was the last to end in a room. How the
    /// program itself ended says what that means: agents and tests go on after a tool that was killed, and may do well.
    fn memory_was_short(&self, _room: &Room, _ended: &ProgramEnd) -> bool {
        false
    }
    /// Ends what a program may have left running outside of this process's reach.
    fn end(&self, _room: &Room) {}
}

/// The fixed paths of a room inside a sandbox with a file system of its own.
pub(super) fn fixed_room(room: &Room) -> Room {
    Room {
        workspace: "/workspace".into(),
        inputs: "/task".into(),
        out: "/out".into(),
        home: "/home/agent".into(),
        name: room.name.clone(),
    }
}

/// Whether the network is there.
pub(super) fn is_online(choice: &SandboxChoice) -> bool {
    choice.network == Network::On
}

/// Looks for a program in `PATH`.
pub fn find_program(name: &str) -> Option<PathBuf> {
    fairtrial_process::find_program(name, &std::env::var_os("PATH")?)
}
