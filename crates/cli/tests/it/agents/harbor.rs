//! Tasks of Harbor and of Terminal-Bench, run as they are: the scores are those that Harbor gives.

use super::lab::json_of;
use super::pod::{BASE, Pod, with_each};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

with_each!(
    rewards_are_harbors,
    steps_come_one_after_the_other_in_one_container,
    a_model_works_in_the_container_of_a_task,
    what_the_agent_puts_in_place_of_tests_and_rewards_does_not_count,
);

/// The base image with what scripts of such tasks name.
fn dockerfile() -> String {
    format!(
        "FROM {BASE}\nRUN printf '#!/bin/sh\\nexec sh \"$@\"\\n' > /bin/bash && chmod +x /bin/bash && mkdir -p /tmp && mkdir -m 777 /app && chmod 777 /tmp && printf 'root:x:0:0::/:/bin/sh\\nguest:x:77:77::/tmp:/bin/sh\\n' > /etc/passwd\nWORKDIR /app\n"
    )
}

fn task(pod: &Pod, name: &str, files: &[(&str, &str)]) {
    let dir = format!("datasets/own/{name}");
    let write = |file: &str, text: &str| pod.lab.project.write(&format!("{dir}/{file}"), text);
    write("environment/Dockerfile", &dockerfile());
    write(
        "instruction.md",
        "<!-- BENCH canary x -->\n\nWrite hello to out.txt\n",
    );
    write("solution/solve.sh", "#!/bin/sh\necho hello > out.txt\n");
    // As in Harbor's own fixtures.
    write(
        "task.toml",
        "version = \"1.0\"\n[metadata]\ndifficulty = \"easy\"\n[verifier]\ntimeout_sec = 60.0\n[agent]\ntimeout_sec = 60.0\n[environment]\nbuild_timeout_sec = 300.0\ncpus = 1\nmemory_mb = 256\n",
    );
    for (file, text) in files {
        write(file, text);
    }
}

fn spec(pod: &Pod, agents: &str) {
    pod.lab.spec(&format!(
        "name = \"b\"\ntasks = {{ harbor = \"datasets/own\" }}\n[defaults]\nretries = 0\nsandbox = {{ kind = \"{}\", network = {{ agent = \"none\", setup = \"none\", tests = \"none\" }} }}\n{agents}\n",
        pod.word()
    ));
}

const ORACLE_AND_NOP: &str = "[arms.oracle]\nagent = \"oracle\"\n[arms.nop]\nagent = \"nop\"";

/// The rows of the newest run by task and arm.
fn rows(pod: &Pod) -> BTreeMap<(String, String), Value> {
    let rollouts = pod.lab.rollouts("b");
    let name = |row: &Value, key: &str| row[key].as_str().unwrap_or_default().to_owned();
    let own = |(row, _): (Value, _)| ((name(&row, "task"), name(&row, "arm")), row);
    rollouts.into_iter().map(own).collect()
}

