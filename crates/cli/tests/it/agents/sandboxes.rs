//! Real sandboxes without an image: bubblewrap, and what is said where one is not there.

use super::lab::{Lab, has_bubblewrap, meta, works};
use crate::common::Ran;
use std::process::Command;

#[test]
fn bubblewrap_hides_the_tests_the_home_and_other_rollouts() {
    if !has_bubblewrap() {
        return;
    }
    let lab = Lab::new();
    lab.task("t", &meta("t"));
    let root = lab.project.path().display().to_string();
    let script = format!(
        "test ! -e {root}; test ! -e tests; touch /usr/x 2>/dev/null && exit 9; echo 42 > answer.txt; test \\\"$HOME\\\" = /home/agent && touch $HOME/x && test $$ -lt 10 && (sleep 1000 & ); grep -c : /proc/net/dev"
    );
    lab.spec(&format!(
        "name = \"b\"\n[[tasks]]\nprepared_dir = \"data/tasks/prepared/t\"\nsandbox = {{ kind = \"bubblewrap\", network = false }}\nagent = {{ command = [\"sh\", \"-ec\", \"{script}\"] }}\n"
    ));
    let ran = lab.project.expect(0, &["run", "configs/bench.toml"]);
    let (row, dir) = &lab.rollouts("b")[0];
    assert_eq!(row["metrics"]["score"], 1.0, "{row} {}", ran.err);
    let log = std::fs::read_to_string(dir.join("logs/agent.log")).unwrap();
    assert_eq!(log, "1\n", "only the loopback is there");
}

#[test]
fn a_sandbox_that_is_not_there_is_named_before_anything_runs() {
    let lab = Lab::new();
    lab.task("t", &meta("t"));
    lab.spec(
        "name = \"b\"\n[[tasks]]\nprepared_dir = \"data/tasks/prepared/t\"\nagent = \"nop\"\n",
    );
    let refused = lab.run_with(2, &[("SANDBOX_BACKEND", "modal")]);
    assert!(refused.err.contains("needs the command"), "{}", refused.err);
    let refused = lab.run_with(2, &[("SANDBOX_BACKEND", "moddal")]);
    assert!(refused.err.contains("names no sandbox"), "{}", refused.err);
    lab.spec("name = \"b\"\n[[tasks]]\nprepared_dir = \"data/tasks/prepared/t\"\nagent = \"nop\"\nsandbox = { kind = \"modal\", command = \"sh -c x\" }\n");
    let mut command = lab.project.command(&["run", "configs/bench.toml"]);
    command.env("HOME", "/nowhere").env_remove("MODAL_TOKEN_ID");
    let refused = Ran::from(command.output().unwrap());
    assert_eq!(refused.code, 2);
    assert!(refused.err.contains("no credentials"), "{}", refused.err);
}

#[test]
fn a_key_that_the_sandbox_does_not_use_is_refused_where_it_shows() {
    let lab = Lab::new();
    lab.task("t", &meta("t"));
    let spec = |sandbox: &str| {
        lab.spec(&format!(
            "name = \"b\"\n[[tasks]]\nprepared_dir = \"data/tasks/prepared/t\"\nagent = \"nop\"\nsandbox = {{ {sandbox} }}\n"
        ));
    };
    spec("kind = \"process\", memory = \"1GiB\"");
    let named = lab.project.expect(2, &["check", "configs/bench.toml"]);
    for part in ["bench.toml:5:", "^^^^^^", "use `limits.memory` of the task"] {
        assert!(named.err.contains(part), "{part}: {}", named.err);
    }
    // Which kind it is, the machine says: so does the check there.
    spec("memory = \"1GiB\", network = false");
    let mut command = lab.project.command(&["check", "configs/bench.toml"]);
    let found = Ran::from(command.env("SANDBOX_BACKEND", "process").output().unwrap());
    assert_eq!(found.code, 2, "{}", found.err);
    for part in ["`process` has no `memory`", "`process` has no `network`"] {
        assert!(found.err.contains(part), "{part}: {}", found.err);
    }
    let refused = lab.run(2);
    assert!(refused.err.contains("has no `memory`"), "{}", refused.err);
    let mut command = lab.project.command(&["check", "configs/bench.toml"]);
    let fine = Ran::from(command.env("SANDBOX_BACKEND", "podman").output().unwrap());
    assert!(!fine.err.contains("has no `"), "{}", fine.err);
    // A limit that is meant for other tasks too is told of where it does nothing.
    let text = lab.project.read("configs/bench.toml");
    lab.spec(&format!(
        "{text}[defaults]\nlimits = {{ processes = 9, cpu_time = \"1m\" }}\n"
    ));
    let mut command = lab.project.command(&["check", "configs/bench.toml"]);
    let told = Ran::from(command.env("SANDBOX_BACKEND", "podman").output().unwrap());
    let words = "`limits.cpu_time` does not reach into a container";
    assert!(told.err.contains(words), "{}", told.err);
}

#[test]
fn a_daemon_that_does_not_answer_is_told_of_before_anything_runs() {
    if !works("docker", Command::new("docker").arg("--version")) {
        return;
    }
    let lab = Lab::new();
    lab.task("t", &meta("t"));
    lab.spec(
        "name = \"b\"\n[[tasks]]\nprepared_dir = \"data/tasks/prepared/t\"\nagent = \"nop\"\nsandbox = { kind = \"docker\", image = \"x\" }\n",
    );
    let refused = lab.run_with(2, &[("DOCKER_HOST", "unix:///nowhere/at/all.sock")]);
    for part in ["`docker` does not answer", "/nowhere/at/all.sock"] {
        assert!(refused.err.contains(part), "{part}: {}", refused.err);
    }
}
