//! Control groups: limits on memory and processes that hold for a program and all that it starts. The few files that
//! this needs are read and written directly.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// Where groups can be made on this machine.
#[derive(Debug, Clone)]
pub enum Hierarchy {
    /// The unified hierarchy: one folder, in which our groups are made.
    V2(PathBuf),
    /// Version 1: a folder per controller, absent where it is not mounted or not writable.
    V1 {
        /// The memory controller.
        memory: PathBuf,
        /// The processes controller.
        pids: Option<PathBuf>,
        /// CPU accounting.
        cpuacct: Option<PathBuf>,
    },
}

/// A version of control groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Version {
    /// A folder per controller.
    V1,
    /// One folder.
    V2,
}

/// What a group may use.
#[derive(Debug, Clone, Copy, Default)]
pub struct GroupLimits {
    /// Bytes of memory.
    pub memory_bytes: Option<u64>,
    /// Processes and threads at once.
    pub processes: Option<u64>,
}

const OURS: &str = "fairtrial";
/// The file that lists the processes of a group, and through which one enters it.
const PROCESSES: &str = "cgroup.procs";

impl Hierarchy {
    /// Finds a hierarchy in which we may make groups, or says why there is none.
    pub fn probe() -> Result<Self, String> {
        let mounts = fs::read_to_string("/proc/self/mounts")
            .map_err(|_| "no control groups on this system")?;
        let own = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
        Self::probe_v2(&mounts, &own).or_else(|unified| {
            Self::probe_v1(&mounts, &own).map_err(|v1| format!("{unified}; {v1}"))
        })
    }

    fn probe_v2(mounts: &str, own: &str) -> Result<Self, String> {
        let mount = mount_points(mounts, |kind, _| kind == "cgroup2")
            .next()
            .ok_or("no unified hierarchy")?;
        let path = own
            .lines()
            .find_map(|line| line.strip_prefix("0::"))
            .unwrap_or("/");
        let here = join(&mount, path);
        let controllers =
            fs::read_to_string(here.join("cgroup.subtree_control")).unwrap_or_default();
        let offered: Vec<&str> = controllers.split_whitespace().collect();
        if !offered.contains(&"memory") || !offered.contains(&"pids") {
            return Err("the unified hierarchy gives us no memory and pids controllers".to_owned());
        }
        writable(&here).map(Self::V2)
    }

    fn probe_v1(mounts: &str, own: &str) -> Result<Self, String> {
        let folder = |controller: &str| -> Result<PathBuf, String> {
            let has = |options: &str| options.split(',').any(|option| option == controller);
            let mount = mount_points(mounts, |kind, options| kind == "cgroup" && has(options))
                .next()
                .ok_or_else(|| format!("no {controller} controller is mounted"))?;
            let of_line = |line: &str| {
                let mut parts = line.splitn(3, ':').skip(1);
                let named = parts.next()?.split(',').any(|name| name == controller);
                named.then(|| parts.next().unwrap_or("/").to_owned())
            };
            let path = own
                .lines()
                .find_map(of_line)
                .unwrap_or_else(|| "/".to_owned());
            writable(&join(&mount, &path))
        };
        Ok(Self::V1 {
            memory: folder("memory")?,
            pids: folder("pids").ok(),
            cpuacct: folder("cpuacct").ok(),
        })
    }

    /// The hierarchy in words.
    pub fn describe(&self) -> String {
        match self {
            Self::V2(folder) => format!("control groups (version 2, {})", folder.display()),
            Self::V1 { memory, .. } => format!("control groups (version 1, {})", memory.display()),
        }
    }

    /// Which version it is.
    pub fn version(&self) -> Version {
        match self {
            Self::V2(_) => Version::V2,
            Self::V1 { .. } => Version::V1,
        }
    }

    /// Makes a group with these limits; `name` is unique on this machine.
    pub fn create(&self, name: &str, limits: &GroupLimits) -> io::Result<Group> {
        let mut group = Group {
            version: self.version(),
            memory: None,
            cpu: None,
            pids: None,
            folders: Vec::new(),
        };
        match self {
            Self::V2(parent) => {
                let folder = group.add(parent, name)?;
                set(&folder, "memory.max", limits.memory_bytes)?;
                // Without this the limit is met by swapping instead of by an end.
                let _ = set(&folder, "memory.swap.max", limits.memory_bytes.map(|_| 0));
                set(&folder, "pids.max", limits.processes)?;
                group.memory = Some(folder.clone());
                group.cpu = Some(folder.clone());
                group.pids = Some(folder);
            }
            Self::V1 {
                memory,
                pids,
                cpuacct,
            } => {
                let folder = group.add(memory, name)?;
                set(&folder, "memory.limit_in_bytes", limits.memory_bytes)?;
                let _ = set(&folder, "memory.memsw.limit_in_bytes", limits.memory_bytes);
                group.memory = Some(folder);
                if let (Some(pids), Some(_)) = (pids, limits.processes) {
                    let folder = group.add(pids, name)?;
                    set(&folder, "pids.max", limits.processes)?;
                    group.pids = Some(folder);
                }
                if let Some(cpuacct) = cpuacct {
                    group.cpu = Some(group.add(cpuacct, name)?);
                }
            }
        }
        Ok(group)
    }
}

fn set(folder: &Path, file: &str, value: Option<u64>) -> io::Result<()> {
    value.map_or(Ok(()), |value| {
        fs::write(folder.join(file), value.to_string())
    })
}

