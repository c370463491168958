//! What `/proc` and `/sys` say.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

pub(super) fn distribution() -> Option<String> {
    let text = fs::read_to_string("/etc/os-release").ok()?;
    let name = text
        .lines()
        .find_map(|line| line.strip_prefix("PRETTY_NAME="))?;
    Some(name.trim_matches('"').to_owned())
}

pub(super) fn cpu() -> Option<String> {
    let text = fs::read_to_string("/proc/cpuinfo").ok()?;
    let field = |name: &str| {
        let mut lines = text.lines().filter_map(|line| line.split_once(':'));
        lines
            .find(|(key, _)| key.trim() == name)
            .map(|(_, value)| value.trim().to_owned())
    };
    field("model name")
        .or_else(|| field("Model"))
        .or_else(|| field("cpu"))
}

/// Distinct pairs of package and core among the processors that are on.
pub(super) fn cores() -> Option<usize> {
    let mut cores = BTreeSet::new();
    for entry in fs::read_dir("/sys/devices/system/cpu").ok()?.flatten() {
        let topology = entry.path().join("topology");
        if let Some(pair) = core_of(&topology) {
            cores.insert(pair);
        }
    }
    (!cores.is_empty()).then_some(cores.len())
}

fn core_of(topology: &Path) -> Option<(String, String)> {
    let package = fs::read_to_string(topology.join("physical_package_id")).ok()?;
    let core = fs::read_to_string(topology.join("core_id")).ok()?;
    Some((package, core))
}

pub(super) fn memory_bytes() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let total = text
        .lines()
        .find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kibibytes: u64 = total.split_whitespace().next()?.parse().ok()?;
    kibibytes.checked_mul(1024)
}

pub(super) fn cgroup_version() -> Option<u8> {
    let root = Path::new("/sys/fs/cgroup");
    if root.join("cgroup.controllers").exists() {
        return Some(2);
    }
    ["memory", "cpu", "pids"]
        .iter()
        .any(|name| root.join(name).is_dir())
        .then_some(1)
}

pub(super) fn load() -> Option<[f64; 3]> {
    let text = fs::read_to_string("/proc/loadavg").ok()?;
    let mut words = text.split_whitespace().map(|word| word.parse().ok());
    Some([words.next()??, words.next()??, words.next()??])
}
