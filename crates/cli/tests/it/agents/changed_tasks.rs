//! What a task is, is part of the evidence: scoring again, comparing and spending when tasks and attempts are several.

use super::lab::{Lab, meta};
use crate::common::Ran;
use serde_json::{Value, json};

/// Tasks `t0`, `t1`, ... that the agent solves, but for those from `failing` on, where it fails.
fn lab(tasks: usize, failing: usize) -> Lab {
    let lab = Lab::new();
    write_spec(&lab, tasks, failing);
    lab
}

fn write_spec(lab: &Lab, tasks: usize, failing: usize) {
    let mut spec = "name = \"b\"\n[metrics.score]\ndirection = \"up\"\nmargin = 0.05\n".to_owned();
    for number in 0..tasks {
        let name = format!("t{number}");
        let dir = format!("data/tasks/prepared/{name}");
        if !lab.project.path().join(&dir).exists() {
            lab.task(&name, &meta(&name));
        }
        let script = if number < failing {
            "echo 42 > answer.txt"
        } else {
            "exit 1"
        };
        let task = format!(
            "[[tasks]]\nprepared_dir = \"{dir}\"\nmodel = \"m\"\nrollouts = 4\nretries = 0\n\
             agent = {{ command = [\"sh\", \"-c\", \"{script}\"] }}\n"
        );
        spec.push_str(&task);
    }
    lab.spec(&spec);
}

fn scores(lab: &Lab) -> Vec<f64> {
    let rollouts = lab.rollouts("b");
    let score = |(row, _): &(Value, _)| row["metrics"]["score"].as_f64().unwrap();
    rollouts.iter().map(score).collect()
}

/// Another test for the right answer.
fn ask_for(lab: &Lab, task: &str, answer: u32) {
    let mut changed = meta(task);
    changed["evaluation"]["test_scripts"][0]["content"] =
        format!("grep -qx {answer} answer.txt").into();
    lab.task(task, &changed);
}

#[test]
fn eval_scores_with_the_task_as_it_is_now_and_says_what_changed() {
    let lab = lab(1, 1);
    lab.run(0);
    assert_eq!(scores(&lab), [1.0; 4]);
    ask_for(&lab, "t0", 41);
    let ran = lab.project.expect(0, &["eval", "b", "--latest"]);
    assert_eq!(scores(&lab), [0.25; 4], "{}", ran.err);
    let told = "task `t0` changed since the run and is scored as it is now: test `tests/right.sh`";
    assert!(ran.err.contains(told), "{}", ran.err);
    let manifest = lab.project.newest_run("b").join("eval_manifest.json");
    let manifest: Value = serde_json::from_slice(&std::fs::read(manifest).unwrap()).unwrap();
    let changed = manifest["changed_tasks"][0].as_str().unwrap();
    assert!(changed.contains("`tests/right.sh`"), "{changed}");
    let as_recorded = ["eval", "b", "--latest", "--as-recorded"];
    let ran = lab.project.expect(0, &as_recorded);
    assert_eq!(scores(&lab), [1.0; 4]);
    assert!(!ran.err.contains("changed"), "{}", ran.err);
    // Weights, too; and what agents were given stays what it was.
    let mut changed = meta("t0");
    changed["evaluation"]["rubrics"][0]["weight"] = json!(0.5);
    changed["evaluation"]["rubrics"][1]["weight"] = json!(0.5);
    changed["evaluation"]["test_scripts"][0]["content"] = "false".into();
    changed["lm"]["instructions"] = "Write 43".into();
    lab.task("t0", &changed);
    let ran = lab.project.expect(0, &["eval", "b", "--latest"]);
    assert_eq!(scores(&lab), [0.5; 4]);
    for told in [
        "the rubrics, test `tests/right.sh`",
        "another form of it (the instructions)",
    ] {
        assert!(ran.err.contains(told), "{}", ran.err);
    }
}

/// The runs of a lab, oldest first.
fn runs(lab: &Lab) -> Vec<String> {
    let folder = lab.project.path().join("data/rollouts/b");
    let entries = std::fs::read_dir(folder).unwrap().flatten();
    let mut runs: Vec<String> = entries
        .map(|entry| format!("b/{}", entry.file_name().to_string_lossy()))
        .collect();
    runs.sort();
    runs
}

