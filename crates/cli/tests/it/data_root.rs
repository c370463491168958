//! One rule for the data root: where you are decides, and what you named.

use crate::common::Project;
use std::path::{Path, PathBuf};

const SPEC: &str = "command = \"true\"\n";

/// Runs the binary in a folder of the project.
fn run_in(project: &Project, folder: &str, args: &[&str]) -> (i32, String, String) {
    let mut command = project.command(args);
    command.current_dir(project.path().join(folder));
    let ran = crate::common::Ran::from(command.output().unwrap());
    (ran.code, ran.out, ran.err)
}

/// What `where` says in a folder: the data root, and why.
fn where_in(project: &Project, folder: &str, more: &[&str]) -> (PathBuf, String) {
    let mut args = vec!["where", "--json"];
    args.extend(more);
    let (code, out, err) = run_in(project, folder, &args);
    assert_eq!(code, 0, "{err}");
    let answer: serde_json::Value = serde_json::from_str(&out).unwrap();
    let text = |key: &str| answer[key].as_str().unwrap().to_owned();
    (text("data_root").into(), text("because"))
}

fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap()
}

#[test]
fn a_run_is_found_in_the_folder_where_it_was_started() {
    let project = Project::new();
    project.write("configs/a.toml", SPEC);
    // An earlier run inside of the folder of the spec must not draw later ones there.
    assert_eq!(run_in(&project, "configs", &["run", "a.toml"]).0, 0);
    assert_eq!(run_in(&project, "configs", &["summarize", "a"]).0, 0);
    assert_eq!(run_in(&project, ".", &["run", "configs/a.toml"]).0, 0);
    let (code, _, err) = run_in(&project, ".", &["summarize", "a"]);
    assert_eq!(code, 0, "{err}");
    assert!(project.path().join("data/rollouts/a").is_dir());
}

#[test]
fn the_way_a_spec_is_written_does_not_matter() {
    let project = Project::new();
    project.write("q1/a.toml", SPEC);
    project.write("q2/note", "");
    let absolute = project.path().join("q1/a.toml").display().to_string();
    for spec in ["../q1/a.toml", &absolute, "../q2/../q1/a.toml"] {
        assert_eq!(run_in(&project, "q2", &["run", spec]).0, 0, "{spec}");
    }
    let runs = project.path().join("q2/data/rollouts/a");
    let stamps = std::fs::read_dir(runs).unwrap();
    assert_eq!(stamps.count(), 3);
    assert!(!project.path().join("q1/data").exists());
}

#[test]
fn the_reasons_are_asked_in_order() {
    let project = Project::new();
    project.write("deep/er/note", "");
    let here = real(project.path());
    assert_eq!(
        where_in(&project, "deep/er", &[]),
        (here.join("deep/er/data"), "here".to_owned())
    );
    project.write(".git/HEAD", "");
    assert_eq!(
        where_in(&project, "deep/er", &[]),
        (here.join("data"), "repository".to_owned())
    );
    project.write("deep/data/runs/note", "");
    assert_eq!(
        where_in(&project, "deep/er", &[]),
        (here.join("deep/data"), "holds_runs".to_owned())
    );
    let mut command = project.command(&["where"]);
    let told = command.env("FAIRTRIAL_DATA", "elsewhere").output().unwrap();
    let told = crate::common::Ran::from(told);
    assert_eq!(
        told.out.trim_end(),
        here.join("elsewhere").to_str().unwrap()
    );
    assert!(told.err.contains("FAIRTRIAL_DATA"), "{}", told.err);
    // Two ways to write a folder are one data root, also where it is not there yet.
    for named in ["../../deep/../other", "../../other"] {
        assert_eq!(
            where_in(&project, "deep/er", &["--data-dir", named]),
            (here.join("other"), "named".to_owned())
        );
    }
}
