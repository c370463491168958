//! The verdict on another tool's samples is that on the same samples as a plain table: word, effect, interval, units.
//!
//! Every format is here. Where there are genuine files of one side alone, the other side is the same file with two of its
//! words exchanged: names of benchmarks, answers or times.

use crate::common::Project;
use crate::foreign::{fixture, verdicts};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;

/// What is compared, and what is said about it on the command line.
struct Case {
    /// One source with several arms, or two sides.
    sources: &'static [&'static str],
    /// The words that are exchanged in the other side, where the source is one side.
    exchanged: Option<(&'static str, &'static str)>,
    /// For the tool's files.
    mapping: &'static [&'static str],
    about: About,
}

/// What the numbers are about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum About {
    Times,
    Rewards,
    /// The same under a shorter name.
    Reward,
    /// Answers to tasks, of which a failed one counts as 0.
    Scores,
    Patches,
}
use About::{Patches, Reward, Rewards, Scores, Times};

impl About {
    /// What is asked of both, and what a table must be told, which knows neither units nor what a task is.
    fn questions(self) -> [&'static [&'static str]; 2] {
        match self {
            Times => [
                &["--metric", "time", "--direction", "down"],
                &["--unit", "s"],
            ],
            Rewards => [&["--metric", "overview/reward", "--direction", "up"], &[]],
            Reward => [&["--metric", "reward", "--direction", "up"], &[]],
            Scores => [
                &[
                    "--metric",
                    "score",
                    "--direction",
                    "up",
                    "--tasks",
                    "random",
                ],
                &[],
            ],
            Patches => [
                &[
                    "--metric",
                    "patch_lines",
                    "--direction",
                    "down",
                    "--tasks",
                    "random",
                ],
                &[],
            ],
        }
    }
}

/// A source with its arms.
const fn arms(
    source: &'static [&'static str],
    mapping: &'static [&'static str],
    about: About,
) -> Case {
    Case {
        sources: source,
        exchanged: None,
        mapping,
        about,
    }
}

/// A source of one side.
const fn side(
    source: &'static [&'static str],
    exchanged: (&'static str, &'static str),
    about: About,
) -> Case {
    Case {
        sources: source,
        exchanged: Some(exchanged),
        mapping: &[],
        about,
    }
}

