//! `gc` beside a run that starts: what is being worked in stays.

use super::lab::{Lab, meta};
use super::pod::wait_for;
use crate::common::Ran;
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;

/// `gc` asks podman for a long time; meanwhile a run starts and its agent is at work.
#[test]
fn gc_leaves_the_workspaces_of_a_run_that_starts_beside_it() {
    let lab = Lab::new();
    lab.task("t", &meta("t"));
    let root = lab.project.path();
    let at = |name: &str| root.join(name).display().to_string();
    let slow = format!(
        "#!/bin/sh\ntouch {}\nwhile ! test -e {}; do sleep 0.05; done\nexit 1\n",
        at("asked"),
        at("answer")
    );
    lab.project.write("slow/podman", &slow);
    let all = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(root.join("slow/podman"), all).unwrap();
    let path = format!("{}:{}", at("slow"), std::env::var("PATH").unwrap());
    let script = format!(
        "echo 42 > answer.txt; while ! test -e {}; do sleep 0.05; done",
        at("done")
    );
    lab.spec(&format!(
        "name = \"b\"\n[[tasks]]\nprepared_dir = \"data/tasks/prepared/t\"\nsandbox = \"process\"\nretries = 0\nagent = {{ command = [\"sh\", \"-c\", '{script}'] }}\n"
    ));
    let quiet = |args: &[&str]| {
        let mut command = lab.project.command(args);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command
    };
    let mut gc = quiet(&["gc"]).env("PATH", path).spawn().unwrap();
    wait_for("gc to ask", || root.join("asked").exists().then_some(()));
    let run = lab.project.command(&["run", "configs/bench.toml"]);
    let mut run = { run }
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    wait_for("the agent", || {
        let trials = root.join("data/runs").read_dir().ok()?;
        let mut answers = trials
            .flatten()
            .map(|trial| trial.path().join("work/workspace/answer.txt"));
        answers.any(|answer| answer.exists()).then_some(())
    });
    lab.project.write("answer", "");
    gc.wait().unwrap();
    lab.project.write("done", "");
    run.wait().unwrap();
    let ran = Ran::from(run.wait_with_output().unwrap());
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(lab.rollouts("b")[0].0["metrics"]["score"], 1.0);
}
