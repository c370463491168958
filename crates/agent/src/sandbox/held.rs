//! A container that is held until its way to the network is open. Its first program is a shell that waits at a pipe, so
//! such a container needs a `sh`.

use super::contract::Room;
use super::network::Gateway;
use super::program::ContainerProgram;
use crate::error::{AgentError, At};
use crate::process::OnStart;
use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Child;
use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The pipe, among the task's files.
const PIPE: &str = ".start";
/// How long a container may take to start.
const PATIENCE: Duration = Duration::from_mins(2);
const PAUSE: Duration = Duration::from_millis(20);

/// A container that is to be held.
pub(super) struct HeldContainer {
    pub(super) program: ContainerProgram,
    pub(super) name: String,
    pub(super) inputs: PathBuf,
    pub(super) gateway: Arc<Gateway>,
}

impl HeldContainer {
    /// The words before a command that make it wait.
    pub(super) fn waiting(inside: &Room) -> Vec<String> {
        let pipe = inside.inputs.join(PIPE).display().to_string();
        let script = format!("read -r _ < {pipe}; exec \"$@\"");
        ["sh", "-c", &script, "sh"].map(str::to_owned).to_vec()
    }

    /// Makes the pipe; gives what is done when the container starts.
    pub(super) fn hold(self) -> Result<OnStart, AgentError> {
        let pipe = self.inputs.join(PIPE);
        make_pipe(&pipe).at("create", &pipe)?;
        Ok(Box::new(move |child| {
            // One that did not start says why as it ends.
            if let Some(pid) = self.started(child) {
                self.gateway.open_for(pid)?;
                OpenOptions::new()
                    .write(true)
                    .open(&pipe)?
                    .write_all(b"\n")?;
            }
            std::fs::remove_file(&pipe)
        }))
    }

    /// The first process of the container, as this machine numbers it; absent where it never started.
    fn started(&self, child: &Child) -> Option<u32> {
        let began = Instant::now();
        let asked = [
            "container",
            "inspect",
            "--format",
            "{{.State.Pid}}",
            &self.name,
        ];
        while began.elapsed() < PATIENCE && !has_ended(child) {
            if let Ok(pid) = self.program.said(&asked).trim().parse::<u32>()
                && pid > 0
            {
                return Some(pid);
            }
            sleep(PAUSE);
        }
        None
    }
}

#[cfg(target_os = "linux")]
fn make_pipe(path: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    let mode = Mode::RUSR | Mode::WUSR | Mode::RGRP | Mode::ROTH;
    Ok(mknodat(CWD, path, FileType::Fifo, mode, 0)?)
}

/// Networks of containers cannot be entered elsewhere, so nothing would open the way.
#[cfg(not(target_os = "linux"))]
fn make_pipe(_: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

fn has_ended(child: &Child) -> bool {
    let how = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    !matches!(waitid(WaitId::Pid(Pid::from_child(child)), how), Ok(None))
}
