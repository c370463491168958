//! The machine, as far as the system shows it; what cannot be read is absent.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
use linux as system;

#[cfg(not(target_os = "linux"))]
mod elsewhere;
#[cfg(not(target_os = "linux"))]
use elsewhere as system;

use serde::{Deserialize, Serialize};
use std::thread;

/// A machine.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Host {
    /// Its name.
    pub name: String,
    /// Operating system, as it calls itself.
    pub os: String,
    /// The system's name and version for people (`Debian GNU/Linux 12`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distribution: Option<String>,
    /// Version of the kernel.
    pub kernel: String,
    /// Machine architecture.
    pub arch: String,
    /// The processor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu: Option<String>,
    /// Physical cores of the machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cores: Option<usize>,
    /// Hardware threads that this process may use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threads: Option<usize>,
    /// Bytes of memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_bytes: Option<u64>,
    /// Version of control groups.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cgroup_version: Option<u8>,
    /// Mean number of runnable processes over 1, 5 and 15 minutes before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub load: Option<[f64; 3]>,
}

impl Host {
    /// Looks at this machine.
    pub fn read() -> Self {
        let uname = rustix::system::uname();
        let text = |part: &std::ffi::CStr| part.to_string_lossy().into_owned();
        Self {
            name: host_name(),
            os: text(uname.sysname()),
            distribution: system::distribution(),
            kernel: text(uname.release()),
            arch: text(uname.machine()),
            cpu: system::cpu(),
            cores: system::cores(),
            threads: threads(),
            memory_bytes: system::memory_bytes(),
            cgroup_version: system::cgroup_version(),
            load: system::load(),
        }
    }
}

/// The machine's name.
pub fn host_name() -> String {
    rustix::system::uname()
        .nodename()
        .to_string_lossy()
        .into_owned()
}

/// Physical cores that this process can keep busy: those of the machine, or fewer where an affinity mask or a quota
/// leaves fewer threads.
pub fn physical_cores() -> usize {
    let usable = threads().unwrap_or(1);
    system::cores()
        .map_or(usable, |cores| cores.min(usable))
        .max(1)
}

fn threads() -> Option<usize> {
    thread::available_parallelism().ok().map(usize::from)
}

#[cfg(test)]
mod tests {
    use super::{Host, physical_cores};

    #[test]
    fn this_machine_has_a_name_and_a_core() {
        let host = Host::read();
        assert!(!host.name.is_empty() && !host.kernel.is_empty());
        assert!(physical_cores() >= 1);
        assert!(
            host.cores
                .is_none_or(|cores| physical_cores() <= cores.max(1))
        );
    }
}
