//! `bubblewrap`: a user of its own without any right, its own processes, names and control groups, the system read-only,
//! a home and a temporary folder of its own, nothing else of this machine's files, and of the network what is allowed.

mod hold;
mod programs;
mod seccomp;

use super::contract::{Confined, Order, Room, Sandbox, find_program, fixed_room};
use super::owner::Owner;
use crate::error::{AgentError, At};
use crate::process::{OnStart, ProgramEnd};
use fairtrial_spec::{Network, SandboxChoice, SandboxKind};
use hold::{Gifts, Hold, INSIDE};
use programs::{SYSTEM, Search};
use rustix::process::Resource;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Where names are looked up, which `/etc/resolv.conf` may point to.
const RESOLVERS: [&str; 2] = ["/run/systemd/resolve", "/run/resolvconf"];
/// What programs ask about processors and memory.
const ABOUT_MACHINE: [&str; 2] = ["/sys/devices/system/cpu", "/sys/devices/system/node"];
/// What is where in a sandbox before anything of this machine.
const NO_BWRAP: &str = "`bwrap` is not installed; install bubblewrap, or choose sandbox = \"process\" for agents that you trust";
/// What becomes another user where root starts a sandbox.
const NO_SETPRIV: &str = "`setpriv` is not installed, which sandbox = \"bubblewrap\" needs where root starts it; install util-linux, or choose another sandbox";

pub(super) struct Bubblewrap {
    program: PathBuf,
    choice: SandboxChoice,
    /// Whom the files inside belong to, and what becomes that user, where this process is root.
    owner: Option<(Owner, PathBuf)>,
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
        let inside = fixed_room(room);
        let mut words = Words::new(&self.program);
        words.all(&["--die-with-parent", "--new-session", "--unshare-user"]);
        words.all(&["--unshare-pid", "--unshare-ipc", "--unshare-uts"]);
        words.all(&["--unshare-cgroup-try", "--cap-drop", "ALL"]);
        if *order.network != Network::Full {
            words.all(&["--unshare-net"]);
        }
        if self.owner.is_some() {
            // For the step from root to the user, which gives them up.
            for right in ["CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP"] {
                words.all(&["--cap-add", right]);
            }
        }
        let mut files = words.filter(&self.program)?;
        let hold = self.gifts(order).hold().at("hold", &self.program)?;
        let on_start = hold.map(|hold| words.held(hold, &mut files));
        words.system();
        words.bind("--bind", &room.tmp, &inside.tmp);
        words.bind("--bind", &room.home, &inside.home);
        words.bind("--bind", &room.workspace, &inside.workspace);
        for name in order.fixed {
            let [from, to] = [room, &inside].map(|room| room.workspace.join(name));
            words.all(&[
                "--ro-bind",
                &from.display().to_string(),
                &to.display().to_string(),
            ]);
        }
        words.bind("--ro-bind", &room.inputs, &inside.inputs);
        words.bind("--bind", &room.out, &inside.out);
        for path in self.choice.read.iter().map(PathBuf::from) {
            words.bind("--ro-bind", &path, &path);
        }
        for path in parts(room, order) {
            words.bind("--ro-bind", &path, &path);
        }
        words.all(&["--remount-ro", "/", "--chdir", "/workspace", "--"]);
        if let Some((_, setpriv)) = &self.owner {
            let inside = INSIDE.to_string();
            words.all(&[&setpriv.display().to_string(), "--reuid", &inside]);
            words.all(&["--regid", &inside, "--clear-groups", "--inh-caps=-all"]);
            words.all(&["--bounding-set=-all", "--"]);
        }
        words.list.extend_from_slice(order.argv);
        let mut env = order.env.clone();
        env.insert("HOME".to_owned(), inside.home.display().to_string());
        env.insert("PWD".to_owned(), inside.workspace.display().to_string());
        env.remove("TMPDIR");
        Ok(Confined {
            argv: words.list,
            env,
            workdir: room.workspace.clone(),
            files,
            on_start,
        })
    }

    fn trouble(&self, ended: &ProgramEnd) -> Option<String> {
        let said = ended.last_line();
        let own = ["bwrap: ", "setpriv: setresuid", "setpriv: setresgid"];
        let own = own.iter().any(|start| said.starts_with(start));
        (ended.code != 0 && own).then(|| format!("the sandbox could not be started: {said}"))
    }
}

