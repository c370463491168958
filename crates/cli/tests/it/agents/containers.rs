//! Rollouts in real containers: what they carry, what they may, and that nothing of them stays.

use super::lab::{json_of, meta};
use super::pod::{BASE, Pod, with_each};
use crate::common::Ran;
use serde_json::{Value, json};
use std::process::Stdio;

with_each!(
    a_rollout_in_a_container_has_its_labels_and_limits_and_leaves_nothing,
    a_container_is_ended_at_the_limit_and_its_work_is_scored,
    a_container_that_does_not_start_is_not_the_agents_failure,
    a_container_that_the_memory_limit_ended_is_out_of_memory,
);

fn spec(pod: &Pod, more: &str, script: &str) {
    pod.lab.task("t", &meta("t"));
    pod.lab.spec(&format!(
        "name = \"b\"\n[[tasks]]\nprepared_dir = \"data/tasks/prepared/t\"\nsandbox = {{ kind = \"{}\", image = \"{BASE}\"{more} }}\npass_env = [\"MY_TOKEN\"]\nagent = {{ command = [\"sh\", \"-c\", '''{script}'''] }}\n",
        pod.word()
    ));
}

fn a_rollout_in_a_container_has_its_labels_and_limits_and_leaves_nothing(pod: &Pod) {
    let root = pod.lab.project.path().display();
    let script = format!(
        "test ! -e {root} && test \"$HOME\" = /home/agent && test -n \"$MY_TOKEN\" && test -z \"$CONTAINERS_CONF\" && test ! -e tests && echo 42 > answer.txt; until test -e go; do sleep 0.02; done; rm go; grep -c : /proc/net/dev"
    );
    spec(
        pod,
        ", network = false, memory = \"64MiB\", cpus = 0.5",
        &script,
    );
    let mut command = pod.command(&["run", "configs/bench.toml"]);
    command.env("MY_TOKEN", "tell-nobody-this");
    let running = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let name = pod.wait_for_container();
    let seen: Value =
        serde_json::from_slice(&pod.ask(&["container", "inspect", &name]).stdout).unwrap();
    let labels = &seen[0]["Config"]["Labels"];
    let trial = labels["fairtrial.trial"].as_str().unwrap();
    pod.lab
        .project
        .write(&format!("data/runs/{trial}/work/workspace/go"), "");
    let run = labels["fairtrial.run"].as_str().unwrap();
    assert!(trial.starts_with(run) && name.contains(trial), "{labels}");
    let owner = labels["fairtrial.owner"].as_str().unwrap();
    let pid: u32 = owner.split(':').next().unwrap().parse().unwrap();
    assert!(pid > 1, "{owner}");
    let limits = &seen[0]["HostConfig"];
    assert_eq!(limits["Memory"], 64 << 20);
    assert_eq!(limits["NanoCpus"], 500_000_000);
    assert_eq!(limits["NetworkMode"], "none");
    assert!(
        !seen
            .to_string()
            .replace("\"MY_TOKEN=tell-nobody-this\"", "")
            .contains("tell-nobody-this"),
        "the key is in the command line"
    );

    let ran = Ran::from(running.wait_with_output().unwrap());
    assert_eq!(ran.code, 0, "{}", ran.err);
    let (row, dir) = &pod.lab.rollouts("b")[0];
    assert_eq!(row["metrics"]["score"], 1.0, "{row}");
    assert_eq!(
        row["run_dir"].as_str().unwrap().rsplit('/').next(),
        Some(trial)
    );
    let log = std::fs::read_to_string(dir.join("logs/agent.log")).unwrap();
    assert_eq!(log, "1\n", "only the loopback is there");
    assert_eq!(json_of(dir, "metadata.json")["sandbox"], pod.word());
    assert_eq!(pod.containers(), Vec::<String>::new());
    assert!(!dir.join("work").exists());
}

fn a_container_is_ended_at_the_limit_and_its_work_is_scored(pod: &Pod) {
    spec(
        pod,
        ", network = false",
        "trap '' TERM; echo 42 > answer.txt; while :; do sleep 1; done",
    );
    let text = pod.lab.project.read("configs/bench.toml");
    // Long enough for a busy machine to start a container and write one line.
    pod.lab.spec(&format!("{text}timeout = \"10s\"\n"));
    pod.expect(0, &["run", "configs/bench.toml"]);
    let (row, dir) = &pod.lab.rollouts("b")[0];
    assert_eq!(row["metrics"]["score"], 1.0, "{row}");
    assert_eq!(json_of(dir, "results.json")["limited"], "its time limit");
    assert_eq!(pod.containers(), Vec::<String>::new());
}

