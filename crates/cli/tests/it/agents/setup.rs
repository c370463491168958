//! The phase before the agent: its changes are what the agent starts from, and its failures are nobody's score.

use super::lab::{Lab, has_bubblewrap, json_of, meta};
use super::pod::{BASE, Pod, with_each};
use crate::common::Ran;

fn lab(more: &str) -> Lab {
    let lab = Lab::new();
    lab.task("t", &meta("t"));
    lab.spec(&spec(more));
    lab
}

fn spec(more: &str) -> String {
    format!(
        "name = \"b\"\n[[tasks]]\nprepared_dir = \"data/tasks/prepared/t\"\nretries = 0\n{more}\n"
    )
}

/// An agent that needs what the setup made, and tests that need both.
const AGENT: &str = r#"agent = { command = ["sh", "-c", "test -z \"$(git status --porcelain)\" && test $(git rev-list --count HEAD) = 1 && cat made/number > answer.txt && echo more >> README.md"] }"#;
const SETUP: &str = "setup = [\"sh\", \"-c\", \"mkdir made && echo 42 > made/number && echo changed >> README.md && echo built > ignored && echo set up as {model} && test -z \\\"$MY_TOKEN\\\"\"]\nmodel = \"m\"\n";

fn needs_the_setup(lab: &Lab) {
    let mut needs = meta("t");
    needs["evaluation"]["test_scripts"][0]["content"] =
        "grep -qx 42 answer.txt && grep -qx 42 made/number && grep -qx built ignored".into();
    lab.task("t", &needs);
    lab.project.write(
        "data/tasks/prepared/t/overlay_repo_files/.gitignore",
        "ignored\n",
    );
}

#[test]
fn what_a_setup_changes_is_what_the_agent_starts_from() {
    let lab = lab(&format!("{SETUP}{AGENT}"));
    needs_the_setup(&lab);
    lab.run_with(0, &[("MY_TOKEN", "tell-nobody-this")]);
    let (row, dir) = &lab.rollouts("b")[0];
    assert_eq!(row["metrics"]["score"], 1.0, "{row}");
    assert!(row["metrics"]["setup_s"].is_number(), "{row}");
    let phases = &json_of(dir, "metadata.json")["phases"];
    for phase in ["workspace", "setup", "agent", "collect", "verify", "score"] {
        assert!(
            phases[format!("{phase}_s")].is_number(),
            "{phase}: {phases}"
        );
    }
    let diff = std::fs::read_to_string(dir.join("artifacts/diff.patch")).unwrap();
    assert!(
        diff.contains("answer.txt") && diff.contains("+more"),
        "{diff}"
    );
    for own in ["made/number", "+changed", "+++ b/ignored"] {
        assert!(
            !diff.contains(own),
            "the setup's {own} is the agent's: {diff}"
        );
    }
    let log = std::fs::read_to_string(dir.join("logs/setup.log")).unwrap();
    assert_eq!(log, "set up as m\n");
    // Scoring again sets up again, and runs no agent.
    let mut command = lab.project.command(&["eval", "b", "--latest"]);
    let ran = Ran::from(command.env("SANDBOX_BACKEND", "process").output().unwrap());
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(lab.rollouts("b")[0].0["metrics"]["score"], 1.0);
    assert!(!dir.join("work").exists());
}

#[test]
fn a_setup_that_fails_or_hangs_is_not_the_agents_failure() {
    let ran = "agent = { command = [\"sh\", \"-c\", \"touch ../../ran\"] }\n";
    let lab = lab(&format!(
        "setup = [\"sh\", \"-c\", \"echo no network; exit 2\"]\n{ran}"
    ));
    lab.run(3);
    let (row, dir) = &lab.rollouts("b")[0];
    assert_eq!(row["outcome"], "infra");
    let cause = row["cause"]["message"].as_str().unwrap();
    assert_eq!(cause, "setup: it ended with exit code 2\nno network");
    assert!(row["metrics"].get("score").is_none(), "{row}");
    assert!(!dir.join("ran").exists() && !dir.join("logs/agent.log").exists());

    lab.spec(&spec(&format!(
        "setup = \"sleep 1000\"\nsetup_timeout = \"1s\"\n{ran}"
    )));
    lab.run(3);
    let row = &lab.rollouts("b")[0].0;
    let cause = row["cause"]["message"].as_str().unwrap();
    assert!(
        cause.contains("its time limit of 1 s (`setup_timeout`)"),
        "{cause}"
    );

    // A flaw of the moment is tried again.
    let flaky = "setup = [\"sh\", \"-c\", \"test -e $MARK || { touch $MARK; exit 1; }\"]\nagent = \"nop\"\n";
    lab.spec(&spec(flaky).replace("retries = 0", "retries = 1"));
    let mark = lab.project.path().join("mark");
    lab.run_with(0, &[("MARK", mark.to_str().unwrap())]);
    assert_eq!(lab.rollouts("b")[0].0["outcome"], "ok");
}

