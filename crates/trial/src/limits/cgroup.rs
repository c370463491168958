//! The few control-group files that a trial needs, read and written directly.

use crate::wire::LaunchLimits;
use fairtrial_model::LimitBackend;
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

const OURS: &str = "fairtrial";

impl Hierarchy {
    /// Finds a hierarchy in which we may make groups, or says why there is none.
    pub(crate) fn probe() -> Result<Self, String> {
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

    /// The word for records.
    pub(crate) fn kind(&self) -> LimitBackend {
        match self {
            Self::V2(_) => LimitBackend::CgroupV2,
            Self::V1 { .. } => LimitBackend::CgroupV1,
        }
    }

    /// Makes a group with these limits.
    pub(crate) fn create(&self, name: &str, limits: &LaunchLimits) -> io::Result<Group> {
        let mut group = Group {
            kind: self.kind(),
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

/// One trial's group, removed when dropped.
#[derive(Debug)]
pub(crate) struct Group {
    kind: LimitBackend,
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
    pub(crate) fn entrances(&self) -> io::Result<Vec<File>> {
        let open = |folder: &PathBuf| {
            OpenOptions::new()
                .write(true)
                .open(folder.join("cgroup.procs"))
        };
        self.folders.iter().map(open).collect()
    }

    /// Peak of memory, page cache included.
    pub(crate) fn peak(&self) -> Option<u64> {
        let file = match self.kind {
            LimitBackend::CgroupV2 => "memory.peak",
            _ => "memory.max_usage_in_bytes",
        };
        read_number(&self.memory.as_ref()?.join(file))
    }

    /// How often the kernel killed for memory.
    pub(crate) fn oom_kills(&self) -> u64 {
        let file = match self.kind {
            LimitBackend::CgroupV2 => "memory.events",
            _ => "memory.oom_control",
        };
        let text = self
            .memory
            .as_ref()
            .and_then(|folder| fs::read_to_string(folder.join(file)).ok());
        text.and_then(|text| field(&text, "oom_kill ")).unwrap_or(0)
    }

    /// How often a process or thread could not be made because the group had its limit of them.
    pub(crate) fn refused_processes(&self) -> u64 {
        let file = self.pids.as_ref().map(|folder| folder.join("pids.events"));
        let text = file.and_then(|file| fs::read_to_string(file).ok());
        text.and_then(|text| field(&text, "max ")).unwrap_or(0)
    }

    /// CPU milliseconds of all processes that ever were in the group.
    pub(crate) fn cpu_ms(&self) -> Option<u64> {
        let folder = self.cpu.as_ref()?;
        if self.kind == LimitBackend::CgroupV2 {
            let text = fs::read_to_string(folder.join("cpu.stat")).ok()?;
            return field(&text, "usage_usec ").map(|micros| micros / 1000);
        }
        read_number(&folder.join("cpuacct.usage")).map(|nanos| nanos / 1_000_000)
    }

    /// Every process in the group now.
    pub(crate) fn members(&self) -> Vec<i32> {
        let Some(folder) = self.folders.first() else {
            return Vec::new();
        };
        let text = fs::read_to_string(folder.join("cgroup.procs")).unwrap_or_default();
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
    use super::{Group, LimitBackend};

    #[test]
    fn refused_processes_are_read_from_the_groups_events() {
        let folder = tempfile::tempdir().unwrap();
        let group = Group {
            kind: LimitBackend::CgroupV2,
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