#[test]
fn a_changed_task_is_no_regression_of_the_agents() {
    let lab = lab(6, 6);
    lab.run(0);
    for task in ["t1", "t2", "t3"] {
        ask_for(&lab, task, 41);
    }
    lab.run(0);
    let runs = runs(&lab);
    let rule = ["--rule", "score=0.05:up"];
    let gate = ["gate", &runs[1], "--baseline", &runs[0], rule[0], rule[1]];
    let ran = lab.project.expect(0, &gate);
    let told = "t1, t2, t3, which changed between the sides";
    assert!(one_line(&ran.out).contains(told), "{}", ran.out);
    let accepted = lab.project.run(&[&gate[..], &["--accept-task"]].concat());
    assert_ne!(accepted.code, 0, "{}", accepted.out);
    let compare = ["compare", &runs[0], &runs[1]];
    let compared = lab.project.expect(0, &[&compare[..], &["--json"]].concat());
    let compared = compared.json();
    let word = &compared["contrasts"][0]["metrics"][0]["verdict"]["word"];
    assert_ne!(word, "regressed", "{compared:#}");
    let compared = lab
        .project
        .run(&[&compare[..], &["--accept", "task"]].concat());
    assert!(!compared.out.contains("left out"), "{}", compared.out);
}

/// Without the ends of lines, which depend on the terminal.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn runs_with_other_tasks_are_compared_on_those_that_they_share() {
    let lab = lab(6, 6);
    lab.run(0);
    // Three new tasks, which fail.
    write_spec(&lab, 9, 6);
    lab.run(1);
    let runs = runs(&lab);
    let gate = ["gate", &runs[1], "--baseline", &runs[0]];
    let rule = ["--rule", "score=0.05:up"];
    let ran = lab.project.expect(0, &[&gate[..], &rule].concat());
    let told = "t6, t7, t8, which only b";
    assert!(one_line(&ran.out).contains(told), "{}", ran.out);
}

#[test]
fn every_attempt_is_paid_for_once() {
    let lab = Lab::new();
    lab.task("t", &meta("t"));
    let script = r#"echo "{\"cost_usd\": 0.1}" > $FAIRTRIAL_OUT/usage.json; n=$(cat $COUNT 2>/dev/null || echo 0); echo $((n+1)) > $COUNT; test $n -gt 1 || exit 1; echo 42 > answer.txt"#;
    lab.spec(&format!(
        "name = \"b\"\nparallel = 1\n[budget]\ncost = 0.25\n[[tasks]]\nprepared_dir = \"data/tasks/prepared/t\"\nmodel = \"m\"\nrollouts = 2\n\
         retries = {{ failed = 2 }}\npass_env = [\"COUNT\"]\nagent = {{ command = [\"sh\", \"-c\", '''{script}'''] }}\n"
    ));
    let count = lab.project.path().join("count");
    let count = count.to_str().unwrap();
    let run = |args: &[&str]| {
        let mut command = lab.project.command(args);
        let command = command.env("SANDBOX_BACKEND", "process");
        Ran::from(command.env("COUNT", count).output().unwrap())
    };
    // The first rollout needs three attempts, and nothing is left for the second.
    let ran = run(&["run", "configs/bench.toml"]);
    let summarize = ["summarize", "b", "--latest"];
    let summary = lab
        .project
        .expect(0, &[&summarize[..], &["--json"]].concat())
        .json();
    let arm = &summary["rollouts"]["arms"][0];
    for figure in ["cost", "cost_per_solved"] {
        let cost = arm[figure].as_f64().unwrap();
        assert!((cost - 0.3).abs() < 1e-9, "{arm:#} {}", ran.err);
    }
    let attempts = (&arm["attempts"], &arm["retried"]);
    assert_eq!(attempts, (&json!(3), &json!(1)), "{arm:#}");
    let shown = lab.project.expect(0, &summarize).out;
    assert!(shown.contains("over 3 attempts"), "{shown}");
    // Scoring again costs nothing of the budget.
    for _ in 0..3 {
        lab.project.expect(0, &["eval", "b", "--latest"]);
    }
    let more = run(&[
        "run",
        "configs/bench.toml",
        "--resume",
        "--set",
        "budget.cost=0.35",
    ]);
    assert_eq!(more.code, 0, "{}", more.err);
    let solved = lab.rollouts("b");
    let solved = solved.iter().filter(|(row, _)| row["outcome"] == "ok");
    assert_eq!(solved.count(), 2, "{}", more.err);
}

