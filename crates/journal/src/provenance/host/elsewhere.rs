//! What `sysctl` says on macOS and the BSDs.

use fairtrial_process::Program;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(2);

fn sysctl(name: &str) -> Option<String> {
    said(&["sysctl", "-n", name]).filter(|text| !text.is_empty())
}

fn said(argv: &[&str]) -> Option<String> {
    let ended = Program::of_argv(argv, LIMIT).run().ok()?.success().ok()?;
    Some(ended.text().trim().to_owned())
}

pub(super) fn distribution() -> Option<String> {
    let product = |key: &str| said(&["sw_vers", key]);
    Some(format!(
        "{} {}",
        product("-productName")?,
        product("-productVersion")?
    ))
}

pub(super) fn cpu() -> Option<String> {
    sysctl("machdep.cpu.brand_string").or_else(|| sysctl("hw.model"))
}

pub(super) fn cores() -> Option<usize> {
    sysctl("hw.physicalcpu")?.parse().ok()
}

pub(super) fn memory_bytes() -> Option<u64> {
    sysctl("hw.memsize")?.parse().ok()
}

/// Only Linux has control groups.
pub(super) fn cgroup_version() -> Option<u8> {
    None
}

pub(super) fn load() -> Option<[f64; 3]> {
    let text = sysctl("vm.loadavg")?;
    let mut words = text.split_whitespace().filter_map(|word| word.parse().ok());
    Some([words.next()?, words.next()?, words.next()?])
}