#[test]
fn a_task_may_bring_its_setup_and_the_spec_goes_before_it() {
    let lab = lab("agent = { command = [\"sh\", \"-c\", \"cp who answer.txt\"] }");
    lab.project
        .write("data/tasks/prepared/t/setup.sh", "echo 42 > who\n");
    lab.run(0);
    assert_eq!(lab.rollouts("b")[0].0["metrics"]["score"], 1.0);
    let id = |lab: &Lab| json_of(&lab.rollouts("b")[0].1, "record.json")["id"].clone();
    let before = id(&lab);
    lab.project
        .write("data/tasks/prepared/t/setup.sh", "echo 41 > who\n");
    lab.run(0);
    assert_eq!(lab.rollouts("b")[0].0["metrics"]["score"], 0.25);
    let changed = id(&lab);
    assert_ne!(before, changed, "the task's setup is part of the trial");
    let text = lab.project.read("configs/bench.toml");
    lab.spec(&format!(
        "{text}setup = [\"sh\", \"-c\", \"echo 42 > who\"]\n"
    ));
    lab.run(0);
    assert_eq!(lab.rollouts("b")[0].0["metrics"]["score"], 1.0);
    assert_ne!(changed, id(&lab), "the spec's too");
}

#[test]
fn what_is_wrong_with_a_setup_is_said_before_anything_runs() {
    let lab = lab("agent = \"nop\"\nsetup_timeout = \"1s\"");
    let refused = lab.run(2);
    assert!(refused.err.contains("there is no setup"), "{}", refused.err);
    lab.spec(&spec("agent = \"nop\"\nsetup = \"make {wrokspace}\""));
    let refused = lab.project.expect(2, &["check", "configs/bench.toml"]);
    assert!(
        refused.err.contains("did you mean `{workspace}`?"),
        "{}",
        refused.err
    );
    lab.spec(&spec("agent = \"nop\"\nsetup = \"no-such-program-at-all\""));
    let mut check = lab.project.command(&["check", "configs/bench.toml"]);
    let checked = check.env("SANDBOX_BACKEND", "process").output().unwrap();
    let checked = crate::common::Ran::from(checked);
    assert_eq!(checked.code, 2, "what a run refuses is no warning");
    assert!(
        checked.err.contains("error: task `t`: the setup's program"),
        "{}",
        checked.err
    );
    let refused = lab.run(2);
    assert!(
        refused
            .err
            .contains("the setup's program `no-such-program-at-all` is not found"),
        "{}",
        refused.err
    );
}

#[test]
fn a_setup_runs_in_the_sandbox() {
    if !has_bubblewrap() {
        return;
    }
    let lab = Lab::new();
    lab.spec(&spec(&format!("sandbox = \"bubblewrap\"\n{SETUP}{AGENT}")));
    needs_the_setup(&lab);
    lab.project.expect(0, &["run", "configs/bench.toml"]);
    assert_eq!(lab.rollouts("b")[0].0["metrics"]["score"], 1.0);
}

with_each!(a_setup_runs_in_the_container);

fn a_setup_runs_in_the_container(pod: &Pod) {
    pod.lab.task("t", &meta("t"));
    let text = |keys: &str, setup: &str| {
        spec(&format!(
            "sandbox = {{ kind = \"{}\", image = \"{BASE}\", network = false }}\n{keys}setup = [\"sh\", \"-c\", \"{setup}\"]\nagent = {{ command = [\"cp\", \"made\", \"answer.txt\"] }}",
            pod.word()
        ))
    };
    pod.lab
        .spec(&text("", "test -d /home/agent && echo 42 > made"));
    pod.expect(0, &["run", "configs/bench.toml"]);
    assert_eq!(pod.lab.rollouts("b")[0].0["metrics"]["score"], 1.0);
    // Only what must pass its limit has one: a busy machine takes seconds to
    // start a container.
    pod.lab.spec(&text(
        "setup_timeout = \"2s\"\n",
        "trap '' TERM; sleep 1000",
    ));
    pod.expect(3, &["run", "configs/bench.toml"]);
    assert_eq!(pod.lab.rollouts("b")[0].0["outcome"], "infra");
    assert_eq!(pod.containers(), Vec::<String>::new());
}
