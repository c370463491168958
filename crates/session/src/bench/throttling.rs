//! How often the CPU slowed itself down because it was too hot, where the machine counts that.

use std::fs;
use std::path::Path;

/// The events so far over all cores; nothing where they are not counted, as in most virtual machines.
pub(super) fn events() -> Option<u64> {
    events_in(Path::new("/sys/devices/system/cpu"))
}

fn events_in(cpus: &Path) -> Option<u64> {
    let counts = fs::read_dir(cpus).ok()?.flatten().filter_map(|cpu| {
        let count = cpu.path().join("thermal_throttle/core_throttle_count");
        fs::read_to_string(count).ok()?.trim().parse::<u64>().ok()
    });
    let counts: Vec<u64> = counts.collect();
    (!counts.is_empty()).then(|| counts.iter().sum())
}

#[cfg(test)]
mod tests {
    use super::events_in;
    use std::fs;

    #[test]
    fn events_of_all_cores_are_added_and_none_are_claimed_where_they_are_not_counted() {
        let home = tempfile::tempdir().unwrap();
        assert_eq!(events_in(home.path()), None);
        assert_eq!(events_in(&home.path().join("nowhere")), None);
        for (cpu, count) in [("cpu0", "3\n"), ("cpu1", "4\n"), ("cpufreq", "")] {
            let folder = home.path().join(cpu).join("thermal_throttle");
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("core_throttle_count"), count).unwrap();
        }
        assert_eq!(events_in(home.path()), Some(7));
    }
}