const CASES: &[Case] = &[
    arms(&["wandb"], &["--arm", "arch"], Rewards),
    arms(&["tensorboard"], &[], Rewards),
    arms(&["mlflow/mlruns"], &[], Rewards),
    arms(&["mlflow/mlflow.db.gz"], &[], Rewards),
    arms(&["sacred"], &["--arm", "arch"], Reward),
    arms(&["wandb-csv/runs.csv"], &[], Rewards),
    arms(
        &["inspect/arith_arm_a.eval", "inspect/arith_arm_b.eval"],
        &[],
        Scores,
    ),
    side(
        &["harbor/jobs/k2-mixed"],
        ("always-pass", "coin-flip"),
        Scores,
    ),
    side(&["terminal-bench/run"], ("true", "false"), Scores),
    side(
        &["swe-bench/lab__model-a.demo.json"],
        ("django__django-2", "flask__flask-3"),
        Scores,
    ),
    side(
        &["swe-bench/preds.jsonl"],
        ("-1\\n+2", "-1\\n+1\\n+2"),
        Patches,
    ),
    side(
        &["lm-eval/samples_arith_2026-11-18T05-13-22.jsonl"],
        ("\"doc_id\": 0", "\"doc_id\": 2"),
        Scores,
    ),
    side(
        &["lm-eval/results_2026-11-18T05-13-22.json"],
        ("0.6666666666666666", "0.3333333333333333"),
        Scores,
    ),
    arms(&["promptfoo/results.json.gz"], &[], Scores),
    side(
        &["tau-bench/results.json"],
        ("\"reward\": 0.0", "\"reward\": 0.5"),
        Scores,
    ),
    side(
        &["openai-evals/log.jsonl"],
        ("arith.dev.1", "arith.dev.2"),
        Scores,
    ),
    arms(&["hyperfine/v1.15_two_commands.json"], &[], Times),
    arms(&["hyperfine/v1.20_param_scan.json"], &[], Times),
    arms(&["hyperfine/v2.0_param_list_env.json"], &[], Times),
    arms(&["hyperfine/v1.20_param_scan.csv"], &[], Times),
    arms(&["criterion"], &[], Times),
    side(
        &["cargo-criterion/messages.json"],
        ("fib/10", "fib/5"),
        Times,
    ),
    side(
        &["pytest-benchmark/v5.3.1_with_data.json"],
        ("test_sum[10]", "test_sum[100]"),
        Times,
    ),
    side(&["pyperf/command_sleep.json"], ("0.012", "0.019"), Times),
    side(&["asv"], ("'a'", "'b'"), Times),
    side(
        &["google-benchmark/v1.7.1_reps_nan_inf_error.json"],
        ("BM_Memset/64", "BM_Memset/256"),
        Times,
    ),
    side(
        &["google-benchmark/v1.7.1.csv"],
        ("BM_Memset/64", "BM_Memset/256"),
        Times,
    ),
    side(&["go-bench/bench.txt"], ("Fib/n=5", "Fib/n=10"), Times),
    side(&["jmh/results.json"], ("2.0", "2.9"), Times),
    arms(&["rebench/v1.4.0_demo.data"], &[], Times),
    side(
        &["benchexec/v3.35_results.a.T.xml"],
        ("\"t1\"", "\"t2\""),
        Times,
    ),
    arms(&["benchexec/table.csv"], &[], Times),
    side(&["benchexec/runexec_stdout.txt"], ("0.015", "0.025"), Times),
    side(&["catch2/benchmarks.xml"], ("fib 10", "fib 15"), Times),
    arms(&["gnu-parallel/joblog.tsv"], &[], Times),
    side(
        &["snakemake/v9.27.1_benchmark_repeat2.tsv"],
        ("0.64", "0.78"),
        Times,
    ),
    side(&["divan/stdout.txt"], ("22.86", "24.68"), Times),
    side(
        &["github-action-benchmark/custom_smaller_is_better_to_schema.json"],
        ("11.037", "12.037"),
        Times,
    ),
    side(
        &["bencher-bmf/example_to_schema.json"],
        ("974.09", "874.09"),
        Times,
    ),
];

/// The sources of a case in the project's folder.
fn sources(project: &Project, case: &Case) -> Vec<String> {
    let mut placed = Vec::new();
    let mut place = |name: &str| {
        let last = name.rsplit('/').next().unwrap();
        let here = format!(
            "side{}{}",
            placed.len(),
            last.find('.').map_or("", |dot| &last[dot..])
        );
        let (from, to) = (fixture(name), project.path().join(&here));
        if Path::new(&from).is_dir() {
            crate::docs::run::copy(from.as_ref(), &to);
        } else {
            std::fs::copy(&from, &to).unwrap();
        }
        placed.push(here);
        to
    };
    for name in case.sources {
        place(name);
        if let Some((one, two)) = case.exchanged {
            assert!(
                exchange(&place(name), one, two) > 0,
                "{name} has no `{one}`"
            );
        }
    }
    if case.sources == ["wandb"] {
        // The folder has other runs too.
        project.shell("cd side0 && mkdir two && mv run-trxl-* run-vit_reset-* two");
        return vec!["side0/two".to_owned()];
    }
    if let Some(unpacked) = placed[0].strip_suffix(".db.gz") {
        // A database is opened where it lies.
        let unpacked = format!("{unpacked}.db");
        assert_eq!(
            project
                .shell(&format!("gunzip -c {unpacked}.gz > {unpacked}"))
                .code,
            0
        );
        return vec![unpacked];
    }
    placed
}

