//! Scoring as a phase of its own.

use super::lab::{Lab, json_of, meta};
use super::pod::wait_for;
use crate::common::Ran;
use serde_json::json;

#[test]
fn eval_scores_again_what_the_rollouts_left() {
    let lab = Lab::new();
    let mut broken = meta("t");
    broken["evaluation"]["test_scripts"][0]["content"] =
        "test -e \"$LATER\" || exit 127; grep -qx 42 answer.txt".into();
    lab.task("t", &broken);
    let later = lab.project.path().join("later");
    lab.spec(&format!(
        "name = \"b\"\n[[tasks]]\nprepared_dir = \"data/tasks/prepared/t\"\nmodel = \"m\"\nrollouts = 3\nenv = {{ LATER = \"{}\" }}\nagent = {{ command = [\"sh\", \"-c\", \"echo 42 > answer.txt; echo ran >> {}/ran\"] }}\n",
        later.display(),
        lab.project.path().display()
    ));
    lab.run(3);
    assert!(
        lab.rollouts("b")
            .iter()
            .all(|(row, _)| row["outcome"] == "infra")
    );
    std::fs::write(&later, "").unwrap();
    let mut command = lab.project.command(&["eval", "b", "--latest", "--json"]);
    let ran = Ran::from(command.env("SANDBOX_BACKEND", "process").output().unwrap());
    assert_eq!(ran.code, 0, "{}\n{}", ran.out, ran.err);
    for (row, dir) in lab.rollouts("b") {
        assert_eq!(
            (&row["outcome"], &row["metrics"]["score"]),
            (&"ok".into(), &1.0.into())
        );
        assert_eq!(json_of(&dir, "record.json")["metrics"]["score"], 1.0);
        assert!(row["metrics"]["agent_s"].is_number());
    }
    let manifest = json_of(&lab.project.newest_run("b"), "eval_manifest.json");
    let results = manifest["results"].as_array().unwrap();
    assert_eq!(results.len(), 3);
    assert!(
        results
            .iter()
            .all(|row| row["status"] == "ok" && row["eval_rc"] == 0),
        "{manifest}"
    );
    assert_eq!(
        lab.project.read("ran").lines().count(),
        3,
        "no agent ran again"
    );
    let again = lab
        .project
        .command(&["run", "configs/bench.toml", "--resume", "--json"])
        .env("SANDBOX_BACKEND", "process")
        .output()
        .unwrap();
    let again = Ran::from(again).json();
    assert_eq!((&again["ran"], &again["kept"]), (&0.into(), &3.into()));
    lab.project.expect(2, &["eval", "nobody"]);
}

#[test]
fn scoring_that_is_cut_off_keeps_what_it_has_and_says_so() {
    let lab = Lab::new();
    let mut slow = meta("t");
    slow["evaluation"]["test_scripts"][0]["content"] =
        "while test -e \"$HOLD.next\" && test -e \"$HOLD\"; do sleep 0.05; done; touch \"$HOLD.next\"; grep -qx 42 answer.txt"
            .into();
    lab.task("t", &slow);
    let hold = lab.project.path().join("hold");
    lab.spec(&format!(
        "name = \"b\"\n[[tasks]]\nprepared_dir = \"data/tasks/prepared/t\"\nrollouts = 2\nenv = {{ HOLD = \"{}\" }}\nagent = {{ command = [\"sh\", \"-c\", \"echo 42 > answer.txt\"] }}\n",
        hold.display()
    ));
    lab.run(0);
    let next = lab.project.path().join("hold.next");
    std::fs::remove_file(&next).unwrap();
    std::fs::write(&hold, "").unwrap();
    let command = |args: &[&str]| {
        let mut command = lab.project.command(args);
        command.env("SANDBOX_BACKEND", "process");
        command
    };
    let eval = ["eval", "b", "--latest", "--parallel", "1"];
    let mut eval_once = command(&eval).spawn().unwrap();
    let finished = || {
        let journal = lab.project.journal("b").into_iter();
        journal.filter(|event| event["event"] == "finished").count()
    };
    wait_for("the first new score", || (finished() == 3).then_some(()));
    eval_once.kill().unwrap();
    eval_once.wait().unwrap();
    let listed = lab.project.expect(0, &["list"]).out;
    assert!(listed.contains("cut off"), "{listed}");
    std::fs::remove_file(&hold).unwrap();
    let resume = ["run", "configs/bench.toml", "--resume"];
    let resumed = Ran::from(command(&resume).output().unwrap());
    assert_eq!(resumed.code, 0, "{}", resumed.err);
    assert!(
        resumed.err.contains("scored again first"),
        "{}",
        resumed.err
    );
    assert_eq!(
        finished(),
        5,
        "both rollouts are scored again, and none is run"
    );
    let again = Ran::from(command(&resume).output().unwrap());
    assert_eq!(again.code, 0, "{}", again.err);
    assert_eq!(finished(), 5, "nothing was left to do");
    lab.project.expect(0, &["verify", "b", "--latest"]);
}

