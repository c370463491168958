//! A system that gives few threads or processes, small files only, or files that cannot be read: fewer slots with a note, or
//! exit code 3 with the reason; never a panic, a hang or a failure that is charged to an arm.

use super::audit::audit;
use super::lab::Lab;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const SPEC: &str = r#"
seeds = 8
parallel = 3
[[tasks]]
id = "learn"
shell = true
retries = 0
command = '''
echo "start {index} {attempt}" >> "$TORTURE_LAB/witness"
echo "{\"score\": {seed}}" >> "$FAIRTRIAL_METRICS"'''
[metrics.score]
direction = "up"
required = true
"#;

/// The library that makes the system poor, where it can be built.
fn library(lab: &Lab) -> Option<PathBuf> {
    library_in(lab.path())
}

pub(crate) fn library_in(folder: &Path) -> Option<PathBuf> {
    let library = folder.join("poor.so");
    let source = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/it/torture/poor_system.c"
    );
    let built = Command::new("cc")
        .args(["-shared", "-fPIC", "-o"])
        .arg(&library)
        .args([source, "-ldl"])
        .status();
    if built.is_ok_and(|status| status.success()) {
        return Some(library);
    }
    assert!(std::env::var_os("CI").is_none(), "CI has a C compiler");
    eprintln!("skipped: no C compiler to make a poor system");
    None
}

#[test]
fn with_few_threads_a_run_has_fewer_slots_or_says_why_not() {
    let (mut refused, mut slow) = (0, 0);
    for threads in 0..12 {
        let lab = Lab::new(SPEC);
        let Some(library) = library(&lab) else {
            return;
        };
        let library = library.display().to_string();
        let few = threads.to_string();
        let poor = [("LD_PRELOAD", &*library), ("FEW_THREADS", &*few)];
        let done = lab.start_with(lab.arguments(), &poor).wait();
        match done.status.code() {
            Some(3) => {
                refused += 1;
                let why = ["thread", "Resource temporarily unavailable"];
                let said = why.iter().any(|why| done.stderr.contains(why));
                assert!(said, "{threads}: {done:?}");
            }
            Some(0) => slow += usize::from(done.stderr.contains("slots work")),
            _ => panic!("{threads} threads: {done:?}"),
        }
        // A tool that was asked for its version may outlive a run that could not begin, for as long as that takes.
        lab.wait_until_deserted();
        lab.finish().assert_code(0);
        audit(&lab, 8);
    }
    assert!(
        refused > 0 && slow > 0,
        "{refused} refused, {slow} with fewer"
    );
}

#[test]
fn with_few_processes_a_run_has_fewer_slots_or_says_why_not() {
    for (launchers, code, said) in [("1", 0, "is left out"), ("0", 3, "could not start")] {
        let lab = Lab::new(SPEC);
        let Some(library) = library(&lab) else {
            return;
        };
        let library = library.display().to_string();
        let poor = [("LD_PRELOAD", &*library), ("FEW_LAUNCHERS", launchers)];
        let done = lab.start_with(lab.arguments(), &poor).wait();
        done.assert_code(code).assert_said(said);
        lab.finish().assert_code(0);
        audit(&lab, 8);
    }
}

#[test]
fn metrics_that_the_machine_cannot_read_are_not_charged_to_the_arm() {
    let mut lab = Lab::new(SPEC);
    let Some(library) = library(&lab) else {
        return;
    };
    let broken = lab.path().join("broken");
    fs::write(&broken, "").unwrap();
    lab.set("LD_PRELOAD", &library.display().to_string());
    lab.set("EIO_FILE", &broken.display().to_string());
    lab.finish().assert_code(3);
    for record in lab.journal().records() {
        assert_eq!(record["outcome"], "infra", "{record}");
        let why = record["cause"].to_string();
        assert!(why.contains("could not be read"), "{record}");
    }
    fs::remove_file(&broken).unwrap();
    lab.finish().assert_code(0);
    audit(&lab, 8);
}

#[test]
fn where_files_may_not_grow_a_run_stops_with_the_reason() {
    for blocks in [1, 4, 8] {
        let lab = Lab::new(SPEC);
        let limit = format!("ulimit -f {blocks}");
        let done = lab.start_under(&limit, lab.arguments()).wait();
        done.assert_code(3).assert_said("File too large");
        lab.assert_deserted();
        lab.finish().assert_code(0);
        let answered = lab.journal().answered().len();
        assert_eq!(answered, 8);
    }
}
