//! The configurations and examples of the original's description.

use crate::lab::{Lab, json_of, meta};
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

#[test]
fn the_custom_analysis_reads_our_output() {
    let lab = lab(&["task_1"]);
    lab.spec(&format!(
        "name = \"mine\"\n{AGENT}\n[[tasks]]\nprepared_dir = \"data/tasks/prepared/task_1\"\nmodel = \"gpt-4\"\n"
    ));
    lab.run(0);
    let out = Command::new("python3")
        .args(["-c", CUSTOM_ANALYSIS])
        .arg(lab.project.newest_run("mine"))
        .current_dir(lab.project.path())
        .output();
    let Ok(out) = out else {
        assert!(std::env::var_os("CI").is_none(), "python3 is missing");
        return eprintln!("skipped: python3 is not installed");
    };
    let text = String::from_utf8_lossy(&out.stdout);
    assert_eq!(text, "Task: data/tasks/prepared/task_1\nScore: 1.0\n---\n");
}
