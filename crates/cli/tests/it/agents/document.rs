//! The configurations and examples of the original's description.

use super::lab::{Lab, json_of, meta};
use std::fmt::Write as _;
use std::process::Command;

/// An agent that answers by the model it is: the same for every run, so that tests know the scores.
const AGENT: &str = r#"
[defaults]
agent = { command = ["sh", "-c", "case {model} in gpt-4) echo 42 > answer.txt;; claude-3-sonnet) echo 41 > answer.txt;; esac; echo \"tokens used: 1234\"; echo \"timeout $TIMEOUT_SEC\""] }
"#;

fn lab(tasks: &[&str]) -> Lab {
    let lab = Lab::new();
    for task in tasks {
        lab.task(task, &meta(task));
    }
    lab
}

#[test]
fn the_model_comparison_gives_a_score_per_model_and_the_documented_tree() {
    let lab = lab(&["algorithm_task"]);
    let task = |model: &str| {
        format!(
            "[[tasks]]\nprepared_dir = \"data/tasks/prepared/algorithm_task\"\nmodel = \"{model}\"\nrollouts = 5\n"
        )
    };
    let models = ["gpt-4", "claude-3-sonnet", "gemini-pro"]
        .map(task)
        .join("\n");
    lab.spec(&format!(
        "name = \"model_comparison\"\nparallel = 2\n{AGENT}\n{models}"
    ));
    let ran = lab.run(0);
    assert!(ran.err.contains("✓ All 15 tasks completed!"), "{}", ran.err);
    for (row, dir) in lab.rollouts("model_comparison") {
        let results = json_of(&dir, "evaluation_results.json");
        let score = match row["model"].as_str().unwrap() {
            "gpt-4" => 1.0,
            "claude-3-sonnet" => 0.25,
            _ => 0.0,
        };
        assert_eq!(results["total_score"], score, "{row}");
        assert_eq!(results["evaluation"]["total_score"], score);
        assert_eq!(row["metrics"]["score"], score);
        assert_eq!(row["metrics"]["tokens_total"], 1234.0);
        assert!(
            row["metrics"].get("cost_usd").is_none(),
            "unknown is not zero"
        );
        assert_eq!(row["task_dir"], "data/tasks/prepared/algorithm_task");
        for file in [
            "artifacts/diff.patch",
            "artifacts/notes.md",
            "artifacts/repo_info.json",
            "scoring_results.md",
            "results.json",
            "metadata.json",
            "logs/eval.log",
            "logs/agent.log",
        ] {
            assert!(dir.join(file).is_file(), "{file}");
        }
        assert!(!dir.join("work").exists());
        let diff = std::fs::read_to_string(dir.join("artifacts/diff.patch")).unwrap();
        assert_eq!(diff.contains("+42"), score == 1.0, "{diff}");
    }
    let summary = lab
        .project
        .expect(0, &["summarize", "model_comparison", "--latest", "--json"])
        .json();
    assert_eq!(summary["cells"].as_array().unwrap().len(), 3);
}