/// A run of four rollouts with two of them done, and room for the rest.
fn half_done(agent: &str) -> Lab {
    let lab = Lab::new();
    lab.task("t0", &meta("t0"));
    let spec = |more: &str| {
        format!(
            "name = \"b\"\nparallel = 1\n{more}\n[metrics.score]\ndirection = \"up\"\n[[tasks]]\n\
             prepared_dir = \"data/tasks/prepared/t0\"\nmodel = \"m\"\nrollouts = 4\nretries = 0\n\
             agent = {{ command = {agent} }}\n"
        )
    };
    lab.spec(&spec(
        "[provenance]\nwatch = [\"../conf\"]\n[budget]\ntrials = 2",
    ));
    lab.project.write("conf/a.txt", "one");
    lab.run(0);
    lab.spec(&spec("[provenance]\nwatch = [\"../conf\"]"));
    lab
}

fn said(lab: &Lab, code: i32, args: &[&str]) -> String {
    let mut command = lab.project.command(args);
    command.env("SANDBOX_BACKEND", "process");
    let ran = Ran::from(command.output().unwrap());
    assert_eq!(ran.code, code, "{args:?}\n{}\n{}", ran.out, ran.err);
    one_line(&format!("{}{}", ran.out, ran.err))
}

const SPEC: &str = "configs/bench.toml";

#[test]
fn files_of_a_task_that_changed_are_named_and_their_trials_run_again() {
    let lab = half_done(r#"["sh", "-c", "echo 42 > answer.txt"]"#);
    lab.project.write(
        "data/tasks/prepared/t0/overlay_repo_files/README.md",
        "hello again\n",
    );
    let changed = "2 trials changed: data/tasks/prepared/t0/overlay_repo_files/README.md";
    let plan = said(&lab, 0, &["plan", SPEC]);
    assert!(plan.contains(changed), "{plan}");
    for more in [&["--dry-run"][..], &[], &["--accept", "code"]] {
        let refused = said(&lab, 2, &[&["run", SPEC, "--resume"], more].concat());
        let told = "2 trials of run b";
        assert!(
            refused.contains(told) && refused.contains("README.md"),
            "{refused}"
        );
        assert!(refused.contains("--as-recorded"), "{refused}");
    }
    let reused = said(&lab, 0, &["run", SPEC, "--reuse", "--accept", "code"]);
    assert!(reused.contains(changed), "{reused}");
    assert!(reused.contains("starting 4 of 4"), "{reused}");
    assert!(!reused.contains("mixes code"), "{reused}");
    // What nobody reads is no other task.
    lab.project
        .write("data/tasks/prepared/t0/NOTES.md", "words\n");
    let again = said(&lab, 0, &["run", SPEC, "--reuse", "--dry-run"]);
    assert!(again.contains("0 trials would run"), "{again}");
    // The first run still has its own task.
    let first = runs(&lab)[0].clone();
    let stamp = first.strip_prefix("b/").unwrap();
    let as_recorded = ["run", SPEC, "--resume", stamp, "--as-recorded"];
    let resumed = said(
        &lab,
        0,
        &[&as_recorded[..], &["--set", "budget.trials=4"]].concat(),
    );
    assert!(!resumed.contains("mixes code"), "{resumed}");
}

#[test]
fn what_an_agent_starts_and_what_is_watched_is_code_of_its_rollouts() {
    let script = tempfile::Builder::new().suffix(".sh").tempfile().unwrap();
    let agent = script.path().to_str().unwrap();
    for (file, text) in [
        ("agent.sh", "echo 43 > answer.txt\n"),
        ("conf/a.txt", "two"),
    ] {
        std::fs::write(agent, "echo 42 > answer.txt\n").unwrap();
        let lab = half_done(&format!("[\"sh\", \"{agent}\"]"));
        if file == "agent.sh" {
            std::fs::write(agent, text).unwrap();
        } else {
            lab.project.write(file, text);
        }
        let name = if file == "agent.sh" { agent } else { file };
        let plan = said(&lab, 0, &["plan", SPEC]);
        assert!(
            plan.contains("2 trials changed: ") && plan.contains(name),
            "{plan}"
        );
        let refused = said(&lab, 2, &["run", SPEC, "--resume"]);
        assert!(
            refused.contains("--accept code") && refused.contains(name),
            "{refused}"
        );
        let mixed = said(&lab, 0, &["run", SPEC, "--resume", "--accept", "code"]);
        assert!(mixed.contains("mixes code"), "{mixed}");
        let reused = said(&lab, 0, &["run", SPEC, "--reuse", "--dry-run"]);
        assert!(reused.contains("2 trials would run"), "{reused}");
        for shown in [
            &["summarize", "b"][..],
            &["list"],
            &["status", "b"],
            &["history", "b"],
        ] {
            let text = said(&lab, 0, shown);
            assert!(text.contains("code"), "{shown:?}: {text}");
        }
    }
}