#[test]
fn a_run_that_was_killed_can_be_scored_and_then_resumed() {
    let lab = Lab::new();
    lab.task("t", &meta("t"));
    let hold = lab.project.path().join("hold");
    lab.spec(&format!(
        "name = \"b\"\nparallel = 1\n[[tasks]]\nprepared_dir = \"data/tasks/prepared/t\"\nrollouts = 2\nagent = {{ command = [\"sh\", \"-c\", \"touch {0}.{{rollout}}; while test {{rollout}} = 1 && test -e {0}; do sleep 0.05; done; echo 42 > answer.txt\"] }}\n",
        hold.display()
    ));
    std::fs::write(&hold, "").unwrap();
    let command = |args: &[&str]| {
        let mut command = lab.project.command(args);
        command.env("SANDBOX_BACKEND", "process");
        command
    };
    let mut run = command(&["run", "configs/bench.toml"]).spawn().unwrap();
    let second = lab.project.path().join("hold.1");
    let finished = || {
        let journal = lab.project.journal("b").into_iter();
        journal.filter(|event| event["event"] == "finished").count()
    };
    wait_for("the second rollout", || {
        (second.exists() && finished() == 1).then_some(())
    });
    run.kill().unwrap();
    run.wait().unwrap();
    std::fs::remove_file(&hold).unwrap();
    let scored = Ran::from(command(&["eval", "b", "--latest"]).output().unwrap());
    assert_eq!(scored.code, 0, "{}", scored.err);
    assert!(!scored.err.contains("side by side"), "{}", scored.err);
    let status = lab.project.expect(0, &["status", "b"]).out;
    assert!(
        status.contains("cut off") && status.contains("--resume"),
        "{status}"
    );
    let resumed = command(&["run", "configs/bench.toml", "--resume", "--json"]).output();
    let resumed = Ran::from(resumed.unwrap());
    assert_eq!(resumed.code, 0, "{}", resumed.err);
    let resumed = resumed.json();
    assert_eq!((&resumed["ran"], &resumed["kept"]), (&1.into(), &1.into()));
    lab.project.expect(0, &["verify", "b", "--latest"]);
}

#[test]
fn a_scoring_that_dies_leaves_the_run_half_scored_until_it_is_scored_again() {
    let lab = Lab::new();
    let mut deadly = meta("t");
    // The parent of a test is the process that scores: it is ended by force, as by somebody's `kill -9`.
    deadly["evaluation"]["test_scripts"][0]["content"] =
        "if mv \"$KILL\" \"$KILL.done\" 2> /dev/null; then kill -9 $PPID; fi; grep -qx 42 answer.txt".into();
    lab.task("t", &deadly);
    let kill = lab.project.path().join("kill");
    lab.spec(&format!(
        "name = \"b\"\n[[tasks]]\nprepared_dir = \"data/tasks/prepared/t\"\nrollouts = 3\nenv = {{ KILL = \"{}\" }}\nagent = {{ command = [\"sh\", \"-c\", \"echo 42 > answer.txt\"] }}\n",
        kill.display()
    ));
    lab.run(0);
    std::fs::write(&kill, "").unwrap();
    let call = |args: &[&str]| {
        let mut command = lab.project.command(args);
        Ran::from(command.env("SANDBOX_BACKEND", "process").output().unwrap())
    };
    let eval = ["eval", "b", "--latest"];
    let ran = call(&eval);
    assert_eq!(ran.code, 3, "{}", ran.err);
    assert!(ran.err.contains("SIGKILL"), "{}", ran.err);
    assert!(ran.err.contains("again completes it"), "{}", ran.err);
    let status = lab.project.expect(0, &["status", "b"]).out;
    let told = status.contains("cut off") && status.contains("fairtrial eval b");
    assert!(told, "{status}");
    let gate = lab
        .project
        .expect(3, &["gate", "b", "--save-baseline", "x"]);
    assert!(gate.err.contains("not finished"), "{}", gate.err);
    let ran = call(&eval);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(!ran.err.contains("side by side"), "{}", ran.err);
    let status = lab.project.expect(0, &["status", "b"]).out;
    assert!(status.contains("finished"), "{status}");
    lab.project
        .expect(0, &["gate", "b", "--save-baseline", "x"]);
}

