//! Runs and tables with curves, and what is said of them.

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

pub(crate) fn fairtrial(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_fairtrial"))
        .args(arguments)
        .current_dir(folder)
        .env_remove("FAIRTRIAL_DATA")
        .env("NO_COLOR", "1")
        .output()
        .unwrap()
}

pub(crate) fn words(output: &Output) -> String {
    let both = [&output.stdout[..], &output.stderr[..]].concat();
    String::from_utf8_lossy(&both).into_owned()
}

pub(crate) fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", words(output)))
}

/// A folder in which a spec named `t` was run; its trials are lines of awk with `arm`, `seed` and `rollout`.
pub(crate) fn ran(awk: &str, spec: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("trial.awk"), awk).unwrap();
    let spec = format!("name = \"t\"\n{spec}\n[arms.control]\n[arms.candidate]\n");
    std::fs::write(folder.path().join("t.toml"), spec).unwrap();
    let run = fairtrial(folder.path(), &["run", "t.toml"]);
    assert!(run.status.success(), "{}", words(&run));
    folder
}

pub(crate) const COMMAND: &str =
    "command = \"awk -v arm={arm} -v seed={seed} -v rollout={rollout} -f trial.awk\"";

/// The first metric of the first contrast of `compare`.
pub(crate) fn compared(folder: &Path, more: &[&str]) -> Value {
    let arguments = [&["compare", "t", "--json"], more].concat();
    json(&fairtrial(folder, &arguments))["contrasts"][0]["metrics"][0].clone()
}

pub(crate) fn verdict(found: &Value) -> &str {
    found["verdict"]["word"].as_str().unwrap()
}

/// What `analyze` says of whole curves of both arms.
pub(crate) fn analyzed(folder: &Path, more: &[&str]) -> Output {
    let sides = [
        "--control-run-ids",
        "t:control",
        "--candidate-run-ids",
        "t:candidate",
    ];
    let asked = [
        "analyze",
        "--json",
        "--metric",
        "reward",
        "--summary.percent",
        "1",
    ];
    fairtrial(folder, &[&asked[..], &sides, more].concat())
}
