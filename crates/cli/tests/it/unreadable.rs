//! Only a file that is not there is absent: one that cannot be read ends a command, with its path, before anything is
//! lost or decided without it.

use crate::common::{Project, Ran};
use std::path::{Path, PathBuf};

/// Two arms with a curve each, on which lower is better.
const SPEC: &str = r#"
name = "bench"
seeds = 6

[[tasks]]
id = "train"
command = ["sh", "train.sh", "{lift}", "{seed}"]

[arms.control]
lift = 20
[arms.candidate]
lift = 0

[metrics.loss]
direction = "down"
"#;

const TRAIN: &str = r#"
i=0
while [ $i -lt 80 ]; do
  echo "{\"step\": $i, \"loss\": $((100 + $1 + ($2 * ($1 + 1)) % 7))}" >> "$FAIRTRIAL_METRICS"
  i=$((i + 1))
done
"#;

fn project() -> Project {
    let project = Project::with_spec(SPEC);
    project.write("train.sh", TRAIN);
    project
}

/// Puts a folder in a file's place, which no user, not even root, can read as a file.
fn spoil(path: &Path) {
    if path.exists() {
        std::fs::remove_file(path).unwrap();
    }
    std::fs::create_dir(path).unwrap();
}

fn assert_names(ran: &Ran, path: &str) {
    let said = ran.err.contains("cannot read") && ran.err.contains(path);
    assert!(said, "{path}\n{}\n{}", ran.out, ran.err);
}

#[test]
fn a_run_is_not_started_without_its_registration() {
    let project = project();
    spoil(&project.path().join("bench.registered.json"));
    assert_names(
        &project.expect(3, &["run", "bench.toml"]),
        "bench.registered.json",
    );
    assert!(!project.path().join("data/rollouts").exists());
}

#[test]
fn a_registration_is_not_replaced_unseen() {
    let project = project();
    let path = project.path().join("bench.registered.json");
    std::os::unix::fs::symlink("bench.registered.json", &path).unwrap();
    assert_names(
        &project.expect(3, &["register", "bench.toml"]),
        "bench.registered.json",
    );
    assert!(path.is_symlink());
}

#[test]
fn curves_are_not_judged_without_the_declaration_of_their_metric() {
    let project = project();
    project.expect(0, &["run", "bench.toml"]);
    let asked = [
        "analyze",
        "--control-run-ids",
        "bench:control",
        "--candidate-run-ids",
        "bench:candidate",
        "--metric",
        "loss",
    ];
    let judged = project.expect(0, &asked);
    assert!(judged.out.starts_with("Improved"), "{}", judged.out);
    let spec = project.newest_run("bench").join("spec.resolved.json");
    let variance = ["variance", "bench:control", "--output", "v.svg"];
    spoil(&spec);
    for asked in [&asked[..], &variance] {
        assert_names(&project.expect(3, asked), "spec.resolved.json");
    }
    std::fs::remove_dir(&spec).unwrap();
    for (text, said) in [("{", "is damaged"), ("{\"schema\":2}", "has form 2")] {
        std::fs::write(&spec, text).unwrap();
        for asked in [&asked[..], &variance] {
            let ran = project.expect(3, asked);
            assert!(ran.err.contains(said), "{}", ran.err);
        }
    }
}

#[test]
fn a_report_and_a_check_do_without_no_file_that_is_there() {
    let project = project();
    project.expect(0, &["register", "bench.toml"]);
    project.expect(0, &["run", "bench.toml"]);
    project.expect(0, &["verify"]);
    let run = project.newest_run("bench");
    let trials = std::fs::read_dir(project.path().join("data/runs")).unwrap();
    let trial: PathBuf = trials.map(|entry| entry.unwrap().path()).next().unwrap();
    let record = std::fs::read(trial.join("record.json")).unwrap();
    spoil(&trial.join("record.json"));
    assert_names(&project.expect(3, &["verify"]), "record.json");
    std::fs::remove_dir(trial.join("record.json")).unwrap();
    std::fs::write(trial.join("record.json"), record).unwrap();
    project.expect(0, &["verify"]);
    std::os::unix::fs::symlink("report.md", run.join("report.md")).unwrap();
    assert_names(&project.expect(2, &["verify"]), "report.md");
    std::fs::remove_file(run.join("report.md")).unwrap();
    spoil(&run.join("registration.json"));
    assert_names(&project.expect(3, &["report"]), "registration.json");
}

#[test]
fn a_history_leaves_out_no_run_that_is_there() {
    let project = project();
    for _ in 0..8 {
        project.expect(0, &["run", "bench.toml"]);
    }
    let oldest = std::fs::read_dir(project.path().join("data/rollouts/bench")).unwrap();
    let oldest = oldest.map(|entry| entry.unwrap().path()).min().unwrap();
    project.expect(0, &["report"]);
    let spec = oldest.join("spec.resolved.json");
    spoil(&spec);
    assert_names(&project.expect(3, &["report"]), "spec.resolved.json");
    std::fs::remove_dir(&spec).unwrap();
    std::fs::write(&spec, "{\"schema\":1,").unwrap();
    let ran = project.expect(3, &["report"]);
    assert!(
        ran.err.contains("spec.resolved.json is damaged"),
        "{}",
        ran.err
    );
    // Of another version, and never begun: neither has numbers that belong there.
    std::fs::write(&spec, "{\"schema\":2}").unwrap();
    project.expect(0, &["report"]);
    std::fs::remove_file(&spec).unwrap();
    project.expect(0, &["report"]);
}

#[test]
fn a_confirmation_that_was_begun_is_not_begun_again() {
    let spec = SPEC.replace("lift = 0", "lift = 1") + "[sweep]\nsalt = [1, 2]\n";
    let project = Project::with_spec(&spec);
    project.write("train.sh", TRAIN);
    let confirm = ["run", "bench.toml", "--set", "analysis.confirm=3"];
    project.expect(0, &confirm);
    let spec = project
        .newest_run("bench.confirm")
        .join("spec.resolved.json");
    let resumed = || {
        let ran = project.run(&[&confirm[..], &["--resume"]].concat());
        let runs = std::fs::read_dir(project.path().join("data/rollouts/bench.confirm")).unwrap();
        (ran.err, runs.count())
    };
    spoil(&spec);
    let (said, runs) = resumed();
    assert!(said.contains("cannot read") && runs == 1, "{said}");
    std::fs::remove_dir(&spec).unwrap();
    std::fs::write(&spec, "{").unwrap();
    let (said, runs) = resumed();
    assert!(said.contains("is damaged") && runs == 1, "{said}");
    // One of another version confirms a sweep of that version.
    std::fs::write(&spec, "{\"schema\":2}").unwrap();
    let (said, runs) = resumed();
    assert!(runs == 2, "{said}");
}