#[test]
fn eval_does_not_score_an_agent_that_its_provider_refused() {
    let lab = Lab::new();
    lab.task("t", &meta("t"));
    lab.spec(
        "name = \"b\"\n[[tasks]]\nprepared_dir = \"data/tasks/prepared/t\"\nrollouts = 2\nretries = 0\nagent = { command = [\"sh\", \"-c\", \"echo 42 > answer.txt; test {rollout} = 0 || { echo 'HTTP 429 Too Many Requests'; exit 1; }\"] }\n",
    );
    lab.run(3);
    let before = lab.rollouts("b");
    let mut command = lab.project.command(&["eval", "b", "--latest"]);
    let ran = Ran::from(command.env("SANDBOX_BACKEND", "process").output().unwrap());
    assert_eq!(ran.code, 3, "as a run with the same outcomes");
    assert!(ran.err.contains("1 of 2 rollouts scored"), "{}", ran.err);
    let told = "not scored: the provider's rate limit (HTTP 429 Too Many Requests)";
    assert!(ran.err.contains(told), "{}", ran.err);
    let after = lab.rollouts("b");
    assert_eq!(after[0].0["outcome"], "ok");
    assert_eq!(after[1].0["outcome"], "infra");
    assert_eq!(after[1].0["cause"], before[1].0["cause"]);
    assert!(after[1].0["metrics"].get("score").is_none());
    let manifest = json_of(&lab.project.newest_run("b"), "eval_manifest.json");
    assert_eq!(manifest["results"][1]["status"], "infra");
}

#[test]
fn custom_metrics_and_scores_of_the_evaluation_script_are_merged() {
    let lab = Lab::new();
    let mut meta = meta("t");
    meta["evaluation"]["test_scripts"] = json!([]);
    lab.task("t", &meta);
    lab.project.write(
        "data/tasks/prepared/t/evaluate.sh",
        r#"echo "{\"custom_metrics\": {\"code_complexity\": 7, \"score\": 9}, \"standard_metrics\": {\"x\": 1}, \"rubrics\": {\"right\": 0.5}}" > "$FAIRTRIAL_EVALUATION""#,
    );
    lab.spec(
        "name = \"b\"\n[[tasks]]\nprepared_dir = \"data/tasks/prepared/t\"\nagent = \"nop\"\n",
    );
    lab.run(0);
    let (row, dir) = &lab.rollouts("b")[0];
    assert_eq!(row["metrics"]["code_complexity"], 7.0);
    assert_eq!(row["metrics"]["custom/score"], 9.0);
    assert_eq!(
        row["metrics"]["score"], 0.5,
        "the unscored rubric is left out"
    );
    let results = json_of(dir, "evaluation_results.json");
    assert_eq!(results["custom_metrics"]["code_complexity"], 7);
    assert_eq!(
        results["evaluation"]["rubrics"]["right"]["scored_by"],
        "script"
    );
    lab.spec("name = \"b\"\n[[tasks]]\nprepared_dir = \"data/tasks/prepared/t\"\nagent = \"nop\"\nscoring = \"oneshot\"\n");
    lab.run(0);
    assert_eq!(lab.rollouts("b")[0].0["metrics"]["score"], 0.375);
}

