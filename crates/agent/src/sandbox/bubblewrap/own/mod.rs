//! The sandbox that `bwrap` builds, built by ourselves: the same parts, the same namespaces, the same filter, no right
//! left. `bwrap` reads the list of all mounts for each part and needs `setpriv` beside it where root starts it, which is
//! most of what a rollout costs. Where this cannot be done, `bwrap` does it.
//!
//! Three copies of this process are made. The *keeper* stays outside: it makes the first process, maps the users, waits
//! for the program and ends as that did; whatever is inside ends with it. The *first process* is the first of all
//! namespaces: it builds the tree of files, gives up its rights and becomes a program of a few instructions, so that
//! nothing of ours can be found in it. The *program* is made by the keeper when it has joined all namespaces; it gives up
//! its rights and is then whatever is to be confined.

mod calls;
mod first;
mod tree;

use super::hold::INSIDE;
use super::layout::Part;
use crate::process::Entrance;
use crate::sandbox::owner::Owner;
use calls::{close_all, close_on_exec, copy, end};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{CWD, Mode, OFlags, openat};
use rustix::io::{Errno, Result};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{
    DumpableBehavior, Pid, PidfdFlags, Resource, Rlimit, Signal, WaitOptions, chdir, getegid,
    geteuid, getppid, kill_process, pidfd_open, set_dumpable_behavior,
    set_parent_process_death_signal, setrlimit, setsid, umask, wait, waitpid,
};
use rustix::thread::{
    CapabilitySet, CapabilitySets, Gid, ThreadNameSpaceType, Uid, clear_ambient_capability_set,
    move_into_thread_name_spaces, set_capabilities, set_no_new_privs, set_thread_groups,
    set_thread_res_gid, set_thread_res_uid,
};
use std::ffi::{CStr, CString};
use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;
use tree::Tree;

/// What is the sandbox's own besides its network.
const NAMESPACES: libc::c_int = libc::CLONE_NEWUSER
    | libc::CLONE_NEWNS
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWCGROUP;
/// How a process ends that cannot go on.
const LOST: i32 = 127;

/// What is built.
pub(super) struct Walls<'a> {
    pub(super) parts: &'a [Part],
    pub(super) filter: &'a [libc::sock_filter],
    /// Whom its user is on this machine, where that is another one.
    pub(super) owner: Option<Owner>,
    /// Limits for each of its processes.
    pub(super) rlimits: Vec<(Resource, u64)>,
    pub(super) has_network: bool,
    /// Where the program starts, inside.
    pub(super) workdir: &'a Path,
}

/// A sandbox that is built by the process that is to be confined in it.
pub(super) struct Own {
    tree: Tree,
    filter: Vec<libc::sock_filter>,
    owner: Option<Owner>,
    rlimits: Vec<(Resource, u64)>,
    namespaces: libc::c_int,
    workdir: CString,
    /// The program that the first process becomes.
    first: OwnedFd,
    /// Whose child the keeper is.
    starter: Pid,
    /// Where is said what cannot be done.
    say: PipeWriter,
    heard: PipeReader,
}

impl Own {
    pub(super) fn new(walls: Walls<'_>) -> io::Result<Self> {
        let (heard, say) = io::pipe()?;
        let network = if walls.has_network {
            0
        } else {
            libc::CLONE_NEWNET
        };
        Ok(Self {
            tree: Tree::of(walls.parts)?,
            filter: walls.filter.to_vec(),
            owner: walls.owner,
            rlimits: walls.rlimits,
            namespaces: NAMESPACES | network,
            workdir: CString::new(walls.workdir.as_os_str().as_bytes())?,
            first: first::program()?,
            starter: rustix::process::getpid(),
            say,
            heard,
        })
    }

    /// How a program is started in it.
    pub(super) fn entrance(self) -> Entrance {
        let own = Arc::new(self);
        let entered = Arc::clone(&own);
        Entrance {
            adjust: Box::new(|command| calls::before_start(command, move || entered.enter())),
            trouble: Box::new(move || own.trouble()),
        }
    }

