//! How rollouts end: the agent's failures, limits, the provider's trouble and the machine's, each by its name.

use super::lab::{Lab, json_of, meta};

fn one(script: &str, more: &str) -> Lab {
    let lab = Lab::new();
    lab.task("t", &meta("t"));
    lab.spec(&format!(
        "name = \"b\"\n[[tasks]]\nprepared_dir = \"data/tasks/prepared/t\"\nmodel = \"m\"\nretries = 0\nagent = {{ command = [\"sh\", \"-c\", '''{script}'''] {more} }}\n"
    ));
    lab
}

#[test]
fn an_agent_that_fails_is_failed_and_its_work_is_still_scored() {
    let lab = one("echo I gave up; echo 42 > answer.txt; exit 3", "");
    lab.run(1);
    let (row, dir) = &lab.rollouts("b")[0];
    assert_eq!(row["outcome"], "failed");
    assert_eq!(row["cause"]["message"], "the agent ended with exit code 3");
    assert_eq!(json_of(dir, "evaluation_results.json")["total_score"], 1.0);
    assert_eq!(json_of(dir, "results.json")["exit_code"], 3);
    let logs = lab.project.expect(0, &["logs", "b"]).out;
    for part in [
        "==> agent (logs/agent.log)\nI gave up",
        "==> tests",
        "==> scores",
    ] {
        assert!(logs.contains(part), "{part}: {logs}");
    }
}

#[test]
fn an_agent_at_a_limit_is_collected_scored_and_marked() {
    let lab = one("echo 42 > answer.txt; sleep 100", "");
    let text = lab.project.read("configs/bench.toml");
    lab.spec(&format!("{text}timeout = \"5s\"\n"));
    lab.run(0);
    let (row, dir) = &lab.rollouts("b")[0];
    assert_eq!(row["metrics"]["score"], 1.0);
    assert_eq!(json_of(dir, "results.json")["limited"], "its time limit");
    assert_eq!(
        json_of(dir, "record.json")["facts"]["limited"],
        "its time limit"
    );

    let lab = one(
        r#"echo 41 > answer.txt; echo "tokens used: 5000"; sleep 100"#,
        ", max_tokens = 1000",
    );
    lab.run(0);
    let (row, dir) = &lab.rollouts("b")[0];
    assert_eq!(row["metrics"]["score"], 0.25);
    let limited = json_of(dir, "results.json")["limited"].to_string();
    assert!(limited.contains("1000 tokens (5000 used)"), "{limited}");
}

#[test]
fn a_time_in_a_parameter_a_variable_or_the_overrides_limits_the_agent() {
    let limited = |lab: &Lab| {
        lab.run(0);
        let (_, dir) = &lab.rollouts("b")[0];
        assert_eq!(json_of(dir, "results.json")["limited"], "its time limit");
    };
    let with = |more: &str| {
        let lab = one("echo {task} {attempt} > answer.txt; sleep 100", "");
        let text = lab.project.read("configs/bench.toml");
        lab.spec(&format!("{text}{more}"));
        lab
    };
    limited(&with("params = { TIMEOUT_SEC = 2 }\n"));
    limited(&with(
        "params = { most = 2 }\nenv = { TIMEOUT_SEC = \"{most}\" }\n",
    ));
    let lab = with("overrides = \"o.json\"\n");
    let overrides = r#"{"environment_variables": {"TIMEOUT_SEC": "2"}}"#;
    lab.project.write("o.json", overrides);
    limited(&lab);

    let refused = with("env = { TIMEOUT_SEC = \"soon\" }\n");
    let check = refused.project.run(&["check", "configs/bench.toml"]);
    assert_eq!(check.code, 2, "{}", check.err);
    assert!(
        check.err.contains("`soon`, which is no time"),
        "{}",
        check.err
    );
    let late = with("params = { most = \"soon\" }\nenv = { TIMEOUT_SEC = \"{most}\" }\n");
    late.run(3);
    let (row, _) = &late.rollouts("b")[0];
    let said = row["cause"]["message"].to_string();
    assert!(said.contains("which is no time"), "{said}");
}