#[test]
fn an_evaluation_scripts_slips_are_told_and_never_raise_a_score() {
    let lab = Lab::new();
    let mut meta = meta("t");
    meta["evaluation"]["test_scripts"]
        .as_array_mut()
        .unwrap()
        .pop();
    lab.task("t", &meta);
    let script = |answer: &str| {
        let text = format!("echo '{answer}' > $FAIRTRIAL_EVALUATION");
        let path = "data/tasks/prepared/t/evaluate.sh";
        lab.project.write(path, &text);
    };
    lab.spec(
        "name = \"b\"\n[[tasks]]\nprepared_dir = \"data/tasks/prepared/t\"\nagent = { command = [\"sh\", \"-c\", \"echo 42 > answer.txt\"] }\n",
    );
    for (answer, said) in [
        (
            "{not json",
            "scoring: the evaluation script's answer is no JSON",
        ),
        (
            r#"{"rubrics": {"there": 5}}"#,
            "no number from 0 to 1 for rubric `there` but 5",
        ),
    ] {
        script(answer);
        lab.run(3);
        let (row, _) = &lab.rollouts("b")[0];
        assert_eq!(row["outcome"], "infra");
        assert!(row["metrics"].get("score").is_none());
        assert!(row["cause"].to_string().contains(said), "{row}");
    }
    script(r#"{"rubrics": {"there": 0.2, "zz": 1, "right": 0}}"#);
    lab.run(0);
    let eval = || {
        let mut command = lab.project.command(&["eval", "b", "--latest"]);
        Ran::from(command.env("SANDBOX_BACKEND", "process").output().unwrap())
    };
    for again in [false, true] {
        assert!(!again || eval().code == 0);
        let (row, dir) = &lab.rollouts("b")[0];
        assert_eq!(row["metrics"]["score"], 0.8);
        let notes = &json_of(dir, "record.json")["notes"];
        let (tested, unknown) = (
            "rubric `right`, which has tests",
            "rubric `zz`, which is not",
        );
        assert_eq!(notes.as_array().unwrap().len(), 2, "{notes}");
        let told = std::fs::read_to_string(dir.join("scoring_results.md")).unwrap();
        for part in [tested, unknown] {
            assert!(notes.to_string().contains(part), "{notes}");
            assert!(told.contains(part), "{told}");
        }
    }
}

#[test]
fn scoring_again_leaves_no_metric_that_did_not_come_again() {
    let lab = Lab::new();
    lab.task("t", &meta("t"));
    let later = lab.project.path().join("later");
    lab.project.write(
        "data/tasks/prepared/t/evaluate.sh",
        r#"if test -e "$LATER"; then custom='"found": 120'; else custom='"guess": 7, "found": 60, "agent_s": 3'; fi; echo "{\"custom_metrics\": {$custom}}" > "$FAIRTRIAL_EVALUATION""#,
    );
    lab.spec(&format!(
        "name = \"b\"\n[metrics.found]\nconvert = \"s to min\"\n[metrics.wall]\nfrom = \"resource:wall\"\n[metrics.read]\nfrom = \"json:evaluation_results.json#/custom_metrics/found\"\n[[tasks]]\nprepared_dir = \"data/tasks/prepared/t\"\nenv = {{ LATER = \"{}\" }}\nagent = \"nop\"\n",
        later.display()
    ));
    lab.run(0);
    let before = lab.rollouts("b")[0].0["metrics"].clone();
    assert_eq!(
        (
            &before["guess"],
            &before["found"],
            &before["custom/agent_s"]
        ),
        (&7.0.into(), &1.0.into(), &3.0.into())
    );
    std::fs::write(&later, "").unwrap();
    let mut command = lab.project.command(&["eval", "b", "--latest"]);
    let ran = Ran::from(command.env("SANDBOX_BACKEND", "process").output().unwrap());
    assert_eq!(ran.code, 0, "{}", ran.err);
    let (row, dir) = &lab.rollouts("b")[0];
    let after = &row["metrics"];
    assert_eq!(after["found"], 2.0, "in the unit that the spec wants");
    assert_eq!(
        (&before["read"], &after["read"]),
        (&60.0.into(), &120.0.into())
    );
    for gone in ["guess", "custom/agent_s"] {
        assert!(after.get(gone).is_none(), "{gone}: {after}");
    }
    for kept in ["wall", "agent_s", "diff_lines"] {
        assert_eq!(after[kept], before[kept], "{kept}");
    }
    assert_eq!(&json_of(dir, "record.json")["metrics"], after);
}