fn join(mount: &Path, path: &str) -> PathBuf {
    let inside = mount.join(path.trim_start_matches('/'));
    // In a container the path of /proc/self/cgroup may lie outside of what is mounted.
    if inside.is_dir() {
        inside
    } else {
        mount.to_owned()
    }
}

fn mount_points<'a>(
    mounts: &'a str,
    wanted: impl Fn(&str, &str) -> bool + 'a,
) -> impl Iterator<Item = PathBuf> + 'a {
    mounts.lines().filter_map(move |line| {
        let mut parts = line.split(' ').skip(1);
        let (point, kind, options) = (parts.next()?, parts.next()?, parts.next()?);
        wanted(kind, options).then(|| PathBuf::from(point))
    })
}

/// The folder for our groups below `parent`, if it can be made.
fn writable(parent: &Path) -> Result<PathBuf, String> {
    let ours = parent.join(OURS);
    match fs::create_dir(&ours) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(format!(
            "cannot make a group in {}: {error}",
            parent.display()
        )),
        _ => Ok(ours),
    }
}

/// A group, removed when dropped.
#[derive(Debug)]
pub struct Group {
    version: Version,
    memory: Option<PathBuf>,
    cpu: Option<PathBuf>,
    pids: Option<PathBuf>,
    folders: Vec<PathBuf>,
}

impl Group {
    fn add(&mut self, parent: &Path, name: &str) -> io::Result<PathBuf> {
        let folder = parent.join(name);
        fs::create_dir(&folder)?;
        self.folders.push(folder.clone());
        Ok(folder)
    }

    /// The files through which a process enters the group.
    pub fn entrances(&self) -> io::Result<Vec<File>> {
        let open = |folder: &PathBuf| OpenOptions::new().write(true).open(folder.join(PROCESSES));
        self.folders.iter().map(open).collect()
    }

    /// Does something inside of the group, above all start a program, which stays there. This process has been in the
    /// folder above ours, where the hierarchy was found, and goes back.
    pub fn within<T>(&self, act: impl FnOnce() -> T) -> io::Result<T> {
        let result = self.enter().map(|()| act());
        for folder in &self.folders {
            if let Some(home) = folder.parent().and_then(Path::parent) {
                fs::write(home.join(PROCESSES), "0")?;
            }
        }
        result
    }

    fn enter(&self) -> io::Result<()> {
        let mut folders = self.folders.iter();
        folders.try_for_each(|folder| fs::write(folder.join(PROCESSES), "0"))
    }

    /// Peak of memory, page cache included.
    pub fn peak(&self) -> Option<u64> {
        let file = match self.version {
            Version::V2 => "memory.peak",
            Version::V1 => "memory.max_usage_in_bytes",
        };
        read_number(&self.memory.as_ref()?.join(file))
    }

    /// How often the kernel killed for memory.
    pub fn oom_kills(&self) -> u64 {
        let file = match self.version {
            Version::V2 => "memory.events",
            Version::V1 => "memory.oom_control",
        };
        let text = self
            .memory
            .as_ref()
            .and_then(|folder| fs::read_to_string(folder.join(file)).ok());
        text.and_then(|text| field(&text, "oom_kill ")).unwrap_or(0)
    }

    /// How often a process or thread could not be made because the group had its limit of them.
    pub fn refused_processes(&self) -> u64 {
        let file = self.pids.as_ref().map(|folder| folder.join("pids.events"));
        let text = file.and_then(|file| fs::read_to_string(file).ok());
        text.and_then(|text| field(&text, "max ")).unwrap_or(0)
    }

    /// CPU milliseconds of all processes that ever were in the group.
    pub fn cpu_ms(&self) -> Option<u64> {
        let folder = self.cpu.as_ref()?;
        if self.version == Version::V2 {
            let text = fs::read_to_string(folder.join("cpu.stat")).ok()?;
            return field(&text, "usage_usec ").map(|micros| micros / 1000);
        }
        read_number(&folder.join("cpuacct.usage")).map(|nanos| nanos / 1_000_000)
    }

    /// Every process in the group now.
    pub fn members(&self) -> Vec<i32> {
        let Some(folder) = self.folders.first() else {
            return Vec::new();
        };
        let text = fs::read_to_string(folder.join(PROCESSES)).unwrap_or_default();
        text.lines().filter_map(|line| line.parse().ok()).collect()
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        for folder in &self.folders {
            // The kernel needs a moment to let go of the last process; what stays is swept by the next run.
            for _ in 0..20 {
                if fs::remove_dir(folder).is_ok() || !folder.exists() {
                    break;
                }
                std::thread::sleep(std::time::Duration::from_millis(5));
            }
        }
    }
}

fn read_number(path: &Path) -> Option<u64> {
    fs::read_to_string(path).ok()?.trim().parse().ok()
}

fn field(text: &str, name: &str) -> Option<u64> {
    text.lines()
        .find_map(|line| line.strip_prefix(name))
        .and_then(|value| value.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::{Group, Version};

    #[test]
    fn refused_processes_are_read_from_the_groups_events() {
        let folder = tempfile::tempdir().unwrap();
        let group = Group {
            version: Version::V2,
            memory: None,
            cpu: None,
            pids: Some(folder.path().to_owned()),
            folders: Vec::new(),
        };
        assert_eq!(group.refused_processes(), 0, "older kernels do not count");
        std::fs::write(folder.path().join("pids.events"), "max 5\n").unwrap();
        assert_eq!(group.refused_processes(), 5);
    }
}
