//! The wall clock is set back by an hour while a run is at work.

use super::audit::audit;
use super::lab::Lab;
use std::fs;
use std::process::Command;

const SPEC: &str = r#"
seeds = 4
parallel = 2
[[tasks]]
id = "wait"
shell = true
command = '''
echo "start {index} {attempt}" >> "$TORTURE_LAB/witness"
while [ ! -e "$TORTURE_LAB/go" ]; do sleep 0.02; done
echo "{\"score\": {seed}}" >> "$FAIRTRIAL_METRICS"'''
"#;

#[test]
fn a_clock_that_steps_back_changes_no_answer_and_no_order() {
    let mut lab = Lab::new(SPEC);
    let (library, step) = (lab.path().join("clock.so"), lab.path().join("step"));
    let source = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/it/torture/stepping_clock.c"
    );
    let built = Command::new("cc")
        .args(["-shared", "-fPIC", "-o"])
        .arg(&library)
        .args([source, "-ldl"])
        .status();
    if !built.is_ok_and(|status| status.success()) {
        assert!(std::env::var_os("CI").is_none(), "CI has a C compiler");
        eprintln!("skipped: no C compiler to make a clock that steps back");
        return;
    }
    lab.set("LD_PRELOAD", &library.display().to_string());
    lab.set("STEP_FILE", &step.display().to_string());
    let controller = lab.start(lab.arguments());
    lab.wait_for_witnesses("start", 2);
    fs::write(&step, "").unwrap();
    fs::write(lab.path().join("go"), "").unwrap();
    controller.wait().assert_code(0);
    let journal = audit(&lab, 4);
    let given_out = journal.of_kind("started").next().unwrap()["at"]
        .as_str()
        .unwrap();
    let ended = journal.effective()[&0]["ended_at"].as_str().unwrap();
    assert!(ended < given_out, "the clock stepped");
    for record in journal.records() {
        let time = |key: &str| record[key].as_str().unwrap().to_owned();
        assert!(time("started_at") <= time("ended_at"), "{record}");
        let wall = record["resources"]["wall_s"].as_f64().unwrap();
        assert!((0.0..1800.0).contains(&wall), "{record}");
    }

    // A run that is made now comes after the one of the hour ahead, and is the one that `--resume` means.
    let first = lab.run_dir().unwrap();
    lab.call(&["run", "spec.toml"]).assert_code(0);
    assert_eq!(lab.run_dirs().len(), 2);
    assert_ne!(lab.run_dir().unwrap(), first);
    audit(&lab, 4);
    let second = lab.journal();
    lab.call(&["run", "spec.toml", "--resume"]).assert_code(0);
    assert!(lab.journal().bytes.len() > second.bytes.len());
}
