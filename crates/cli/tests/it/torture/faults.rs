//! Calls of the system fail at random: what fails is told, nothing is charged to an arm, nothing is lost, and the next session
//! mends it. The calls are made to fail by a small library (`xtask/faults/faults.c`) that is preloaded into the program.

use super::audit::audit;
use super::lab::Lab;
use crate::dice::{Dice, rounds};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Calls, and the numbers of the errors that they may end with on Linux: EINTR, EIO, EAGAIN, ENOMEM, EACCES, EMFILE, ENOSPC.
const CALLS: [(&str, &[i32]); 6] = [
    ("write", &[4, 5, 28]),
    ("read", &[4, 5]),
    ("open", &[5, 12, 13, 24, 28]),
    ("fsync", &[5, 28]),
    ("rename", &[5, 13, 28]),
    ("fork", &[11, 12]),
];
const EINTR: i32 = 4;
/// Sessions with a fault before the run is left to finish.
const SESSIONS: u64 = 4;

const SPEC: &str = r#"
seeds = 6
parallel = 2
[defaults]
shell = true
retries = 0
[[tasks]]
id = "learn"
command = '''
echo "start {index} {attempt}" >> "$TORTURE_LAB/witness"
echo "{\"score\": {seed}}" >> "$FAIRTRIAL_METRICS"'''
[metrics.score]
direction = "up"
required = true
"#;

/// The library, where it can be built.
fn library(folder: &Path) -> Option<PathBuf> {
    let library = folder.join("faults.so");
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/../../xtask/faults/faults.c");
    let built = Command::new("cc")
        .args(["-shared", "-fPIC", "-o"])
        .arg(&library)
        .args([source, "-ldl"])
        .status();
    if built.is_ok_and(|status| status.success()) {
        return Some(library);
    }
    assert!(std::env::var_os("CI").is_none(), "CI has a C compiler");
    eprintln!("skipped: no C compiler to make calls fail");
    None
}

/// A fault: the call, the error, from which call on, and how often.
fn fault(dice: &mut Dice) -> String {
    let (call, errors) = CALLS[dice.between(0, CALLS.len() as u64) as usize];
    let error = errors[dice.between(0, errors.len() as u64) as usize];
    let furthest = if call == "fork" { 4 } else { 80 };
    let nth = 1 + dice.between(0, furthest);
    let lasts = error != EINTR && dice.once_in(3);
    let times = if lasts { 1_000_000 } else { 1 };
    format!("{call}:{error}:{nth}:{times}")
}

#[test]
fn whatever_call_fails_the_next_session_mends_it() {
    let folder = tempfile::tempdir().unwrap();
    let Some(library) = library(folder.path()) else {
        return;
    };
    let library = library.display().to_string();
    let mut dice = Dice::new("faults");
    let (mut faults, mut told) = (0, 0);
    for _ in 0..rounds(4) {
        let lab = Lab::new(SPEC);
        let data = lab.data().display().to_string();
        for _ in 0..SESSIONS {
            // The first one is no matter of chance: the disk is full from the fifth write on.
            let fault = match faults {
                0 => "write:28:5:1000000".to_owned(),
                _ => fault(&mut dice),
            };
            let known = lab.journal();
            let broken = [
                ("LD_PRELOAD", &*library),
                ("FAULT", &*fault),
                ("FAULT_PATH", &*data),
            ];
            let done = lab.start_with(lab.arguments(), &broken).ends();
            faults += 1;
            match done.status.code() {
                Some(0) => {}
                // Said, and no arm's fault.
                Some(2 | 3) if !done.stderr.is_empty() => told += 1,
                _ => panic!("{fault}: {done:?}"),
            }
            lab.wait_until_deserted();
            lab.journal().assert_continues(&known);
            let failed = |record: &&serde_json::Value| record["outcome"] == "failed";
            assert_eq!(lab.journal().records().find(failed), None, "{fault}");
        }
        lab.finish().assert_code(0);
        audit(&lab, 6);
    }
    println!("{faults} faults, {told} of them told");
    assert!(told > 0, "no fault did anything");
}

/// A part of a copy would look like one that somebody changed.
#[test]
fn a_copy_of_a_record_that_cannot_be_written_leaves_no_part_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let Some(library) = library(folder.path()) else {
        return;
    };
    let library = library.display().to_string();
    let lab = Lab::new(SPEC);
    let broken = [
        ("LD_PRELOAD", &*library),
        ("FAULT", "write:28:1:1000000"),
        ("FAULT_PATH", "/record.json"),
    ];
    lab.start_with(lab.arguments(), &broken).ends();
    // The journal has the record, and the trial counts.
    let said = |record: &serde_json::Value| record["notes"].to_string().contains("was not written");
    assert_eq!(
        lab.journal()
            .records()
            .filter(|record| said(record))
            .count(),
        6
    );
    lab.call(&["verify", "torture"]).assert_code(0);
    lab.finish().assert_code(0);
    audit(&lab, 6);
}