fn rewards_are_harbors(pod: &Pod) {
    task(
        pod,
        "always-pass",
        &[(
            "tests/test.sh",
            "#!/bin/sh\necho 1 > /logs/verifier/reward.txt\n",
        )],
    );
    task(
        pod,
        "hello",
        &[(
            "tests/test.sh",
            "#!/bin/bash\nif grep -qx hello /app/out.txt; then echo 1; else echo 0; fi > /logs/verifier/reward.txt\n",
        )],
    );
    task(
        pod,
        "multi-reward",
        &[(
            "tests/test.sh",
            "#!/bin/sh\necho \"{\\\"correctness\\\": 1, \\\"style\\\": 0.25}\" > /logs/verifier/reward.json\n",
        )],
    );
    task(
        pod,
        "no-reward",
        &[(
            "tests/test.sh",
            "#!/bin/sh\necho \"tests crashed\"; exit 3\n",
        )],
    );
    // One of Terminal-Bench beside them.
    for (file, text) in [
        (
            "task.yaml",
            "instruction: |-\n  Write hello to out.txt\nauthor_name: x\nmax_test_timeout_sec: 60.0\n",
        ),
        ("Dockerfile", dockerfile().as_str()),
        (
            "docker-compose.yaml",
            "services:\n  client:\n    build:\n      dockerfile: Dockerfile\n    image: ${T_BENCH_TASK_DOCKER_CLIENT_IMAGE_NAME}\n    container_name: ${T_BENCH_TASK_DOCKER_CLIENT_CONTAINER_NAME}\n    command: [ \"sh\", \"-c\", \"sleep infinity\" ]\n    environment:\n      - TEST_DIR=${T_BENCH_TEST_DIR}\n    volumes:\n      - ${T_BENCH_TASK_LOGS_PATH}:${T_BENCH_CONTAINER_LOGS_PATH}\n",
        ),
        (
            "run-tests.sh",
            "#!/bin/bash\ntest -e $TEST_DIR/wanted.txt && cmp -s out.txt $TEST_DIR/wanted.txt\n",
        ),
        ("tests/wanted.txt", "hello\n"),
        ("solution.sh", "#!/bin/bash\necho hello > out.txt\n"),
    ] {
        pod.lab
            .project
            .write(&format!("datasets/old/bench/{file}"), text);
    }
    spec(pod, ORACLE_AND_NOP);
    let text = pod.lab.project.read("configs/bench.toml");
    pod.lab.spec(&text.replace(
        "{ harbor = \"datasets/own\" }",
        "{ harbor = \"datasets/own\", terminal_bench = \"datasets/old\" }",
    ));
    pod.expect(0, &["check", "configs/bench.toml"]);
    pod.expect(1, &["run", "configs/bench.toml"]);
    let rows = rows(pod);
    assert_eq!(rows.len(), 10, "{:?}", rows.keys());
    for (task, oracle, nop) in [
        ("always-pass", 1.0, 1.0),
        ("hello", 1.0, 0.0),
        ("bench", 1.0, 0.0),
    ] {
        for (arm, score) in [("oracle", oracle), ("nop", nop)] {
            let row = &rows[&(task.to_owned(), arm.to_owned())];
            assert_eq!(
                (&row["outcome"], &row["metrics"]["score"]),
                (&json!("ok"), &json!(score)),
                "{task} {arm}: {row}"
            );
        }
    }
    let two = &rows[&("multi-reward".to_owned(), "oracle".to_owned())]["metrics"];
    assert_eq!(
        (&two["correctness"], &two["style"]),
        (&json!(1.0), &json!(0.25))
    );
    assert_eq!(
        two.get("score"),
        None,
        "Harbor makes no one number of two either"
    );
    let none = &rows[&("no-reward".to_owned(), "oracle".to_owned())];
    assert_eq!(none["outcome"], "failed");
    assert!(
        none["cause"]
            .to_string()
            .contains("exit code 3: tests crashed"),
        "{none}"
    );
    assert_eq!(pod.containers(), Vec::<String>::new());
    let (_, dir) = pod
        .lab
        .rollouts("b")
        .into_iter()
        .find(|(row, _)| row["task"] == "hello")
        .unwrap();
    assert_eq!(
        std::fs::read_to_string(dir.join("verifier/reward.txt"))
            .unwrap()
            .len(),
        2
    );

    // Rewards are scored again without the container; the task need not be there any more.
    pod.expect(0, &["eval", "b", "--latest"]);
    let again = self::rows(pod);
    for (key, row) in &rows {
        assert_eq!(
            row["metrics"]["score"], again[key]["metrics"]["score"],
            "{key:?}"
        );
    }
    exported(pod, &rows);
}

/// The job folder is read back alike, and by Harbor's own programs where they are installed.
fn exported(pod: &Pod, rows: &BTreeMap<(String, String), Value>) {
    pod.expect(2, &["export", "b", "--latest", "--to", "harbor"]);
    pod.expect(
        0,
        &[
            "export", "b", "--latest", "--to", "harbor", "--output", "jobs/b",
        ],
    );
    pod.expect(
        2,
        &[
            "export", "b", "--latest", "--to", "harbor", "--output", "jobs/b",
        ],
    );
    let back = pod.expect(0, &["export", "jobs/b", "--to", "jsonl"]).out;
    let back: Vec<Value> = back
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(back.len(), rows.len());
    let sum = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0, |sum, value| sum + value);
    let ours = sum(&mut rows
        .values()
        .filter_map(|row| row["metrics"]["score"].as_f64()));
    let theirs = sum(&mut back.iter().filter_map(|row| row["score"].as_f64()));
    assert_eq!(ours, theirs, "{back:?}");
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/tools/harbor/bin/python");
    let mut asked = Command::new(own);
    let script = "import sys, json, pathlib\nfrom fastapi.testclient import TestClient\nfrom harbor.models.job.result import JobResult\nfrom harbor.models.trial.result import TrialResult\nfrom harbor.viewer.server import create_app\njobs = pathlib.Path(sys.argv[1])\njob = JobResult.model_validate_json((jobs / 'b/result.json').read_text())\ntrials = [TrialResult.model_validate_json(p.read_text()) for p in (jobs / 'b').glob('*/result.json')]\nclient = TestClient(create_app(jobs))\nshown = client.get('/api/jobs').json()\ninside = client.get('/api/jobs/b/trials').json()\nprint(json.dumps([job.n_total_trials, len(trials), len(shown['items']), len(inside['items'])]))\n";
    asked
        .args(["-c", script])
        .arg(pod.lab.project.path().join("jobs"));
    match asked.output() {
        Ok(said) => {
            let out = String::from_utf8_lossy(&said.stdout);
            let err = String::from_utf8_lossy(&said.stderr);
            assert_eq!(out.lines().last(), Some("[10, 10, 1, 10]"), "{err}");
        }
        Err(error) => eprintln!("skipped: Harbor is not installed in target/tools: {error}"),
    }
}

