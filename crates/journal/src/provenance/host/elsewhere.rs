//! What `sysctl` says on macOS and the BSDs.

use super::super::program;
use std::process::Command;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(2);

fn sysctl(name: &str) -> Option<String> {
    let output = program::ask(
        Command::new("sysctl").args(["-n", name]),
        LIMIT,
        program::read_all,
    );
    let text = String::from_utf8(output.ok()?).ok()?;
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

pub(super) fn distribution() -> Option<String> {
    let product = |key: &str| {
        let output =
            program::ask(Command::new("sw_vers").arg(key), LIMIT, program::read_all).ok()?;
        Some(String::from_utf8(output).ok()?.trim().to_owned())
    };
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