impl Bubblewrap {
    /// What a sandbox can only be given when it is there.
    fn gifts(&self, order: &Order<'_>) -> Gifts {
        let mut rlimits = Vec::new();
        if !order.is_grouped {
            rlimits.push((Resource::Nproc, order.caps.processes));
            rlimits.push((Resource::Data, order.caps.memory_bytes));
        }
        Gifts {
            owner: self.owner(),
            rlimits,
            gateway: order.gateway.clone(),
        }
    }
}

/// What the program needs of this machine besides the system.
fn parts(room: &Room, order: &Order<'_>) -> Vec<PathBuf> {
    let path = order.env.get("PATH").map(OsString::from);
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let hidden = [room.outside().to_owned()];
    let search = Search {
        path: path.as_deref().unwrap_or_default(),
        home: home.as_deref(),
        hidden: &hidden,
    };
    let program = order.argv.first().map_or("", String::as_str);
    search.parts(program)
}

/// The words of a command.
struct Words {
    list: Vec<String>,
    /// Folders that are made for what is shown in them.
    made: BTreeSet<PathBuf>,
}

impl Words {
    fn new(program: &Path) -> Self {
        Self {
            list: vec![program.display().to_string()],
            made: BTreeSet::new(),
        }
    }

    fn all(&mut self, words: &[&str]) {
        self.list
            .extend(words.iter().map(|word| (*word).to_owned()));
    }

    fn bind(&mut self, how: &str, from: &Path, to: &Path) {
        self.make_folders(to);
        self.all(&[how, &from.display().to_string(), &to.display().to_string()]);
    }

    /// Makes the folders around a place: `bwrap` would make them so that only its owner may enter.
    fn make_folders(&mut self, place: &Path) {
        let around: Vec<&Path> = place.ancestors().skip(1).collect();
        for folder in around.into_iter().rev().skip(1) {
            let of_system = SYSTEM.iter().any(|part| folder.starts_with(part));
            if !of_system && self.made.insert(folder.to_owned()) {
                self.all(&["--perms", "0755", "--dir", &folder.display().to_string()]);
            }
        }
    }

    /// The filter of system calls.
    fn filter(&mut self, program: &Path) -> Result<Vec<OwnedFd>, AgentError> {
        let Some(filter) = seccomp::filter().at("make a filter for", program)? else {
            return Err(AgentError::Sandbox(
                "sandbox = \"bubblewrap\" has no filter of system calls for this kind of processor; choose another sandbox"
                    .to_owned(),
            ));
        };
        self.all(&["--seccomp", &filter.as_raw_fd().to_string()]);
        Ok(vec![filter.into()])
    }

    fn held(&mut self, hold: Hold, files: &mut Vec<OwnedFd>) -> OnStart {
        self.list.extend(hold.words);
        files.extend(hold.files);
        hold.on_start
    }

    /// The system and what it shows of itself.
    fn system(&mut self) {
        for folder in SYSTEM {
            match fs::read_link(folder) {
                // Most systems keep these in /usr; a link costs less than another mount.
                Ok(target) => self.all(&["--symlink", &target.display().to_string(), folder]),
                Err(_) if Path::new(folder).exists() => self.all(&["--ro-bind", folder, folder]),
                Err(_) => {}
            }
        }
        for folder in RESOLVERS.iter().chain(&ABOUT_MACHINE) {
            if Path::new(folder).exists() {
                self.bind("--ro-bind", Path::new(folder), Path::new(folder));
            }
        }
        self.all(&["--proc", "/proc", "--ro-bind", "/proc/sys", "/proc/sys"]);
        self.all(&["--dev", "/dev", "--perms", "1777", "--tmpfs", "/dev/shm"]);
        self.all(&["--remount-ro", "/dev", "--perms", "0755", "--dir", "/var"]);
        self.all(&["--symlink", "../tmp", "/var/tmp"]);
    }
}