#[test]
fn what_an_agent_used_counts_past_the_limit_of_its_log() {
    let lab = one(
        "echo 'tokens used: 10'; head -c 5000 /dev/zero | tr '\\0' x; echo; echo 'tokens used: 5000'; sleep 100",
        ", max_tokens = 1000",
    );
    let text = lab.project.read("configs/bench.toml");
    lab.spec(&format!("{text}log_limit = 1000\n"));
    lab.run(0);
    let (row, dir) = &lab.rollouts("b")[0];
    assert_eq!(row["metrics"]["tokens_total"], 5000.0);
    let limited = json_of(dir, "results.json")["limited"].to_string();
    assert!(limited.contains("1000 tokens (5000 used)"), "{limited}");
    let log = std::fs::read_to_string(dir.join("logs/agent.log")).unwrap();
    assert!(log.starts_with("tokens used: 10\nxxx"), "{log}");
    assert!(log.contains("bytes left out here]\nxxx"), "{log}");
    assert!(log.ends_with("x\ntokens used: 5000\n"), "{log}");
}

#[test]
fn a_rate_limit_is_the_providers_and_tried_again() {
    let lab = one(
        "if test -e \"$MARK\"; then echo 42 > answer.txt; else touch \"$MARK\"; echo '429 Too Many Requests, Retry-After: 1'; exit 1; fi",
        "",
    );
    lab.adds("pass_env = [\"MARK\"]");
    let mark = lab.project.path().join("mark");
    let text = lab
        .project
        .read("configs/bench.toml")
        .replace("retries = 0", "retries = 1");
    lab.spec(&text);
    lab.run_with(0, &[("MARK", mark.to_str().unwrap())]);
    let attempts: Vec<_> = lab
        .project
        .journal("b")
        .into_iter()
        .filter(|line| line["event"] == "finished")
        .map(|line| line["outcome"].clone())
        .collect();
    assert_eq!(attempts, ["infra", "ok"]);
}

/// Four rollouts that meet a provider which wants to be left alone for a while: one more attempt each is enough.
#[test]
fn a_window_of_a_rate_limit_is_outlasted() {
    let lab = one(
        "now=$(date +%s); test -e \"$MARK\" || echo $((now + 4)) > \"$MARK\"; if test $now -ge $(cat \"$MARK\"); then echo 42 > answer.txt; else echo 'Error: rate limit reached, please try again in 5s'; exit 1; fi",
        "",
    );
    lab.adds("pass_env = [\"MARK\"]\nrollouts = 4");
    let mark = lab.project.path().join("mark");
    let text = lab.project.read("configs/bench.toml");
    lab.spec(&text.replace("retries = 0", "retries = 1"));
    lab.run_with(0, &[("MARK", mark.to_str().unwrap())]);
    let rollouts = lab.rollouts("b");
    assert_eq!(rollouts.len(), 4);
    for (row, _) in rollouts {
        assert_eq!(row["metrics"]["score"], 1.0, "{row}");
    }
}

#[test]
fn words_about_a_rate_limit_excuse_no_agent() {
    let lab = one("echo 'fixing the 429 rate limit handler'; exit 1", "");
    lab.run(1);
    assert_eq!(lab.rollouts("b")[0].0["outcome"], "failed");
    let lab = one("echo 'API Error: 500 Internal server error'; exit 1", "");
    lab.run(3);
    assert_eq!(lab.rollouts("b")[0].0["outcome"], "infra");
    let lab = one("echo 'ERROR: 429 Too Many Requests'", "");
    lab.run(0);
    let (row, dir) = &lab.rollouts("b")[0];
    assert_eq!(row["outcome"], "ok", "it said itself that it was done");
    let notes = json_of(dir, "record.json")["notes"].to_string();
    let told = "changed nothing, but its last words are of the provider's rate limit";
    assert!(notes.contains(told), "{notes}");
}

#[test]
fn a_test_that_cannot_run_is_not_the_agents_failure() {
    let lab = Lab::new();
    let mut meta = meta("t");
    meta["evaluation"]["test_scripts"][0]["content"] = "no-such-program-at-all".into();
    lab.task("t", &meta);
    lab.spec(
        "name = \"b\"\n[[tasks]]\nprepared_dir = \"data/tasks/prepared/t\"\nagent = \"nop\"\n",
    );
    lab.run(3);
    let (row, dir) = &lab.rollouts("b")[0];
    assert_eq!(row["outcome"], "infra");
    assert!(row["metrics"].get("score").is_none(), "{row}");
    let results = json_of(dir, "evaluation_results.json");
    assert!(results["total_score"].is_null());
    assert!(
        results["error"]
            .as_str()
            .unwrap()
            .contains("could not be run")
    );
}

