//! A run is archived, and taken out of its archive, by processes that are killed at random instants and at every fail point: at any
//! moment the folder or the archive is whole.

use super::lab::Lab;
use crate::dice::{Dice, rounds};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread::sleep;

const SPEC: &str = r#"
seeds = 12
parallel = 3
keep_folders = true
[[tasks]]
id = "says"
command = ["sh", "-c", "echo hello {seed}; head -c 200000 /dev/urandom > model.bin; echo \"{\\\"score\\\": {seed}}\" >> \"$FAIRTRIAL_METRICS\""]
[metrics.score]
direction = "up"
"#;

/// Points at which a process may die.
const POINTS: [&str; 6] = [
    "checked.before_rename",
    "archive.written",
    "archive.hidden",
    "archive.trials_restored",
    "archive.before_restored",
    "archive.restored",
];

const KILLS: u64 = 8;

/// All files that the run's own are, by their paths.
fn files(lab: &Lab) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for folder in ["rollouts/torture", "runs"] {
        gather(&lab.data().join(folder), &mut found);
    }
    found.retain(|path, _| path.file_name().unwrap() != "lock");
    found
}

fn gather(folder: &Path, found: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            gather(&path, found);
        } else {
            found.insert(path.clone(), fs::read(&path).unwrap());
        }
    }
}

/// Whatever happened, the run is read whole.
fn is_whole(lab: &Lab) {
    lab.call(&["verify", "torture"]).assert_code(0);
    let log = lab
        .call(&["logs", "torture", "--trial", "3"])
        .assert_code(0);
    assert!(log.stdout.starts_with("hello "), "{log:?}");
}

fn word(lab: &Lab, command: &[&str]) -> bool {
    let done = lab.call(command);
    // It was done already before the process was killed.
    let fine = done.status.success()
        || done.stderr.contains("is archived")
        || done.stderr.contains("is not archived");
    assert!(fine, "{done:?}");
    done.status.success()
}

const TO_ARCHIVE: [&str; 2] = ["archive", "torture"];
const TO_FOLDER: [&str; 3] = ["archive", "--restore", "torture"];

#[test]
fn killed_at_random_instants_a_run_stays_whole() {
    let mut dice = Dice::new("archive");
    for _ in 0..rounds(1) {
        let lab = Lab::new(SPEC);
        lab.finish().assert_code(0);
        let before = files(&lab);
        for _ in 0..KILLS {
            for command in [&TO_ARCHIVE[..], &TO_FOLDER] {
                let process = lab.start(command);
                sleep(dice.millis(1, 250));
                process.kill();
                is_whole(&lab);
                word(&lab, command);
                is_whole(&lab);
            }
        }
        assert_eq!(files(&lab), before);
    }
}

#[test]
fn killed_at_every_point_a_run_stays_whole() {
    for point in POINTS {
        let lab = Lab::new(SPEC);
        lab.finish().assert_code(0);
        let before = files(&lab);
        let mut died = false;
        for command in [&TO_ARCHIVE[..], &TO_FOLDER] {
            let process = lab.start_with(command, &[("FAIRTRIAL_FAILPOINT", point)]);
            died |= process.wait().was_killed();
            is_whole(&lab);
            word(&lab, command);
            is_whole(&lab);
        }
        assert!(died, "nothing died at {point}");
        assert_eq!(files(&lab), before, "{point}");
    }
}
