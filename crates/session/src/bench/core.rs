//! Which CPU timed programs are kept on.

use std::fs;
use std::path::Path;

/// The first CPU of the last core that this process may use: the first cores serve most of what else a machine does, and
/// on the second CPU of a core one is in the way of its first.
pub fn quiet_cpu() -> Option<u32> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let allowed = status
        .lines()
        .find_map(|line| line.strip_prefix("Cpus_allowed_list:"))?;
    quiet_among(&cpus(allowed), Path::new("/sys/devices/system/cpu"))
}

fn quiet_among(allowed: &[u32], machine: &Path) -> Option<u32> {
    let last = *allowed.last()?;
    let siblings = machine.join(format!("cpu{last}/topology/thread_siblings_list"));
    let siblings = fs::read_to_string(siblings).map_or_else(|_| Vec::new(), |text| cpus(&text));
    let first = siblings.into_iter().find(|cpu| allowed.contains(cpu));
    Some(first.unwrap_or(last))
}

/// `0-3,8` as numbers.
fn cpus(list: &str) -> Vec<u32> {
    let range = |part: &str| {
        let (from, to) = part.split_once('-').unwrap_or((part, part));
        Some(from.trim().parse::<u32>().ok()?..=to.trim().parse().ok()?)
    };
    list.split(',').filter_map(range).flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::{cpus, quiet_among};
    use std::fs;

    #[test]
    fn the_first_cpu_of_the_last_core_is_taken() {
        assert_eq!(cpus("\t0-3,8\n"), [0, 1, 2, 3, 8]);
        let home = tempfile::tempdir().unwrap();
        assert_eq!(quiet_among(&[0, 1], home.path()), Some(1));
        assert_eq!(quiet_among(&[], home.path()), None);
        let topology = home.path().join("cpu7/topology");
        fs::create_dir_all(&topology).unwrap();
        fs::write(topology.join("thread_siblings_list"), "3,7\n").unwrap();
        assert_eq!(quiet_among(&cpus("0-7"), home.path()), Some(3));
        assert_eq!(quiet_among(&[6, 7], home.path()), Some(7));
    }
}