#[test]
fn a_test_that_hangs_is_not_passed_and_said_to_hang() {
    let lab = Lab::new();
    let mut meta = meta("t");
    meta["evaluation"]["test_scripts"][0]["content"] = "echo waiting; sleep 1000".into();
    lab.task("t", &meta);
    lab.spec(
        "name = \"b\"\n[[tasks]]\nprepared_dir = \"data/tasks/prepared/t\"\nverify_timeout = \"5s\"\nagent = { command = [\"sh\", \"-c\", \"echo 42 > answer.txt\"] }\n",
    );
    lab.run(0);
    let (row, dir) = &lab.rollouts("b")[0];
    assert_eq!(
        (&row["outcome"], &row["metrics"]["score"]),
        (&"ok".into(), &0.25.into())
    );
    assert_eq!(row["metrics"]["tests_timed_out"], 1.0);
    let log = std::fs::read_to_string(dir.join("logs/eval.log")).unwrap();
    assert!(
        log.contains("waiting\n[ended after its time limit of 5 s"),
        "{log}"
    );
    let results = json_of(dir, "evaluation_results.json").to_string();
    assert!(results.contains("\"timed_out\":true"), "{results}");

    meta["evaluation"]["script"] = serde_json::json!({ "path": "e.sh", "content": "sleep 1000" });
    meta["evaluation"]["test_scripts"][0]["content"] = "true".into();
    lab.task("t", &meta);
    lab.run(3);
    let (row, _) = &lab.rollouts("b")[0];
    assert_eq!(
        row["outcome"], "infra",
        "what a script would have said is not known"
    );
}

#[test]
fn a_token_budget_ends_the_run() {
    let lab = one("echo 42 > answer.txt; echo 'tokens used: 600'", "");
    let text = lab.project.read("configs/bench.toml");
    lab.spec(&format!(
        "parallel = 1\nbudget = {{ tokens = 1000 }}\n{text}rollouts = 5\n"
    ));
    let ran = lab.run(0);
    assert!(
        ran.err.contains("tokens budget spent: 2 of 5")
            && ran.err.contains("--set budget.tokens=N --resume"),
        "{}",
        ran.err
    );
    let outcomes: Vec<_> = lab
        .rollouts("b")
        .iter()
        .map(|(row, _)| row["outcome"].to_string())
        .collect();
    let finished = outcomes
        .iter()
        .filter(|outcome| *outcome == "\"ok\"")
        .count();
    assert_eq!(finished, 2, "{outcomes:?}");
}

#[test]
fn a_cap_on_money_that_cannot_hold_is_told_before_and_once_in_the_run() {
    let report = "echo 42 > answer.txt; echo '{\"input_tokens\": 10, \"output_tokens\": 1}' > $FAIRTRIAL_OUT/usage.json";
    for (own, of_run, cap) in [
        (
            "",
            "budget = { cost = 1.0 }",
            "`cost` of [budget] does not hold",
        ),
        (", max_cost = 0.1", "", "`max_cost` does not hold"),
    ] {
        let lab = one(report, own);
        let text = lab.project.read("configs/bench.toml");
        let spec = format!("parallel = 1\n{of_run}\n{text}rollouts = 3\n");
        lab.spec(&spec);
        let checked = lab.project.expect(0, &["check", "configs/bench.toml"]);
        assert!(checked.err.contains(cap), "{}", checked.err);
        let ran = lab.run(0);
        let told = "did not say what it spent (`cost_usd`)";
        assert_eq!(ran.err.matches(told).count(), 1, "{}", ran.err);
        assert!(ran.err.contains(cap), "{}", ran.err);
        lab.spec(&spec.replace("agent = {", "agent = { price = { input = 1, output = 2 },"));
        let ran = lab.run(0);
        assert!(!ran.err.contains("does not hold"), "{}", ran.err);
    }
}

#[test]
fn a_figure_of_usage_that_cannot_be_is_told() {
    let lab = one(
        r#"echo '{"input_tokens": "abc", "output_tokens": 7, "cost_usd": -1}' > $FAIRTRIAL_OUT/usage.json"#,
        "",
    );
    lab.run(0);
    let (row, dir) = &lab.rollouts("b")[0];
    assert_eq!(row["metrics"]["tokens_output"], 7.0);
    let record = json_of(dir, "record.json");
    assert_eq!(record["facts"]["cost_source"], "unknown");
    assert_eq!(
        record["notes"],
        serde_json::json!([
            "`input_tokens` in usage.json cannot be \"abc\": unknown",
            "`cost_usd` in usage.json cannot be -1: unknown"
        ])
    );
}

#[test]
fn a_key_reaches_the_agent_and_nothing_on_disk() {
    let key = "hunter22-very-secret-value";
    let lab = one(
        "echo \"the key is $MY_API_KEY\"; echo $MY_API_KEY > answer.txt; echo $MY_API_KEY > $FAIRTRIAL_OUT/notes.md; test -n \"$MY_API_KEY\"",
        "",
    );
    lab.adds("pass_env = [\"MY_API_KEY\"]");
    lab.run_with(0, &[("MY_API_KEY", key)]);
    let found = std::process::Command::new("grep")
        .args(["-rl", key, "data"])
        .current_dir(lab.project.path())
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&found.stdout), "");
    let (_, dir) = &lab.rollouts("b")[0];
    let log = std::fs::read_to_string(dir.join("logs/agent.log")).unwrap();
    assert_eq!(log, "the key is [redacted]\n");
}

