//! What verdicts about curves are made of: numbers that mean what their metric says, over the same part of every curve,
//! with one number per seed. The runs and tables here once turned verdicts round.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

fn fairtrial(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_fairtrial"))
        .args(arguments)
        .current_dir(folder)
        .env_remove("FAIRTRIAL_DATA")
        .env("NO_COLOR", "1")
        .output()
        .unwrap()
}

fn words(output: &Output) -> String {
    let both = [&output.stdout[..], &output.stderr[..]].concat();
    String::from_utf8_lossy(&both).into_owned()
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", words(output)))
}

/// A folder in which a spec named `t` was run; its trials are lines of awk with `arm`, `seed` and `rollout`.
fn ran(awk: &str, spec: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("trial.awk"), awk).unwrap();
    let spec = format!(
        "name = \"t\"\n{spec}\n[arms.control]\n[arms.candidate]\n"
    );
    std::fs::write(folder.path().join("t.toml"), spec).unwrap();
    let run = fairtrial(folder.path(), &["run", "t.toml"]);
    assert!(run.status.success(), "{}", words(&run));
    folder
}

const COMMAND: &str =
    "command = \"awk -v arm={arm} -v seed={seed} -v rollout={rollout} -f trial.awk\"";

/// The first metric of the first contrast of `compare`.
fn compared(folder: &Path, more: &[&str]) -> Value {
    let arguments = [&["compare", "t", "--json"], more].concat();
    json(&fairtrial(folder, &arguments))["contrasts"][0]["metrics"][0].clone()
}

fn verdict(found: &Value) -> &str {
    found["verdict"]["word"].as_str().unwrap()
}

/// A curve that rises to 10 with a time constant of its own.
const RISING: &str = r#"
BEGIN {
    file = ENVIRON["FAIRTRIAL_METRICS"]
    tau = (arm == "candidate" ? 20 : 30) + (seed * 7 % 5) / 2
    for (step = 1; step <= 100; step++)
        printf("{\"step\": %d, \"reward\": %.6f}\n", step, 10 * (1 - exp(-step / tau))) > file
}
"#;

#[test]
fn fewer_steps_to_a_threshold_are_better() {
    let spec = format!(
        "seeds = 8\n[[tasks]]\nid = \"a\"\n{COMMAND}\n[metrics.reward]\ndirection = \"up\"\nunit = \"points\"\n\
         summary = {{ type = \"time_to\", threshold = 8 }}"
    );
    let folder = ran(RISING, &spec);
    let found = compared(folder.path(), &[]);
    assert_eq!(verdict(&found), "improved");
    assert_eq!(found["direction"], "down");
    assert_eq!(found["unit"], "steps");
    // What is said beside the spec is about the metric too.
    let found = compared(folder.path(), &["--direction", "up"]);
    assert_eq!(verdict(&found), "improved");
    let gate = fairtrial(folder.path(), &["gate", "t", "--rule", "reward:up"]);
    assert!(gate.status.success(), "{}", words(&gate));
    let refused = fairtrial(folder.path(), &["compare", "t", "--reference", "0:10"]);
    assert!(
        words(&refused).contains("do not lie between reference points"),
        "{}",
        words(&refused)
    );
}
