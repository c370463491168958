//! The files made from the journal, and what other programs do with them.

use crate::common::{finished, new_run, opened, record, session, spec, started, time, write};
use fairtrial_journal::{
    DataRoot, Durability, Event, OutcomeCounts, RecordText, RunDir, RunStatus, views,
};
use fairtrial_model::{Exit, Outcome, Record};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;

fn example(root: &DataRoot) -> RunDir {
    let run = new_run(root, "demo");
    let mut killed = record(2, 1, Outcome::Timeout);
    killed.exit = Some(Exit::Signal(9));
    let mut never = record(3, 1, Outcome::Skipped);
    (never.exit, never.started_at, never.dir) = (None, None, String::new());
    let events = [
        opened(&run, 5),
        session(false),
        started(1, 1),
        finished(1, 1, Outcome::Infra),
        finished(2, 1, Outcome::Ok),
        Event::Finished(Box::new(killed)),
        finished(0, 1, Outcome::Ok),
        finished(1, 2, Outcome::Failed),
        Event::Finished(Box::new(never)),
        started(4, 1),
    ];
    write(&run.journal(), &events);
    run
}

fn read(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

#[test]
fn the_manifest_is_a_superset_of_the_original() {
    let dir = tempfile::tempdir().unwrap();
    let run = example(&DataRoot::at(dir.path().join("data")));
    views::write_all(&run, &spec(), Durability::Full).unwrap();
    let manifest = read(&run.manifest());
    let keys: Vec<_> = manifest.as_object().unwrap().keys().collect();
    assert_eq!(
        keys,
        [
            "config",
            "name",
            "created_at",
            "schema",
            "status",
            "trials",
            "counts",
            "results"
        ]
    );
    assert_eq!(manifest["created_at"], "20250824__12-34-56");
    assert_eq!(manifest["status"], "open");
    assert_eq!(manifest["counts"]["failed"], 1);
    let results = manifest["results"].as_array().unwrap();
    let column = |key: &str| {
        results
            .iter()
            .map(|row| row[key].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        column("launch_rc"),
        [json!(0), json!(3), json!(-9), Value::Null]
    );
    assert_eq!(
        column("status"),
        [
            "launched",
            "launch_failed",
            "launch_failed",
            "launch_failed"
        ]
    );
    assert_eq!(results[0]["task_dir"], "data/tasks/prepared/alpha");
    assert_eq!(results[1]["task_dir"], "evaluate");
    assert_eq!(
        results[1]["run_dir"],
        "data/runs/20250824__12-34-56-1-attempt2"
    );
    assert_eq!(results[3]["run_dir"], "data/runs/20250824__12-34-56-3");
    assert_eq!(results[1]["run_id"], "20250824__12-34-56-1-attempt2");
    assert_eq!(
        column("model"),
        [json!("gpt-4"), json!("m-1"), json!("gpt-4"), Value::Null]
    );
    assert_eq!(
        results[0]["params"],
        json!({"lr": 0.001, "layers": 2, "arch": "vit", "model": "m-1"})
    );
    assert_eq!(results[1]["cause"], json!({"kind": "exit_code", "code": 3}));
    assert_eq!(results[0]["metrics"]["reward"], 0.0);
}

#[test]
fn the_other_files_follow_the_manifest() {
    let dir = tempfile::tempdir().unwrap();
    let run = example(&DataRoot::at(dir.path().join("data")));
    views::write_all(&run, &spec(), Durability::Process).unwrap();
    let manifest = read(&run.manifest());
    let results = manifest["results"].as_array().unwrap();
    let runs = std::fs::read_to_string(run.runs_txt()).unwrap();
    let dirs: Vec<_> = results
        .iter()
        .map(|row| row["run_dir"].as_str().unwrap())
        .collect();
    assert_eq!(runs.lines().collect::<Vec<_>>(), dirs);

    let train = read(&run.task_results().join("train.json"));
    assert_eq!(train["counts"]["ok"], 1);
    assert_eq!(train["arms"][1]["arm"], "candidate");
    assert_eq!(train["arms"][1]["counts"]["timeout"], 1);
    assert_eq!(train["trials"], json!([results[0], results[2]]));

    let index = read(&run.temp_index());
    assert_eq!(
        index["rollout_dir"],
        "data/rollouts/demo/20250824__12-34-56"
    );
    assert_eq!(index["runs"], json!(dirs));
    assert_eq!(index["tasks"][3], "evaluate");
}

#[test]
fn views_can_be_made_again_and_again() {
    let dir = tempfile::tempdir().unwrap();
    let run = example(&DataRoot::at(dir.path().join("results")));
    views::write_all(&run, &spec(), Durability::Process).unwrap();
    let first = std::fs::read(run.manifest()).unwrap();
    std::fs::remove_file(run.manifest()).unwrap();
    views::write_all(&run, &spec(), Durability::Process).unwrap();
    assert_eq!(std::fs::read(run.manifest()).unwrap(), first);
    let manifest = read(&run.manifest());
    let run_dir = manifest["results"][0]["run_dir"].as_str().unwrap();
    assert!(
        Path::new(run_dir).is_absolute(),
        "no project folder: {run_dir}"
    );
    let closed = Event::Closed {
        at: time(9.0),
        status: RunStatus::Cancelled,
        counts: OutcomeCounts::default(),
    };
    write(&run.journal(), &[closed]);
    let state = views::write_all(&run, &spec(), Durability::Process).unwrap();
    assert_eq!(read(&run.manifest())["status"], "cancelled");
    assert_eq!(state.counts.total(), 4);
}

#[test]
fn a_run_without_results_has_views_too() {
    let dir = tempfile::tempdir().unwrap();
    let run = new_run(&DataRoot::at(dir.path().join("data")), "demo");
    write(&run.journal(), &[opened(&run, 5)]);
    views::write_all(&run, &spec(), Durability::Process).unwrap();
    assert_eq!(read(&run.manifest())["results"], json!([]));
    assert_eq!(read(&run.temp_index())["tasks"], json!([]));
}

#[test]
fn a_trial_keeps_its_own_record() {
    let dir = tempfile::tempdir().unwrap();
    let kept = record(7, 1, Outcome::Ok);
    let text = RecordText::of(&kept).unwrap();
    views::write_record(dir.path(), &text).unwrap();
    let text = std::fs::read(dir.path().join("record.json")).unwrap();
    assert_eq!(serde_json::from_slice::<Record>(&text).unwrap(), kept);
}

/// What the original's guide shows under "Custom Analysis", in our words.
const SNIPPET: &str = r#"
import json, pathlib, sys
rollout = pathlib.Path(sys.argv[1])
for result in json.loads((rollout / "manifest.json").read_text())["results"]:
    scores = pathlib.Path(result["run_dir"]) / "evaluation_results.json"
    if scores.exists():
        print(result["task_dir"], json.loads(scores.read_text()).get("total_score", "N/A"))
"#;

#[test]
fn a_python_script_reads_the_results_from_the_project_folder() {
    let dir = tempfile::tempdir().unwrap();
    let run = example(&DataRoot::at(dir.path().join("data")));
    views::write_all(&run, &spec(), Durability::Process).unwrap();
    let trial = run.trial_dir(0, 1);
    std::fs::create_dir_all(&trial).unwrap();
    std::fs::write(
        trial.join("evaluation_results.json"),
        r#"{"total_score": 0.75}"#,
    )
    .unwrap();
    let python = Command::new("python3")
        .args(["-c", SNIPPET, "data/rollouts/demo/20250824__12-34-56"])
        .current_dir(dir.path())
        .output();
    match python {
        Err(error) => eprintln!("skipped: python3 cannot be started: {error}"),
        Ok(output) => {
            let text = String::from_utf8_lossy(&output.stdout);
            assert_eq!(text, "data/tasks/prepared/alpha 0.75\n", "{output:?}");
        }
    }
}