#[test]
fn everything_wrong_is_said_before_anything_runs() {
    let lab = Lab::new();
    let mut bad = meta("t");
    bad["evaluation"]["rubrics"][0]["weight"] = (-1.0).into();
    bad["lm"]["instructions"] = "".into();
    lab.task("t", &bad);
    lab.project.write(
        "data/tasks/prepared/t/overrides.json",
        r#"{"promt": "typo"}"#,
    );
    lab.spec(
        "name = \"b\"\n[[tasks]]\nprepared_dir = \"data/tasks/prepared/t\"\nagent = \"nop\"\n",
    );
    let checked = lab.project.expect(2, &["check", "configs/bench.toml"]);
    for part in ["weight -1", "no instructions", "unknown key `promt`"] {
        assert!(checked.err.contains(part), "{part}: {}", checked.err);
    }
    lab.run(2);
    assert!(!lab.project.path().join("data/rollouts").exists());
    lab.task("t", &meta("t"));
    lab.project
        .write("data/tasks/prepared/t/overrides.json", "{}");
    lab.spec("name = \"b\"\n[[tasks]]\nprepared_dir = \"data/tasks/prepared/t\"\nagent = { command = \"no-such-agent {model}\" }\n");
    let refused = lab.run(2);
    assert!(
        refused.err.contains("`no-such-agent` is not found"),
        "{}",
        refused.err
    );
}

/// What agents may leave that has no end: the test hangs where one of them is waited at.
#[test]
fn pipes_that_an_agent_leaves_are_not_waited_at() {
    let pipes = [
        "\"$FAIRTRIAL_OUT/usage.json\"",
        "\"$FAIRTRIAL_OUT/notes.md\"",
        "\"$FAIRTRIAL_DIR/logs/eval.log\"",
        "\"$FAIRTRIAL_DIR/results.json\"",
        "\"$FAIRTRIAL_DIR/artifacts/diff.patch\"",
        ".gitignore",
        ".gitattributes",
        "README.md",
    ];
    let script = format!(
        "echo 42 > answer.txt; rm README.md; mkdir \"$FAIRTRIAL_DIR/artifacts\"; mkfifo {}; sleep 1",
        pipes.join(" ")
    );
    let lab = one(&script, ", max_tokens = 1000");
    lab.run(0);
    let (row, dir) = &lab.rollouts("b")[0];
    assert_eq!(
        (&row["outcome"], &row["metrics"]["score"]),
        (&"ok".into(), &1.0.into())
    );
    let diff = std::fs::read_to_string(dir.join("artifacts/diff.patch")).unwrap();
    assert!(diff.contains("deleted file mode 100644"), "{diff}");
    let notes = json_of(dir, "record.json")["notes"].to_string();
    let told = "usage.json cannot be used (it is not a regular file): unknown";
    assert!(notes.contains(told), "{notes}");
}

/// The run knows which version of an agent's program worked in it.
#[test]
fn the_version_of_an_agents_program_is_recorded() {
    let lab = Lab::new();
    lab.task("t", &meta("t"));
    let agent = "#!/bin/sh\nif [ \"$1\" = --version ]; then echo codex-cli 0.99.1; else echo 42 > answer.txt; fi\n";
    lab.project.write("bin/codex", agent);
    let program = lab.project.path().join("bin/codex");
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&program, executable).unwrap();
    let path = std::env::var("PATH").unwrap();
    let path = format!("{}:{path}", lab.project.path().join("bin").display());
    lab.spec("name = \"b\"\n[[tasks]]\nprepared_dir = \"data/tasks/prepared/t\"\nmodel = \"m\"\n[arms.one]\nagent = \"codex\"\n[arms.none]\nagent = \"nop\"\n");
    lab.run_with(0, &[("PATH", &path)]);
    let environment = json_of(&lab.project.newest_run("b"), "environment.json");
    assert_eq!(
        environment["tools"]["codex"], "codex-cli 0.99.1",
        "{environment}"
    );
    let report = lab
        .project
        .expect(0, &["report", "b", "--html", "report.html"]);
    assert!(
        lab.project.read("report.html").contains("codex-cli 0.99.1"),
        "{}",
        report.out
    );
}
