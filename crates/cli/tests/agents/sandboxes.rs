//! Real sandboxes: bubblewrap, and podman with an image made from scratch.

use crate::common::Ran;
use crate::lab::{Lab, meta};
use std::path::Path;
use std::process::Command;

/// Whether a tool is there and works; in CI it must.
fn works(program: &str, args: &[&str]) -> bool {
    let tried = Command::new(program).args(args).output();
    let works = tried.as_ref().is_ok_and(|out| out.status.success());
    if !works {
        let why = tried.map(|out| String::from_utf8_lossy(&out.stderr).into_owned());
        assert!(
            std::env::var_os("CI").is_none() || why.is_ok(),
            "{program} is not installed: {why:?}"
        );
        eprintln!("skipped: {program} does not work here: {why:?}");
    }
    works
}

#[test]
fn bubblewrap_hides_the_tests_the_home_and_other_rollouts() {
    if !works("bwrap", &["--ro-bind", "/", "/", "--unshare-pid", "true"]) {
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

/// An image with a shell and nothing else, from this machine's own files.
fn image(program: &str, dir: &Path) -> bool {
    let script = format!(
        "set -e; mkdir -p root/bin root/tmp; for p in sh grep sleep cat; do cp -L $(command -v $p) root/bin/; done; \
         for l in $(ldd root/bin/* 2>/dev/null | grep -o '/[^ ]*' | grep -v ':$' | sort -u); do mkdir -p root$(dirname $l); cp -L $l root$l; done; \
         tar -C root -c . | {program} import - localhost/fairtrial-test:1 >/dev/null"
    );
    let made = Command::new("sh")
        .args(["-c", &script])
        .current_dir(dir)
        .output()
        .unwrap();
    if !made.status.success() {
        eprintln!(
            "skipped: no image: {}",
            String::from_utf8_lossy(&made.stderr)
        );
    }
    made.status.success()
}

#[test]
fn podman_runs_a_rollout_and_leaves_no_container() {
    if !works("podman", &["info"]) {
        return;
    }
    let lab = Lab::new();
    lab.task("t", &meta("t"));
    if !image("podman", lab.project.path())
        || !works(
            "podman",
            &[
                "run",
                "--rm",
                "--network",
                "none",
                "localhost/fairtrial-test:1",
                "/bin/sh",
                "-c",
                "true",
            ],
        )
    {
        return;
    }
    lab.spec("name = \"b\"\n[[tasks]]\nprepared_dir = \"data/tasks/prepared/t\"\nsandbox = { kind = \"podman\", image = \"localhost/fairtrial-test:1\", network = false }\nagent = { command = [\"sh\", \"-c\", \"echo 42 > answer.txt\"] }\n");
    let ran = Ran::from(
        lab.project
            .command(&["run", "configs/bench.toml"])
            .output()
            .unwrap(),
    );
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(lab.rollouts("b")[0].0["metrics"]["score"], 1.0);
    let left = Command::new("podman")
        .args(["ps", "-aq", "--filter", "label=fairtrial.owner"])
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&left.stdout), "");
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
