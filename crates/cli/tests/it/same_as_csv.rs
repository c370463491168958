//! The verdict on another tool's samples is that on the same samples as a plain table: word, effect, interval, units.
//!
//! Every format with genuine files of two sides is here. Formats whose iterations share a process have no such table: there
//! the process counts, and a table has none. Nor has one with agents that failed: that is an answer, of which a table knows
//! nothing.

use crate::common::Project;
use crate::foreign::{fixture, verdicts};
use serde_json::Value;

/// What is compared, and what is said about it on the command line.
struct Case {
    /// One source with several arms, or two sides.
    sources: &'static [&'static str],
    /// For the tool's files.
    mapping: &'static [&'static str],
    /// For both.
    question: &'static [&'static str],
    /// For the table, which knows neither units nor what a task is.
    table: &'static [&'static str],
}

const TIME: &[&str] = &["--metric", "time", "--direction", "down"];
const SCORE: &[&str] = &[
    "--metric",
    "score",
    "--direction",
    "up",
    "--tasks",
    "random",
];
const REWARD: &[&str] = &["--metric", "overview/reward", "--direction", "up"];
const SECONDS: &[&str] = &["--unit", "s"];

const CASES: &[Case] = &[
    Case {
        sources: &["hyperfine/v1.15_two_commands.json"],
        mapping: &[],
        question: TIME,
        table: SECONDS,
    },
    Case {
        sources: &["hyperfine/v1.20_param_scan.json"],
        mapping: &[],
        question: TIME,
        table: SECONDS,
    },
    Case {
        sources: &["hyperfine/v2.0_param_list_env.json"],
        mapping: &[],
        question: TIME,
        table: SECONDS,
    },
    Case {
        sources: &["wandb"],
        mapping: &["--arm", "arch"],
        question: REWARD,
        table: &[],
    },
    Case {
        sources: &["mlflow/mlruns"],
        mapping: &["--arm", "param.arch"],
        question: REWARD,
        table: &[],
    },
    Case {
        sources: &["inspect/arith_arm_a.eval", "inspect/arith_arm_b.eval"],
        mapping: &[],
        question: SCORE,
        table: &[],
    },
];

/// A source, alone in a folder where it is one of many files.
fn source(project: &Project, name: &str) -> String {
    if name != "wandb" {
        return fixture(name);
    }
    for arm in ["trxl", "vit_reset"] {
        for seed in [1072, 2081, 4110] {
            let file = format!("run-{arm}-s{seed}.wandb");
            let to = project.path().join("wandb");
            std::fs::create_dir_all(&to).unwrap();
            std::fs::copy(fixture(&format!("wandb/{file}")), to.join(file)).unwrap();
        }
    }
    "wandb".to_owned()
}

fn compared(project: &Project, sources: &[String], more: &[&[&str]]) -> Value {
    let mut args = vec!["compare"];
    args.extend(sources.iter().map(String::as_str));
    args.extend(more.iter().copied().flatten());
    args.push("--json");
    // MLflow's runs have one that failed before it said which arm it is: nothing is compared with that.
    let found = verdicts(&project.expect(0, &args));
    let contrasts = found.as_array().unwrap().iter();
    let with_effect: Vec<Value> = contrasts
        .filter(|contrast| contrast[0]["effect"]["absolute"]["low"].is_number())
        .cloned()
        .collect();
    assert!(!with_effect.is_empty(), "{found}");
    Value::Array(with_effect)
}

#[test]
fn every_tools_verdict_is_that_of_its_samples_in_a_table() {
    for case in CASES {
        let project = Project::new();
        let sources: Vec<String> = case
            .sources
            .iter()
            .map(|name| source(&project, name))
            .collect();
        let mut tables = Vec::new();
        for (place, source) in sources.iter().enumerate() {
            let table = format!("side{place}.csv");
            let mut args = vec!["export", source, "--to", "csv", "--output", &table];
            args.extend(case.mapping);
            project.expect(0, &args);
            tables.push(table);
        }
        let tool = compared(&project, &sources, &[case.mapping, case.question]);
        let table = compared(&project, &tables, &[case.question, case.table]);
        assert_eq!(tool, table, "{:?}", case.sources);
    }
}
