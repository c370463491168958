//! Workers that die, hang, write garbage, print, or leave things behind: handled and reported, earlier samples kept.

use super::python::no_python;
use super::results;
use crate::common::Project;

/// A worker in shell; `body` answers `iterate`.
fn worker(body: &str) -> String {
    format!(
        r#"#!/bin/bash
exec 3<&0 4>&0 </dev/null
while read -r request <&3; do
  case "$request" in
  *'"op":"describe"'*) echo '{{"event":"described","protocol":1,"experiments":[{{"slug":"odd","params":{{}}}}]}}' >&4 ;;
  *'"op":"setup"'*) echo '{{"event":"ready","params":{{}}}}' >&4 ;;
  *'"op":"iterate"'*) {body} ;;
  *'"op":"teardown"'*) touch torn-down; echo '{{"event":"done"}}' >&4 ;;
  esac
done
"#
    )
}

const SAMPLE: &str =
    r#"echo '{"event":"sample","index":0,"start_ns":1,"wall_ns":5000,"metrics":{"x":2}}' >&4"#;

/// Samples with these indices, then `done`.
fn samples(indices: &str) -> String {
    format!(
        r#"for i in {indices}; do echo "{{\"event\":\"sample\",\"index\":$i,\"start_ns\":1,\"wall_ns\":5000,\"metrics\":{{\"x\":2}}}}" >&4; done; echo '{{"event":"done"}}' >&4"#
    )
}

fn project(body: &str, more: &str) -> Project {
    use std::os::unix::fs::PermissionsExt;
    let project = Project::new();
    project.write("odd.sh", &worker(body));
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(project.path().join("odd.sh"), mode).unwrap();
    project.write(
        "bench.yaml",
        &format!("experiment: odd\nprocesses: 1\nexperiments: {{rust: [./odd.sh]}}\niterations: {{measured: 3}}\noutput_dir: out\n{more}"),
    );
    project
}

/// The one result of a run that failed.
fn failed(project: &Project) -> serde_json::Value {
    project.expect(1, &["run", "bench.yaml"]);
    let mut found = results(project, "out");
    assert_eq!(found.len(), 1);
    found.remove(0)
}

#[test]
fn one_that_dies_loses_only_its_iteration() {
    let project = project(&format!("{SAMPLE}; kill -9 $$"), "");
    let result = failed(&project);
    assert_eq!(result["status"], "failed");
    assert_eq!(result["error"]["iteration"], 1);
    let message = result["error"]["message"].as_str().unwrap();
    assert!(message.contains("signal 9"), "{message}");
    assert_eq!(result["metrics"]["x"]["mean"], 2.0);
    assert_eq!(result["iteration_metrics"].as_array().unwrap().len(), 1);
    let record = project
        .journal("bench")
        .into_iter()
        .find(|line| line["event"] == "finished");
    let record = record.expect("the trial has a record");
    assert_eq!(record["metrics"]["x"], 2.0, "{record}");
}

#[test]
fn one_that_writes_garbage_is_ended_and_quoted() {
    let project = project(
        &format!("{SAMPLE}; echo 'Segmentation \"fault\"?' >&4; sleep 60"),
        "",
    );
    let result = failed(&project);
    let message = result["error"]["message"].as_str().unwrap();
    assert!(message.contains("`Segmentation \"fault\"?`"), "{message}");
    assert_eq!(result["metrics"]["x"]["n"], 1);
}

#[test]
fn one_that_hangs_is_ended_at_the_limit_with_its_samples() {
    let project = project(
        &format!("{SAMPLE}; sleep 60"),
        "timeout: 5s\nkill_grace: 5s\n",
    );
    let result = failed(&project);
    assert_eq!(result["status"], "ended");
    assert_eq!(result["metrics"]["x"]["n"], 1);
    let outcome = project
        .journal("bench")
        .into_iter()
        .find(|line| line["event"] == "finished");
    assert_eq!(outcome.unwrap()["outcome"], "timeout");
}