fn steps_come_one_after_the_other_in_one_container(pod: &Pod) {
    let test = "#!/bin/sh\n";
    let config = "multi_step_reward_strategy = \"mean\"\nartifacts = [\"/app/kept.txt\"]\n[environment]\nmemory_mb = 256\n[environment.env]\nGIVEN = \"${HAVE_THIS}\"\nOTHER = \"${HAVE_NOT:-else}\"\n[environment.healthcheck]\ncommand = \"test -d /app\"\ninterval_sec = 0.1\n[agent]\nuser = \"guest\"\ntimeout_sec = 60.0\n[verifier.env]\nWHO = \"tests\"\n[[steps]]\nname = \"first\"\nmin_reward = 0.5\n[[steps]]\nname = \"second\"\nmin_reward = 1.0\n[steps.agent]\nuser = \"root\"\n[[steps]]\nname = \"third\"\n";
    task(
        pod,
        "stepped",
        &[
            ("task.toml", config),
            ("tests/shared.txt", "shared\n"),
            ("steps/first/instruction.md", "one"),
            (
                "steps/first/tests/test.sh",
                &format!(
                    "{test}test \"$WHO\" = tests && test -e /tests/shared.txt && grep -qx 'one guest yes else' /tmp/one.txt && echo 1 > /logs/verifier/reward.txt\n"
                ),
            ),
            ("steps/second/instruction.md", "two"),
            (
                "steps/second/workdir/setup.sh",
                "#!/bin/sh\necho set up > set-up.txt\n",
            ),
            (
                "steps/second/tests/test.sh",
                &format!(
                    "{test}echo 0.5 > /logs/verifier/reward.txt; grep -q 'two root' /tmp/one.txt && grep -q 'set up' /app/set-up.txt && grep -q none /tmp/tests.txt || echo 0 > /logs/verifier/reward.txt\n"
                ),
            ),
            ("steps/third/instruction.md", "three"),
            (
                "steps/third/tests/test.sh",
                &format!("{test}echo 1 > /logs/verifier/reward.txt\n"),
            ),
        ],
    );
    let agent = "agent = { command = [\"sh\", \"-c\", \"echo $(cat {instruction_file}) $(id -un) $GIVEN $OTHER >> /tmp/one.txt; (ls /tests 2>/dev/null || echo none) > /tmp/tests.txt; echo x > /logs/agent/said.txt; echo kept > kept.txt\"] }";
    spec(pod, agent);
    let refused = pod.expect(2, &["check", "configs/bench.toml"]);
    assert!(
        format!("{}{}", refused.out, refused.err).contains("`HAVE_THIS`, which is not set"),
        "{}",
        refused.err
    );
    let mut command = pod.command(&["run", "configs/bench.toml"]);
    let ran = command.env("HAVE_THIS", "yes").output().unwrap();
    let (row, dir) = &pod.lab.rollouts("b")[0];
    let said = || {
        format!(
            "{row}\n{}\n{}",
            String::from_utf8_lossy(&ran.stderr),
            std::fs::read_to_string(dir.join("logs/eval.log")).unwrap_or_default()
        )
    };
    assert_eq!(ran.status.code(), Some(0), "{}", said());
    let steps = &json_of(dir, "verifier.json")["steps"];
    assert_eq!(steps[0]["rewards"], json!({ "reward": 1.0 }), "{}", said());
    assert_eq!(steps[1]["rewards"], json!({ "reward": 0.5 }), "{}", said());
    assert_eq!(
        steps.as_array().unwrap().len(),
        2,
        "the second step was not good enough for the third"
    );
    assert_eq!(row["metrics"]["score"], 0.75, "{row}");
    let kept = |name: &str| std::fs::read_to_string(dir.join("artifacts").join(name)).unwrap();
    assert_eq!(kept("steps/first/said.txt"), "x\n");
    assert_eq!(kept("steps/second/app/kept.txt"), "kept\n");
    assert_eq!(pod.containers(), Vec::<String>::new());
}