fn a_container_that_does_not_start_is_not_the_agents_failure(pod: &Pod) {
    spec(pod, ", network = false", "exit 127");
    pod.expect(1, &["run", "configs/bench.toml"]);
    assert_eq!(
        pod.lab.rollouts("b")[0].0["outcome"],
        "failed",
        "the agent's own 127"
    );

    let text = pod.lab.project.read("configs/bench.toml");
    pod.lab
        .spec(&text.replace("[\"sh\",", "[\"no-such-program\","));
    pod.expect(3, &["run", "configs/bench.toml"]);
    let row = &pod.lab.rollouts("b")[0].0;
    assert_eq!(row["outcome"], "infra");
    let cause = row["cause"]["message"].as_str().unwrap();
    assert!(cause.contains("could not be started"), "{cause}");

    pod.lab.spec(&text.replace(BASE, "localhost/nowhere:1"));
    pod.expect(3, &["run", "configs/bench.toml"]);
    let row = &pod.lab.rollouts("b")[0].0;
    assert_eq!(row["outcome"], "infra");
    let cause = row["cause"]["message"].as_str().unwrap();
    assert!(cause.contains("localhost/nowhere:1"), "{cause}");
    assert_eq!(
        row["metrics"],
        json!({ "agent_s": row["metrics"]["agent_s"], "diff_lines": 0.0 })
    );
}

fn a_container_that_the_memory_limit_ended_is_out_of_memory(pod: &Pod) {
    // What it wrote before is still collected and scored; nothing of podman's own gets into the diff.
    // The container goes on for a moment: docker does not hear of what it missed while it was there.
    let eats = "echo 42 > answer.txt; tail /dev/zero; sleep 2; exit 3";
    spec(pod, ", network = false, memory = \"32MiB\"", eats);
    pod.expect(1, &["run", "configs/bench.toml"]);
    let (row, dir) = &pod.lab.rollouts("b")[0];
    assert_eq!(row["outcome"], "oom", "{row}");
    assert_eq!(
        row["cause"],
        json!({ "kind": "memory", "limit_bytes": 32 << 20 })
    );
    assert_eq!(json_of(dir, "results.json")["out_of_memory"], true);
    assert_eq!(json_of(dir, "evaluation_results.json")["total_score"], 1.0);
    let diff = std::fs::read_to_string(dir.join("artifacts/diff.patch")).unwrap();
    assert_eq!(diff.matches("diff --git").count(), 1, "{diff}");
    assert_eq!(pod.containers(), Vec::<String>::new());
    pod.expect(0, &["eval", "b", "--latest"]);
    assert_eq!(
        pod.lab.rollouts("b")[0].0["outcome"],
        "oom",
        "scoring again does not change that"
    );

    // Within the limit, a failure is the agent's own.
    spec(pod, ", network = false, memory = \"32MiB\"", "exit 137");
    pod.expect(1, &["run", "configs/bench.toml"]);
    assert_eq!(pod.lab.rollouts("b")[0].0["outcome"], "failed");

    // An agent whose tool was ended went on and is scored by what it did; its record says so.
    let copes = "tail /dev/zero; sleep 2; echo 42 > answer.txt; exit 0";
    spec(pod, ", network = false, memory = \"32MiB\"", copes);
    pod.expect(0, &["run", "configs/bench.toml"]);
    let (row, dir) = &pod.lab.rollouts("b")[0];
    assert_eq!(row["outcome"], "ok", "{row}");
    let notes = json_of(dir, "record.json")["notes"].to_string();
    assert!(notes.contains("ended at its memory limit"), "{notes}");

    // A test that eats all memory is not passed, and said to be so.
    spec(
        pod,
        ", network = false, memory = \"32MiB\"",
        "echo 42 > answer.txt",
    );
    let mut large = meta("t");
    large["evaluation"]["test_scripts"][0]["content"] =
        "tail /dev/zero || { sleep 2; exit 1; }".into();
    pod.lab.task("t", &large);
    pod.expect(0, &["run", "configs/bench.toml"]);
    let (row, dir) = &pod.lab.rollouts("b")[0];
    assert_eq!(row["metrics"]["tests_out_of_memory"], 1.0, "{row}");
    assert_eq!(row["metrics"]["score"], 0.25);
    let log = std::fs::read_to_string(dir.join("logs/eval.log")).unwrap();
    assert!(log.contains("[ended at the memory limit"), "{log}");
    assert_eq!(pod.containers(), Vec::<String>::new());
}