    /// What could not be done; absent where the sandbox was built. Asked when its starter has come back.
    fn trouble(&self) -> Option<String> {
        let waiting = rustix::io::ioctl_fionread(&self.heard).ok()?;
        let mut said = vec![0; usize::try_from(waiting).ok()?];
        (&self.heard).read_exact(&mut said).ok()?;
        (!said.is_empty()).then(|| String::from_utf8_lossy(&said).into_owned())
    }

    /// Takes a fresh copy of this process into the sandbox: it goes on as the program alone, with nothing but that left
    /// to do. Nothing is allocated on the way, no lock is taken.
    fn enter(&self) -> io::Result<()> {
        self.keep().map_err(|(what, why)| {
            // What the first process could not do is said by then.
            if !what.is_empty() {
                self.say(what);
            }
            why.into()
        })
    }

    /// The keeper's way. Only the program comes back from it, and who failed.
    fn keep(&self) -> std::result::Result<(), (&'static [u8], Errno)> {
        let of = |what: &'static [u8]| move |why| (what, why);
        calls::default_signals();
        die_with(Some(self.starter)).map_err(of(b"its starter"))?;
        let pipes = || pipe_with(PipeFlags::CLOEXEC);
        let (mapped, map) = pipes().map_err(of(b"a pipe"))?;
        let (ready, tell) = pipes().map_err(of(b"a pipe"))?;
        let Some(first) = copy(self.namespaces).map_err(of(b"new namespaces"))? else {
            drop((map, ready));
            self.be_first(&mapped, &tell);
        };
        drop((mapped, tell));
        self.map_users(first).map_err(of(b"its users"))?;
        rustix::io::write(&map, b"x").map_err(of(b"its first process"))?;
        // It has become its program when nothing more is to come, and has failed when there is a number.
        let mut number = [0; 4];
        if rustix::io::read(&ready, &mut number).map_err(of(b"its first process"))? > 0 {
            return Err((b"", Errno::from_raw_os_error(i32::from_ne_bytes(number))));
        }
        let join = || {
            let inside = pidfd_open(first, PidfdFlags::empty())?;
            let all = ThreadNameSpaceType::from_bits_retain(self.namespaces as u32);
            move_into_thread_name_spaces(inside.as_fd(), all)?;
            die_with(Some(self.starter))?;
            copy(0)
        };
        match join().map_err(of(b"its namespaces"))? {
            None => self.be_program().map_err(of(b"its rights")),
            Some(program) => wait_for(program, first),
        }
    }

    fn say(&self, what: &[u8]) {
        let _ = (&self.say).write_all(what);
    }

    /// Whom the users inside are on this machine, which is said from outside.
    fn map_users(&self, first: Pid) -> Result<()> {
        let mut text = [0; 64];
        let Some(owner) = self.owner else {
            tell(first, "setgroups", b"deny")?;
            let id = geteuid().as_raw();
            tell(
                first,
                "uid_map",
                printed(&mut text, format_args!("{id} {id} 1\n")),
            )?;
            let id = getegid().as_raw();
            return tell(
                first,
                "gid_map",
                printed(&mut text, format_args!("{id} {id} 1\n")),
            );
        };
        for (file, id) in [("uid_map", owner.uid), ("gid_map", owner.gid)] {
            let map = printed(&mut text, format_args!("0 0 1\n{INSIDE} {id} 1\n"));
            tell(first, file, map)?;
        }
        Ok(())
    }

    fn be_first(&self, mapped: &OwnedFd, tell: &OwnedFd) -> ! {
        let mut byte = [0];
        if rustix::io::read(mapped, &mut byte) != Ok(1) {
            end(LOST);
        }
        if let Err((what, why)) = self.build(mapped) {
            self.say(what.to_bytes());
            let _ = rustix::io::write(tell, &why.raw_os_error().to_ne_bytes());
        }
        end(LOST)
    }