/// Exchanges two words in a file, or in those of a folder, and counts the files that had the first.
fn exchange(path: &Path, one: &str, two: &str) -> usize {
    if path.is_dir() {
        let entries = std::fs::read_dir(path).unwrap();
        return entries
            .map(|entry| exchange(&entry.unwrap().path(), one, two))
            .sum();
    }
    let text = std::fs::read_to_string(path).unwrap();
    let changed = text.replace(one, "\u{1}").replace(two, one);
    std::fs::write(path, changed.replace('\u{1}', two)).unwrap();
    usize::from(text.contains(one))
}

/// The table as somebody would write it down: a failed answer is 0.
fn written_down(project: &Project, table: &str) {
    let text = project.read(table);
    let mut rows = csv::Reader::from_reader(text.as_bytes());
    let titles = rows.headers().unwrap().clone();
    let at = |title: &str| titles.iter().position(|known| known == title).unwrap();
    let (outcome, score) = (at("outcome"), at("score"));
    let mut written = csv::Writer::from_writer(Vec::new());
    written.write_record(&titles).unwrap();
    for row in rows.records() {
        let mut cells: Vec<String> = row.unwrap().iter().map(str::to_owned).collect();
        if ["failed", "timeout", "oom"].contains(&cells[outcome].as_str()) {
            "ok".clone_into(&mut cells[outcome]);
            "0".clone_into(&mut cells[score]);
        }
        written.write_record(&cells).unwrap();
    }
    let text = written.into_inner().unwrap();
    project.write(table, &String::from_utf8(text).unwrap());
}

fn compared(project: &Project, sources: &[String], more: &[&[&str]]) -> (Value, String) {
    let mut args = vec!["compare"];
    args.extend(sources.iter().map(String::as_str));
    args.extend(more.iter().copied().flatten());
    args.push("--json");
    let ran = project.expect(0, &args);
    (verdicts(&ran), ran.err)
}

/// Formats that hold one number for each benchmark, or whose files here have too few runs: the word and the numbers of units
/// are compared, and there is no interval.
const WITHOUT_INTERVAL: [&str; 11] = [
    "bmf",
    "github-action-benchmark",
    "gnu-parallel",
    "hyperfine-csv",
    "lm-eval-results",
    "rebench",
    "runexec",
    "sacred",
    "swe-bench-predictions",
    "tensorboard",
    "wandb-csv",
];

#[test]
fn every_tools_verdict_is_that_of_its_samples_in_a_table() {
    let (mut formats, mut with_interval) = (BTreeSet::new(), BTreeSet::new());
    for case in CASES {
        let project = Project::new();
        let sources = sources(&project, case);
        let [question, of_table] = case.about.questions();
        let (tool, said) = compared(&project, &sources, &[case.mapping, question]);
        assert!(!tool.as_array().unwrap().is_empty(), "{:?}", case.sources);
        let format = said.split("--format ").nth(1).unwrap();
        let format = format.split(')').next().unwrap().to_owned();
        if tool.to_string().contains("\"low\":") {
            with_interval.insert(format.clone());
        }
        let mut tables = Vec::new();
        for (place, source) in sources.iter().enumerate() {
            let table = format!("table{place}.csv");
            let mut args = vec!["export", source, "--to", "csv", "--rows", "samples"];
            args.extend(["--output", &table]);
            args.extend(case.mapping);
            // Both forms have the same numbers.
            args.extend((formats.len() % 5 == 0 && case.about != Scores).then_some("--long"));
            project.expect(0, &args);
            if case.about == Scores {
                written_down(&project, &table);
            }
            tables.push(table);
        }
        let (table, _) = compared(&project, &tables, &[question, of_table]);
        assert_eq!(tool, table, "{:?}", case.sources);
        formats.insert(format);
    }
    let without: Vec<&String> = formats.difference(&with_interval).collect();
    assert_eq!(without, WITHOUT_INTERVAL.iter().collect::<Vec<_>>());
    let list = Project::new().expect(0, &["import", "--list"]).out;
    let all = list
        .lines()
        .map(|line| line.split_whitespace().next().unwrap());
    assert_eq!(formats, all.map(str::to_owned).collect());
}