#[test]
fn one_that_prints_does_no_harm() {
    let body = format!(
        "echo '{{\"event\":\"done\"}}'; echo noise >&2; {}",
        samples("0 1 2")
    );
    let project = project(&body, "");
    project.expect(0, &["run", "bench.yaml"]);
    assert_eq!(results(&project, "out")[0]["metrics"]["x"]["n"], 3);
    assert!(project.path().join("torn-down").exists());
}

#[test]
fn one_that_sends_other_samples_than_it_was_asked_for_has_no_result() {
    let cases = [
        ("", "it was done after 0 of 3 samples", 0),
        ("0 1", "it was done after 2 of 3 samples", 2),
        (
            "0 1 2 3 4",
            "it sent a sample (index 3) after all 3 that were asked for",
            3,
        ),
        (
            "5 6 7",
            "it sent a sample with index 5 where 0 of 3 is the next",
            0,
        ),
        (
            "0 0 1",
            "it sent a sample with index 0 where 1 of 3 is the next",
            1,
        ),
    ];
    for (indices, words, kept) in cases {
        let project = project(&samples(indices), "");
        let result = failed(&project);
        let message = result["error"]["message"].as_str().unwrap();
        assert!(message.ends_with(words), "{indices}: {message}");
        let iterations = result["iteration_metrics"].as_array().unwrap();
        assert_eq!(iterations.len(), kept, "{indices}");
        // One that waits for the next request can still clean up.
        let waits = words.contains("done after");
        assert_eq!(project.path().join("torn-down").exists(), waits);
    }
}

#[test]
fn a_failing_iteration_is_an_outcome_and_is_torn_down() {
    let body = format!(r#"{SAMPLE}; echo '{{"event":"error","message":"no luck","index":1}}' >&4"#);
    let project = project(&body, "");
    let result = failed(&project);
    assert_eq!(result["error"]["message"], "no luck");
    assert_eq!(result["error"]["iteration"], 1);
    assert_eq!(result["metrics"]["x"]["n"], 1);
    assert!(project.path().join("torn-down").exists());
}

#[test]
fn the_worker_of_the_documentation_works() {
    if no_python() {
        return;
    }
    let project = Project::new();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/worker.sh");
    project.write(
        "hello.yaml",
        &format!("experiment: hello\nprocesses: 1\nexperiments: {{rust: [{script}]}}\niterations: {{warmup: 1, measured: 4}}\noutput_dir: out\n"),
    );
    project.expect(0, &["run", "hello.yaml"]);
    assert_eq!(results(&project, "out")[0]["metrics"]["count"]["mean"], 2.5);
    // Its clock is the system's monotonic one, which the driver reads too: since the start of the machine, not since 1970.
    let samples = project.shell("cat $(find data -name samples.jsonl)").out;
    let first: serde_json::Value = serde_json::from_str(samples.lines().next().unwrap()).unwrap();
    let year = 366 * 24 * 3600 * 1_000_000_000_u64;
    assert!(first["start_ns"].as_u64().unwrap() < 20 * year, "{first}");
}

#[test]
fn one_that_is_gone_is_the_machines_failure_and_not_the_arms() {
    let project = project("", "");
    let script = project.read("odd.sh");
    // It describes itself, and is there no more when its trial comes.
    let gone = script.replacen("echo", "rm -- \"$0\"; echo", 1);
    project.write("odd.sh", &gone);
    project.expect(3, &["run", "bench.yaml"]);
    let journal = project.journal("bench");
    let ends: Vec<_> = journal
        .iter()
        .filter(|line| line["event"] == "finished")
        .collect();
    assert_eq!(ends.len(), 1, "{ends:?}");
    assert_eq!(ends[0]["outcome"], "infra");
    let cause = ends[0]["cause"]["message"].as_str().unwrap();
    assert!(cause.contains("odd.sh could not be started: "), "{cause}");
}
