//! A sandbox that is held between its making and its first program: what only its starter can give it comes then. Root
//! says whom its users are, rlimits are set where there are no control groups, and the way to the network is opened.

use crate::process::OnStart;
use crate::sandbox::network::Gateway;
use crate::sandbox::owner::Owner;
use rustix::process::{Pid, Resource, Rlimit, prlimit};
use std::fs;
use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::Arc;

/// The number of the user and the group inside, where they are not those outside.
pub(super) const INSIDE: u32 = 1000;

/// What a held sandbox is given.
#[derive(Default)]
pub(super) struct Gifts {
    /// Whom its user is on this machine.
    pub(super) owner: Option<Owner>,
    /// Limits for each of its processes.
    pub(super) rlimits: Vec<(Resource, u64)>,
    /// Its way out.
    pub(super) gateway: Option<Arc<Gateway>>,
}

/// The words that make `bwrap` wait, the files that it has for that, and what is done meanwhile.
pub(super) struct Hold {
    pub(super) words: Vec<String>,
    pub(super) files: Vec<OwnedFd>,
    pub(super) on_start: OnStart,
}

impl Gifts {
    /// Holds a sandbox for its gifts; nothing where there are none.
    pub(super) fn hold(self) -> io::Result<Option<Hold>> {
        let needs_block = !self.rlimits.is_empty() || self.gateway.is_some();
        if self.owner.is_none() && !needs_block {
            return Ok(None);
        }
        let mut hold = Hold {
            words: Vec::new(),
            files: Vec::new(),
            on_start: Box::new(|_| Ok(())),
        };
        let (info, told) = io::pipe()?;
        hold.pass("--info-fd", told.into());
        let mut gate = |option: &str| -> io::Result<PipeWriter> {
            let (read, write) = io::pipe()?;
            hold.pass(option, read.into());
            Ok(write)
        };
        // Until its users are known it can do nothing, so this comes before all else.
        let users = self.owner.map(|_| gate("--userns-block-fd")).transpose()?;
        let block = needs_block.then(|| gate("--block-fd")).transpose()?;
        hold.on_start = Box::new(move |_| {
            // One that could not be made says why as it ends.
            match child(info) {
                Some(pid) => self.give(pid, users, block),
                None => Ok(()),
            }
        });
        Ok(Some(hold))
    }

    fn give(
        self,
        pid: u32,
        users: Option<PipeWriter>,
        block: Option<PipeWriter>,
    ) -> io::Result<()> {
        if let (Some(owner), Some(mut users)) = (self.owner, users) {
            let map = |id: u32| format!("0 0 1\n{INSIDE} {id} 1\n");
            fs::write(format!("/proc/{pid}/uid_map"), map(owner.uid))?;
            fs::write(format!("/proc/{pid}/gid_map"), map(owner.gid))?;
            users.write_all(b"x")?;
        }
        let raw = i32::try_from(pid).ok().and_then(Pid::from_raw);
        for (resource, most) in self.rlimits {
            let limit = Rlimit {
                current: Some(most),
                maximum: Some(most),
            };
            prlimit(raw, resource, limit)?;
        }
        if let Some(gateway) = self.gateway {
            gateway.open_for(pid)?;
        }
        block.map_or(Ok(()), |mut block| block.write_all(b"x"))
    }
}

impl Hold {
    fn pass(&mut self, option: &str, file: OwnedFd) {
        let number = file.as_raw_fd().to_string();
        self.words.extend([option.to_owned(), number]);
        self.files.push(file);
    }
}

/// The process in the sandbox, as `bwrap` tells it; absent where it ended without.
fn child(mut info: PipeReader) -> Option<u32> {
    let mut text = Vec::new();
    let mut chunk = [0; 1024];
    while !text.contains(&b'}') {
        match info.read(&mut chunk) {
            Ok(0) | Err(_) => return None,
            Ok(read) => text.extend_from_slice(&chunk[..read]),
        }
    }
    let told: serde_json::Value = serde_json::from_slice(&text).ok()?;
    told["child-pid"].as_u64()?.try_into().ok()
}
