//! What the machine does to an experiment: never the experiment's own failure.

use super::{drive, run};
use crate::request::{DriveTask, DriveTrial, TASK_SCHEMA};
use crate::samples::Samples;
use crate::tools::Tools;
use fairtrial_experiment::{Origin, Sources};
use fairtrial_model::{Params, TrialId, TrialKey, UtcTime};
use std::fs::{self, File, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;

/// Answers with one sample, and waits.
const WORKER: &str = r#"#!/bin/sh
exec 3<&0 4>&0 </dev/null
while read -r request <&3; do
  case "$request" in
  *'"op":"setup"'*) echo '{"event":"ready","params":{}}' >&4 ;;
  *'"op":"iterate"'*) echo '{"event":"sample","index":0,"start_ns":1,"wall_ns":5,"metrics":{}}' >&4 ;;
  esac
done
"#;

fn asked(dir: &Path) -> (DriveTask, DriveTrial, Tools) {
    let task = DriveTask {
        schema: TASK_SCHEMA,
        experiment: "odd".to_owned(),
        origin: Origin::Program {
            program: "odd.sh".to_owned(),
        },
        sources: Sources::default(),
        warmup: Some(0),
        measured: Some(2),
        min_time_s: None,
        instruments: Vec::new(),
        base_dir: dir.to_owned(),
        output_dir: dir.join("out"),
        run: "run".to_owned(),
        environment: dir.join("environment.json"),
        data_root: dir.to_owned(),
        spec: "odd.yaml".to_owned(),
        tags: Vec::new(),
        notes: String::new(),
    };
    let trial = DriveTrial {
        key: TrialKey {
            index: 0,
            task: "odd".to_owned(),
            arm: None,
            point: Params::default(),
            seed: 1,
            rollout: 0,
        },
        id: TrialId("0".repeat(32)),
        attempt: 1,
        name: "run-0".to_owned(),
        dir: dir.to_owned(),
        params: Params::default(),
    };
    let tools = Tools {
        program: "fairtrial".into(),
        version: String::new(),
        environment: Vec::new(),
        now: || UtcTime::from_micros(0),
        stop: Arc::default(),
        say: |_| {},
    };
    (task, trial, tools)
}

#[test]
fn a_worker_that_is_not_there_is_the_machines_for_good() {
    let home = tempfile::tempdir().unwrap();
    let (task, trial, tools) = asked(home.path());
    let error = drive(&task, &trial, &tools).unwrap_err().to_string();
    assert!(error.contains("odd.sh could not be started: "), "{error}");
    let told = fs::read_to_string(home.path().join("metrics.jsonl")).unwrap();
    assert!(
        told.starts_with("{\"fairtrial.broken\":\"the worker "),
        "{told}"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_sample_that_finds_no_place_is_the_machines() {
    let home = tempfile::tempdir().unwrap();
    let script = home.path().join("odd.sh");
    fs::write(&script, WORKER).unwrap();
    fs::set_permissions(&script, Permissions::from_mode(0o755)).unwrap();
    let (task, trial, tools) = asked(home.path());
    let full = Samples::into_file(File::create("/dev/full").unwrap());
    let error = run(&task, &trial, &tools, full).unwrap_err();
    assert!(!error.is_permanent());
    let error = error.to_string();
    assert!(error.contains("samples.jsonl: No space left"), "{error}");
}