fn a_model_works_in_the_container_of_a_task(pod: &Pod) {
    task(
        pod,
        "hello",
        &[(
            "tests/test.sh",
            "#!/bin/sh\ngrep -qx hello /app/out.txt && echo 1 > /logs/verifier/reward.txt\n",
        )],
    );
    let (url, _seen) = super::minimal::model(vec![
        super::minimal::does("echo hello > out.txt; pwd"),
        super::minimal::says("done"),
    ]);
    spec(
        pod,
        &format!(
            "model = \"m\"\nagent = {{ name = \"minimal\", url = \"{url}\", price = {{ input = 1.0, output = 10.0 }} }}"
        ),
    );
    pod.expect(0, &["run", "configs/bench.toml"]);
    let (row, dir) = &pod.lab.rollouts("b")[0];
    let log = std::fs::read_to_string(dir.join("logs/agent.log")).unwrap();
    assert_eq!(row["metrics"]["score"], 1.0, "{row}\n{log}");
    assert!(log.contains("/app\n"), "{log}");
    assert_eq!(row["metrics"]["tool_calls"], 1.0, "{row}");
}

fn what_the_agent_puts_in_place_of_tests_and_rewards_does_not_count(pod: &Pod) {
    task(
        pod,
        "cheated",
        &[(
            "tests/test.sh",
            "#!/bin/sh\nls /tests; if grep -qx hello /app/out.txt; then echo 1 > /logs/verifier/reward.txt; elif test -e /tests/conftest.py; then echo 1 > /logs/verifier/reward.txt; else echo 0 > /logs/verifier/reward.txt; fi\n",
        )],
    );
    let agent = |script: &str| format!("agent = {{ command = [\"sh\", \"-c\", '''{script}'''] }}");
    let forged = "mkdir /tests; touch /tests/conftest.py; printf '#!/bin/sh\\necho 1 > /logs/verifier/reward.txt' > /tests/test.sh; echo 1 > /logs/verifier/reward.json; ls /solution && exit 9; ls /fairtrial; true";
    spec(pod, &agent(forged));
    pod.expect(0, &["run", "configs/bench.toml"]);
    assert_eq!(pod.lab.rollouts("b")[0].0["metrics"]["score"], 0.0);
    // What it leaves running is there for the tests, and ends with the container.
    spec(
        pod,
        &agent("(sleep 5; sleep 1000) >/dev/null 2>&1 & echo hello > out.txt"),
    );
    pod.expect(0, &["run", "configs/bench.toml"]);
    assert_eq!(pod.lab.rollouts("b")[0].0["metrics"]["score"], 1.0);
    // Whoever ends the container has no reward, and is not left out.
    spec(pod, &agent("kill 1; sleep 20; true"));
    let text = pod.lab.project.read("configs/bench.toml");
    pod.lab
        .spec(&text.replace("retries = 0", "retries = 0\ntimeout = \"30s\""));
    pod.command(&["run", "configs/bench.toml"])
        .output()
        .unwrap();
    let row = &pod.lab.rollouts("b")[0].0;
    assert_ne!(row["outcome"], "infra", "{row}");
    assert_eq!(pod.containers(), Vec::<String>::new());
}

/// Neither program is needed to be told what cannot be done.
#[test]
fn what_fairtrial_does_not_do_as_harbor_does_is_refused() {
    let lab = super::lab::Lab::new();
    for (name, more) in [
        (
            "windows",
            "[environment]\nos = \"windows\"\ndocker_image = \"x\"\n",
        ),
        ("gpu", "[environment]\ngpus = 1\ndocker_image = \"x\"\n"),
        (
            "separate",
            "[environment]\ndocker_image = \"x\"\n[verifier]\nenvironment_mode = \"separate\"\n",
        ),
        (
            "network",
            "[environment]\ndocker_image = \"x\"\nnetwork_mode = \"some\"\n",
        ),
        ("no-image", ""),
    ] {
        let dir = format!("datasets/own/{name}");
        lab.project.write(&format!("{dir}/task.toml"), more);
        lab.project.write(&format!("{dir}/instruction.md"), "do it");
        lab.project.write(&format!("{dir}/tests/test.sh"), "true");
    }
    lab.spec("name = \"b\"\ntasks = { harbor = \"datasets/own\" }\n[defaults]\nagent = \"nop\"\nsandbox = \"bubblewrap\"\n");
    let ran = lab.project.expect(2, &["check", "configs/bench.toml"]);
    let said = format!("{}{}", ran.out, ran.err);
    for part in [
        "one of Windows",
        "has accelerators",
        "a container of their own",
        "`network_mode` is `some`",
        "no `environment/Dockerfile`",
        "lives in a container of its own image",
    ] {
        let part = part.trim_start_matches("no ");
        assert!(said.contains(part), "{part}: {said}");
    }
    lab.spec("name = \"b\"\ntasks = { harbor = \"nowhere\" }\n");
    let ran = lab.project.expect(2, &["check", "configs/bench.toml"]);
    assert!(
        ran.err.contains("holds no folder with a `task.toml`"),
        "{}",
        ran.err
    );
}
