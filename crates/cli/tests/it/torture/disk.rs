//! The disk is full, or cannot be written at all.

use super::audit::audit;
use super::lab::Lab;
use crate::dice::{Dice, rounds};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Eight trials, each of which keeps 20 kB, says them too, and fails where they have no place.
const SPEC: &str = r#"
seeds = 8
parallel = 2
[[tasks]]
id = "talk"
shell = true
retries = 0
command = '''
echo "start {index} {attempt}" >> "$TORTURE_LAB/witness"
head -c 20000 /dev/zero | tee "$FAIRTRIAL_DIR/model"'''
"#;

const DISK_BYTES: u64 = 2 << 20;

/// A file system in memory, gone when dropped.
struct Disk(PathBuf);

impl Disk {
    /// Mounts one, where this process may. In CI as root it must be able to.
    fn mount(at: &Path) -> Option<Self> {
        fs::create_dir_all(at).unwrap();
        let size = format!("size={DISK_BYTES}");
        let arguments = ["-t", "tmpfs", "-o", &size, "fairtrial-torture"];
        let mounted = Command::new("mount").args(arguments).arg(at).output();
        let refused = match mounted {
            Ok(output) if output.status.success() => return Some(Self(at.to_owned())),
            Ok(output) => String::from_utf8_lossy(&output.stderr).into_owned(),
            Err(error) => error.to_string(),
        };
        let must = std::env::var_os("CI").is_some() && rustix::process::geteuid().is_root();
        assert!(!must, "in CI a root can mount: {refused}");
        eprintln!("skipped: no file system can be mounted here: {refused}");
        None
    }

    fn remount(&self, option: &str) {
        let option = format!("remount,{option}");
        let done = Command::new("mount")
            .args(["-o", &option])
            .arg(&self.0)
            .status();
        assert!(done.unwrap().success());
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

fn lab_on_a_disk() -> Option<(Lab, Disk)> {
    let lab = Lab::new(SPEC);
    let place = lab.path().join("disk");
    let disk = Disk::mount(&place)?;
    Some((lab.with_data(place.join("data")), disk))
}

#[test]
fn on_a_full_disk_a_run_stops_loses_nothing_and_goes_on_when_there_is_room() {
    let mut dice = Dice::new("full disk");
    // No room at all, room for the run's own files, room for some trials.
    for least in [0, 8, 40, 120].into_iter().cycle().take(rounds(4) as usize) {
        let Some((lab, disk)) = lab_on_a_disk() else {
            return;
        };
        let room = (least + dice.between(0, 40)) << 10;
        let ballast = disk.0.join("ballast");
        fs::write(&ballast, vec![0; (DISK_BYTES - room) as usize]).unwrap();
        lab.finish()
            .assert_code(3)
            .assert_said("No space left on device");
        lab.assert_deserted();
        let known = lab.journal();
        let seen = lab.witnesses().len();

        fs::remove_file(ballast).unwrap();
        lab.finish().assert_code(0);
        lab.journal().assert_continues(&known);
        for witness in &lab.witnesses()[seen..] {
            assert!(!known.answered().contains(&witness.index), "{witness:?}");
        }
        let journal = lab.journal();
        assert_eq!(journal.answered().len(), 8);
        assert_eq!(journal.closed(), Some("finished"));
        let ok = |record: &&serde_json::Value| record["outcome"] == "ok";
        assert!(journal.effective().values().all(ok));
    }
}

#[test]
fn on_a_read_only_disk_nothing_runs_and_everything_can_be_read() {
    let Some((lab, disk)) = lab_on_a_disk() else {
        return;
    };
    lab.finish().assert_code(0);
    let before = audit(&lab, 8);
    disk.remount("ro");
    let message = "Read-only file system";
    lab.call(&["run", "spec.toml"])
        .assert_code(3)
        .assert_said(message);
    lab.call(&["run", "spec.toml", "--resume"])
        .assert_code(3)
        .assert_said(message);
    for command in ["list", "status", "summarize"] {
        let done = lab.call(&[command]).assert_code(0);
        assert!(done.stdout.contains("torture"), "{command}: {done:?}");
    }
    assert_eq!(lab.journal().bytes, before.bytes);
    disk.remount("rw");
    lab.finish().assert_code(0);
    audit(&lab, 8);
}

#[test]
fn on_a_full_disk_what_cannot_begin_leaves_nothing_in_the_way() {
    let Some((lab, disk)) = lab_on_a_disk() else {
        return;
    };
    lab.finish().assert_code(0);
    let ballast = disk.0.join("ballast");
    // As much as there is room for.
    let full = fs::write(&ballast, vec![0; 2 * DISK_BYTES as usize]);
    assert!(full.is_err());
    let message = "No space left on device";
    lab.call(&["run", "spec.toml"])
        .assert_code(3)
        .assert_said(message);
    assert_eq!(
        lab.run_dirs().len(),
        1,
        "a run that did not begin is no run"
    );
    lab.call(&["init", "disk/new.toml"])
        .assert_code(3)
        .assert_said(message);
    let left: Vec<_> = fs::read_dir(&disk.0).unwrap().collect();
    assert_eq!(
        left.len(),
        2,
        "the data, the ballast and nothing else: {left:?}"
    );
    for command in ["list", "status"] {
        let done = lab.call(&[command]).assert_code(0);
        assert!(done.stdout.contains("torture"), "{command}: {done:?}");
    }
    fs::remove_file(ballast).unwrap();
    lab.call(&["init", "disk/new.toml"]).assert_code(0);
}