    /// Builds everything around the first process, which then is its program.
    fn build(&self, keeper: &OwnedFd) -> std::result::Result<(), (&CStr, Errno)> {
        let of = |what: &'static CStr| move |why| (what, why);
        umask(Mode::empty());
        let built = self.tree.build();
        built.map_err(|failed| (failed.what, failed.why))?;
        if self.namespaces & libc::CLONE_NEWNET != 0 {
            raise_loopback().map_err(of(c"its network"))?;
        }
        self.give_up_rights().map_err(of(c"its rights"))?;
        die_with(None).map_err(of(c"its end"))?;
        // A keeper that ended before has let go of its pipe.
        let mut gone = [PollFd::new(keeper, PollFlags::empty())];
        let now = Timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        if poll(&mut gone, Some(&now)) != Ok(0) {
            return Err((c"its keeper", Errno::SRCH));
        }
        calls::block_word_of_children().map_err(of(c"its first process"))?;
        close_on_exec(0).map_err(of(c"its files"))?;
        Err((
            c"its first process",
            calls::become_program(self.first.as_fd()),
        ))
    }

    fn be_program(&self) -> Result<()> {
        close_on_exec(3)?;
        setsid()?;
        for (resource, most) in &self.rlimits {
            let limit = Rlimit {
                current: Some(*most),
                maximum: Some(*most),
            };
            setrlimit(*resource, limit)?;
        }
        self.give_up_rights()?;
        chdir(self.workdir.as_c_str())
    }

    /// Becomes the user inside, without any right and any way to one.
    fn give_up_rights(&self) -> Result<()> {
        set_no_new_privs(true)?;
        calls::drop_bounding_set()?;
        clear_ambient_capability_set()?;
        if self.owner.is_some() {
            let (uid, gid) = (Uid::from_raw(INSIDE), Gid::from_raw(INSIDE));
            set_thread_groups(&[])?;
            set_thread_res_gid(gid, gid, gid)?;
            set_thread_res_uid(uid, uid, uid)?;
        }
        let none = CapabilitySet::empty();
        set_capabilities(
            None,
            CapabilitySets {
                effective: none,
                permitted: none,
                inheritable: none,
            },
        )?;
        calls::filter(&self.filter)
    }
}

/// Ends with the process that made this one, which is looked for where it can be seen.
fn die_with(parent: Option<Pid>) -> Result<()> {
    set_parent_process_death_signal(Some(Signal::KILL))?;
    match parent {
        Some(parent) if getppid() != Some(parent) => Err(Errno::SRCH),
        _ => Ok(()),
    }
}

fn raise_loopback() -> Result<()> {
    use rustix::net::{AddressFamily, SocketType, socket};
    calls::raise_loopback(socket(AddressFamily::INET, SocketType::DGRAM, None)?)
}

/// Writes one of the files by which a process is told its users.
fn tell(process: Pid, file: &str, text: &[u8]) -> Result<()> {
    let mut path = [0; 64];
    let number = process.as_raw_nonzero();
    let path = printed(&mut path, format_args!("/proc/{number}/{file}\0"));
    let path = CStr::from_bytes_with_nul(path).map_err(|_| Errno::INVAL)?;
    let file = openat(CWD, path, OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty())?;
    rustix::io::write(file, text).map(drop)
}

/// A text in a place on the stack.
fn printed<'a>(place: &'a mut [u8], text: std::fmt::Arguments<'_>) -> &'a [u8] {
    let mut rest = &mut *place;
    let _ = rest.write_fmt(text);
    let left = rest.len();
    &place[..place.len() - left]
}

/// Waits for the program and ends as it did; whatever else is inside ends then.
fn wait_for(program: Pid, first: Pid) -> ! {
    let _ = close_all();
    let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
    let mut first = Some(first);
    let code = loop {
        match wait(WaitOptions::empty()) {
            Ok(Some((ended, status))) if ended == program => {
                let signal = status.terminating_signal().map(|signal| 128 + signal);
                break signal.or_else(|| status.exit_status()).unwrap_or(LOST);
            }
            // All else inside ends with it, the program too. Its number may be somebody else's from now on.
            Ok(Some((ended, _))) if Some(ended) == first => first = None,
            Ok(_) | Err(Errno::INTR) => {}
            Err(_) => break LOST,
        }
    };
    if let Some(first) = first {
        let _ = kill_process(first, Signal::KILL);
        let _ = waitpid(Some(first), WaitOptions::empty());
    }
    end(code)
}