#[test]
fn the_parameter_sweep_reaches_the_agent_and_mixed_workloads_run() {
    let lab = lab(&["coding_task"]);
    lab.spec(&format!(
        "name = \"parameter_sweep\"\nparallel = 3\n{AGENT}
[[tasks]]
prepared_dir = \"data/tasks/prepared/coding_task\"
model = \"gpt-4\"
rollouts = 3
environment_variables = {{ \"TIMEOUT_SEC\" = \"1800\" }}
[[tasks]]
prepared_dir = \"data/tasks/prepared/coding_task\"
model = \"gpt-4\"
rollouts = 3
environment_variables = {{ \"TIMEOUT_SEC\" = \"3600\" }}
"
    ));
    lab.run(0);
    let mut seen: Vec<String> = lab
        .rollouts("parameter_sweep")
        .iter()
        .map(|(_, dir)| std::fs::read_to_string(dir.join("logs/agent.log")).unwrap())
        .collect();
    seen.sort();
    assert!(
        seen[0].contains("timeout 1800") && seen[5].contains("timeout 3600"),
        "{seen:?}"
    );

    let tasks = ["refactor_code", "optimize_algorithm", "write_docs"];
    for task in tasks {
        lab.task(task, &meta(task));
    }
    let models = ["gpt-4", "claude-3-sonnet", "gpt-3.5-turbo"];
    let mut text = String::new();
    for (task, model) in tasks.iter().zip(models) {
        let _ = write!(
            text,
            "[[tasks]]\nprepared_dir = \"data/tasks/prepared/{task}\"\nmodel = \"{model}\"\nrollouts = 2\n"
        );
    }
    lab.spec(&format!(
        "name = \"mixed_workloads\"\nparallel = 4\n{AGENT}\n{text}"
    ));
    lab.run(0);
    assert_eq!(lab.rollouts("mixed_workloads").len(), 6);
}

/// "Custom Analysis", word for word but for the run's name, which only the run decides.
const CUSTOM_ANALYSIS: &str = r#"
import json, sys
from pathlib import Path

# Load benchmark results
rollout_dir = Path(sys.argv[1])
manifest = json.loads((rollout_dir / "manifest.json").read_text())

# Analyze results
for result in manifest["results"]:
    run_dir = Path(result["run_dir"])
    if (run_dir / "evaluation_results.json").exists():
        eval_data = json.loads((run_dir / "evaluation_results.json").read_text())
        print(f"Task: {result['task_dir']}")
        print(f"Score: {eval_data.get('total_score', 'N/A')}")
        print("---")
"#;

/// Runs a script of the description in the project; nothing where its interpreter is not there.
fn told(lab: &Lab, interpreter: &str, script: &str, args: &[&str]) -> Option<String> {
    let mut command = Command::new(interpreter);
    command.args(["-c", script]).args(args);
    let out = command.current_dir(lab.project.path()).output();
    let Ok(out) = out else {
        assert!(std::env::var_os("CI").is_none(), "{interpreter} is missing");
        eprintln!("skipped: {interpreter} is not installed");
        return None;
    };
    let said = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success(), "{said}");
    Some(String::from_utf8(out.stdout).unwrap())
}

fn one_task(lab: &Lab, name: &str, model: &str) {
    lab.spec(&format!(
        "name = \"{name}\"\n{AGENT}\n[[tasks]]\nprepared_dir = \"data/tasks/prepared/task_1\"\nmodel = \"{model}\"\n"
    ));
}

#[test]
fn the_custom_analysis_reads_our_output() {
    let lab = lab(&["task_1"]);
    one_task(&lab, "mine", "gpt-4");
    lab.run(0);
    let run = lab.project.newest_run("mine").display().to_string();
    let Some(text) = told(&lab, "python3", CUSTOM_ANALYSIS, &[&run]) else {
        return;
    };
    assert_eq!(text, "Task: data/tasks/prepared/task_1\nScore: 1.0\n---\n");
}

/// "Result Comparison", word for word from "Load multiple benchmark results" on; the description leaves the two functions
/// and the date to its reader.
const RESULT_COMPARISON: &str = r#"
import glob, json, time
from pathlib import Path

def load_benchmark(day):
    (run,) = glob.glob(f"{day}__*")
    return json.loads(Path(run, "manifest.json").read_text())["results"]

def get_task_score(results, task_name):
    of_task = [r for r in results if r["task_dir"].endswith(task_name)]
    scores = [json.loads(Path(r["run_dir"], "evaluation_results.json").read_text()) for r in of_task]
    return sum(s["evaluation"]["total_score"] for s in scores) / len(scores)

benchmark_tasks = ["task_1"]
today = time.strftime("%Y%m%d", time.gmtime())

# Load multiple benchmark results
benchmarks = {
    "gpt4_v1": load_benchmark(f"data/rollouts/model_v1/{today}"),
    "gpt4_v2": load_benchmark(f"data/rollouts/model_v2/{today}"),
    "claude_v1": load_benchmark(f"data/rollouts/claude_v1/{today}")
}

# Compare performance
for task_name in benchmark_tasks:
    scores = {}
    for model, results in benchmarks.items():
        scores[model] = get_task_score(results, task_name)

    print(f"Task: {task_name}")
    for model, score in scores.items():
        print(f"  {model}: {score}")
"#;

#[test]
fn the_result_comparison_reads_our_output() {
    let lab = lab(&["task_1"]);
    for (name, model) in [
        ("model_v1", "gpt-3.5-turbo"),
        ("model_v2", "gpt-4"),
        ("claude_v1", "claude-3-sonnet"),
    ] {
        one_task(&lab, name, model);
        lab.run(0);
    }
    let Some(text) = told(&lab, "python3", RESULT_COMPARISON, &[]) else {
        return;
    };
    let due = "Task: task_1\n  gpt4_v1: 0.0\n  gpt4_v2: 1.0\n  claude_v1: 0.25\n";
    assert_eq!(text, due);
}

/// "Automated Benchmarking", word for word.
const DAILY_BENCHMARK: &str = r#"#!/bin/bash
# daily_benchmark.sh

DATE=$(date +%Y%m%d)
CONFIG="configs/daily_benchmark.toml"

echo "Starting daily benchmark: $DATE"
python scripts/eval_rollouts.py run "$CONFIG"

echo "Benchmark complete, results in data/rollouts/daily_benchmark/$DATE"
"#;

/// What stands where the original's script stood.
const EVAL_ROLLOUTS: &str = r#"
import os, sys
os.execvp(os.environ["FAIRTRIAL"], [os.environ["FAIRTRIAL"], *sys.argv[1:]])
"#;

#[test]
fn the_automated_benchmark_runs_as_it_stands() {
    let lab = lab(&["task_1"]);
    one_task(&lab, "daily_benchmark", "gpt-4");
    let spec = lab.project.read("configs/bench.toml");
    lab.project.write("configs/daily_benchmark.toml", &spec);
    lab.project.write("scripts/eval_rollouts.py", EVAL_ROLLOUTS);
    // The machine may call it `python3` only.
    lab.project
        .write("bin/python", "#!/bin/sh\nexec python3 \"$@\"\n");
    let script = format!(
        "export FAIRTRIAL={} SANDBOX_BACKEND=process TZ=UTC PATH=\"$PWD/bin:$PATH\"; chmod +x bin/python\n{DAILY_BENCHMARK}",
        env!("CARGO_BIN_EXE_fairtrial")
    );
    let Some(text) = told(&lab, "bash", &script, &[]) else {
        return;
    };
    let last = text.lines().last().unwrap();
    let named = last.rsplit(' ').next().unwrap();
    let run = lab.project.newest_run("daily_benchmark");
    let run = run.strip_prefix(lab.project.path()).unwrap().display();
    assert!(run.to_string().starts_with(named), "{run} {named}");
    let (row, _) = &lab.rollouts("daily_benchmark")[0];
    assert_eq!(row["metrics"]["score"], 1.0);
}

#[test]
fn a_pattern_or_a_list_of_folders_gives_a_task_for_each() {
    let lab = Lab::new();
    for name in ["easy_a", "easy_b", "hard"] {
        lab.task(name, &meta(name));
    }
    let spec = |dirs: &str, more: &str| {
        lab.spec(&format!(
            "name = \"b\"\n[[tasks]]\nprepared_dir = {dirs}\nmodel = \"m\"\nagent = {{ command = [\"sh\", \"-c\", \"echo {{task}}; echo 42 > answer.txt\"] }}\n{more}"
        ));
    };
    spec(
        r#"["data/tasks/prepared/hard", "data/tasks/prepared/easy_*"]"#,
        "",
    );
    lab.run(0);
    let said: Vec<String> = lab
        .rollouts("b")
        .iter()
        .map(|(_, dir)| std::fs::read_to_string(dir.join("logs/agent.log")).unwrap())
        .collect();
    assert_eq!(said.len(), 3);
    for name in ["hard", "easy_a", "easy_b"] {
        assert!(said.iter().any(|log| log.trim() == name), "{said:?}");
    }
    let refused = |code: i32, wanted: &str| {
        let check = lab.project.run(&["check", "configs/bench.toml"]);
        assert_eq!(check.code, code, "{}", check.err);
        assert!(check.err.contains(wanted), "{}", check.err);
    };
    spec(r#""data/tasks/prepared/easy_*""#, "id = \"one\"\n");
    refused(2, "`id` names one task, and `prepared_dir` gives 2");
    spec(r#""data/tasks/**/easy_a""#, "");
    refused(2, "`**` is not read here");
    spec(r#""data/tasks/prepared/nobody_*""#, "");
    refused(0, "there is no folder `data/tasks/prepared/nobody_*`");
    lab.run(2);
}

/// No model is named that nobody asked.
#[test]
fn an_agent_without_a_model_is_called_by_its_own_name() {
    let lab = lab(&["a", "b", "c", "d"]);
    let task = |name: &str, more: &str| {
        format!("[[tasks]]\nprepared_dir = \"data/tasks/prepared/{name}\"\n{more}\n")
    };
    let spec = [
        task("a", "agent = { command = \"sh agents/solver.sh\" }"),
        task("b", "agent = \"nop\""),
        task("c", "agent = { command = \"true {model}\" }"),
        task("d", "agent = { command = \"true\" }\nmodel = \"m\""),
    ];
    lab.spec(&format!("name = \"b\"\n{}", spec.concat()));
    let plan = lab
        .project
        .expect(0, &["plan", "configs/bench.toml", "--json"]);
    let rows = plan.json();
    let text = rows.to_string();
    for (task, arm) in [
        ("a", "solver.sh"),
        ("b", "nop"),
        ("c", "gpt-5-mini"),
        ("d", "m"),
    ] {
        let found = rows["trials"]
            .as_array()
            .unwrap_or_else(|| panic!("{text}"));
        let row = found.iter().find(|row| row["task"] == task);
        assert_eq!(
            row.unwrap_or_else(|| panic!("{text}"))["arm"],
            arm,
            "{text}"
        );
    }
}

#[test]
fn arms_apply_to_the_tasks_that_use_them() {
    let lab = Lab::new();
    lab.task("t", &meta("t"));
    let agent = "prepared_dir = \"data/tasks/prepared/t\"\nagent = { command = [\"sh\", \"-c\", \"echo 42 > answer.txt\"] }\n";
    let others = "[[tasks]]\nexperiment = \"noop\"\niterations = { measured = 1 }\n[[tasks]]\nid = \"once\"\ncommand = \"true\"\n";
    let run = |spec: &str| -> Vec<(String, String)> {
        lab.spec(spec);
        lab.run(0);
        let manifest = lab.manifest("b");
        let rows = manifest["results"].as_array().unwrap().iter();
        let text = |row: &serde_json::Value, key: &str| row[key].as_str().unwrap_or("").to_owned();
        let mut rows: Vec<_> = rows
            .map(|row| (text(row, "task"), text(row, "arm")))
            .collect();
        rows.sort();
        rows.retain(|(task, _)| task != "noop");
        rows
    };
    let models = run(&format!(
        "name = \"b\"\n[[tasks]]\nmodel = \"m1\"\n{agent}[[tasks]]\nmodel = \"m2\"\n{agent}{others}[[tasks]]\nid = \"each\"\ncommand = \"echo {{model}}\"\n"
    ));
    let pair = |task: &str, arm: &str| (task.to_owned(), arm.to_owned());
    assert_eq!(
        models,
        [
            pair("each", "m1"),
            pair("each", "m2"),
            pair("once", ""),
            pair("t", "m1"),
            pair("t", "m2")
        ]
    );
    let declared = format!(
        "name = \"b\"\n[arms.x]\nmodel = \"m1\"\n[arms.y]\nmodel = \"m2\"\n[[tasks]]\n{agent}{others}"
    );
    let declared =
        declared.replace("iterations", "in_arms = []\niterations") + "in_arms = [\"y\"]\n";
    assert_eq!(
        run(&declared),
        [pair("once", "y"), pair("t", "x"), pair("t", "y")]
    );
    lab.spec(&declared.replace("[\"y\"]", "[\"z\"]"));
    let check = lab.project.run(&["check", "configs/bench.toml"]);
    assert_eq!(check.code, 2, "{}", check.err);
    assert!(check.err.contains("there is no arm `z`"), "{}", check.err);
}
