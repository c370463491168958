//! What every sandbox does: turns a command into one that is confined.

use super::caps::Caps;
use super::network::Gateway;
use super::owner::Owner;
use crate::error::AgentError;
use crate::process::{Entrance, OnStart, ProgramEnd};
use fairtrial_journal::redact::Redactor;
use fairtrial_spec::{Network, SandboxKind};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;

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
    /// A place for temporary files; written.
    pub tmp: PathBuf,
    /// The name of the attempt and the phase, unique on this machine.
    pub name: String,
}

impl Room {
    /// The folder of this machine that holds the room's own; no program inside sees it.
    pub(super) fn outside(&self) -> &Path {
        self.inputs.parent().unwrap_or(&self.inputs)
    }
}

/// A command that is to be confined, with all that decides how.
pub(crate) struct Order<'a> {
    /// Program and arguments.
    pub(crate) argv: &'a [String],
    /// Its variables.
    pub(crate) env: &'a Env,
    /// What it has of the network.
    pub(crate) network: &'a Network,
    /// The way to what is allowed, where only something is.
    pub(crate) gateway: Option<Arc<Gateway>>,
    /// What it may use.
    pub(crate) caps: Caps,
    /// Whether a control group sees to that.
    pub(crate) is_grouped: bool,
    /// Whether it reads something.
    pub(crate) reads: bool,
    /// Files of the workspace that nothing inside may change: a shell reads a script while it runs it.
    pub(crate) fixed: &'a [String],
}

/// A command as it is started.
pub(crate) struct Confined {
    /// Program and arguments.
    pub(crate) argv: Vec<String>,
    /// Its variables.
    pub(crate) env: Env,
    /// Where it is started.
    pub(crate) workdir: PathBuf,
    /// Files that it has open, under their own numbers.
    pub(crate) files: Vec<OwnedFd>,
    /// What is done when it is started.
    pub(crate) on_start: Option<OnStart>,
    /// The way into a sandbox that is built as the program is started.
    pub(crate) entrance: Option<Entrance>,
}

/// One way to confine a command.
pub(crate) trait Sandbox {
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
    /// Whom the folders of a room must belong to, where that is not this process's user.
    fn owner(&self) -> Option<Owner> {
        None
    }
    /// Whether its programs are processes that this one starts, so that a control group can hold them.
    fn is_grouped(&self) -> bool {
        false
    }
    /// Where the confined program finds the folders of a room.
    fn inside(&self, room: &Room) -> Room;
    /// The command that runs another one confined.
    fn confine(&self, room: &Room, order: &Order<'_>) -> Result<Confined, AgentError>;
    /// Hears that a sandbox could not be built as the last command wanted it; says whether there is another way.
    fn was_not_built(&self) -> bool {
        false
    }
    /// Why a program did not run at all, where that shows in how it ended.
    fn trouble(&self, _ended: &ProgramEnd) -> Option<String> {
        None
    }
    /// Whether a memory limit of the sandbox ended something of the program that was the last to end in a room. How the
    /// program itself ended says what that means: agents and tests go on after a tool that was killed, and may do well.
    fn memory_was_short(&self, _room: &Room, _ended: &ProgramEnd) -> bool {
        false
    }
    /// Bytes that the program of a room added on disk outside of its folders.
    fn disk_used(&self, _room: &Room) -> u64 {
        0
    }
    /// Where that lies, where it is on this machine.
    fn storage(&self) -> Option<PathBuf> {
        None
    }
    /// The image that its programs come from, where they are not this machine's.
    fn image(&self) -> Option<String> {
        None
    }
    /// What a program of that image prints for `--version`, in a container of this name and of its own.
    fn version_in_image(&self, _program: &str, _name: &str, _caps: Caps) -> Option<String> {
        None
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
        tmp: "/tmp".into(),
        name: room.name.clone(),
    }
}

/// Looks for a program in `PATH`.
pub fn find_program(name: &str) -> Option<PathBuf> {
    find_in(name, &std::env::var_os("PATH")?)
}

pub(super) fn find_in(name: &str, path: &OsStr) -> Option<PathBuf> {
    fairtrial_process::find_program(name, path)
}
