//! Files are recognised by what is in them, and by one format only.

use crate::fixtures::{forced, located, path};
use fairtrial_interop::{FORMATS, locate};
use std::fs;

const KNOWN: [(&str, &str); 66] = [
    ("cargo-criterion/messages.json", "cargo-criterion"),
    ("catch2/benchmarks.xml", "catch2"),
    ("go-bench/bench.txt", "go-bench"),
    ("jmh/results.json", "jmh"),
    ("inspect/deflate_0.3.60.eval", "inspect"),
    ("lm-eval/samples_arith_2026-11-18T05-13-22.jsonl", "lm-eval"),
    (
        "lm-eval/results_2026-11-18T05-13-22.json",
        "lm-eval-results",
    ),
    ("openai-evals/log.jsonl", "openai-evals"),
    ("promptfoo/results.json.gz", "promptfoo"),
    ("promptfoo/results.jsonl", "promptfoo"),
    ("sacred", "sacred"),
    ("sacred/1", "sacred"),
    ("swe-bench/lab__model-a.demo.json", "swe-bench"),
    ("swe-bench/logs", "swe-bench"),
    ("swe-bench/preds.jsonl", "swe-bench-predictions"),
    ("tau-bench/results.json", "tau-bench"),
    ("tau-bench/v1.json", "tau-bench"),
    ("terminal-bench/run", "terminal-bench"),
    ("wandb-csv/chart.csv", "wandb-csv"),
    ("wandb-csv/runs.csv", "wandb-csv"),
    ("hyperfine/v1.15_two_commands.json", "hyperfine"),
    ("hyperfine/v1.20_param_scan.json", "hyperfine"),
    ("hyperfine/v1.20_named_ignore_failure.json", "hyperfine"),
    ("hyperfine/v2.0_param_list_env.json", "hyperfine"),
    ("hyperfine/v2.0_single_run_shell.json", "hyperfine"),
    ("hyperfine/v1.20_param_scan.csv", "hyperfine-csv"),
    ("hyperfine/v2.0_param_list_env.csv", "hyperfine-csv"),
    ("criterion", "criterion"),
    ("pytest-benchmark/v5.3.1_with_data.json", "pytest-benchmark"),
    (
        "pytest-benchmark/v5.3.1_saved_stats_only.json",
        "pytest-benchmark",
    ),
    ("pyperf/command_sleep.json", "pyperf"),
    ("pyperf/timeit_indented.json", "pyperf"),
    ("asv", "asv"),
    (
        "google-benchmark/v1.7.1_reps_nan_inf_error.json",
        "google-benchmark",
    ),
    ("google-benchmark/v1.7.1.csv", "google-benchmark-csv"),
    ("rebench/v1.4.0_demo.data", "rebench"),
    ("benchexec/v3.35_results.a.T.xml", "benchexec"),
    ("benchexec/table.csv", "benchexec-table"),
    ("benchexec/runexec_stdout.txt", "runexec"),
    ("gnu-parallel/joblog.tsv", "gnu-parallel"),
    ("gnu-parallel/results.csv", "gnu-parallel"),
    ("snakemake/v9.27.1_benchmark_extended.tsv", "snakemake"),
    ("snakemake/v9.27.1_benchmark_repeat2.tsv", "snakemake"),
    ("divan/stdout.txt", "divan"),
    ("bencher-bmf/example_to_schema.json", "bmf"),
    (
        "github-action-benchmark/custom_smaller_is_better_to_schema.json",
        "github-action-benchmark",
    ),
    ("wandb/run-plain-seed1.wandb", "wandb"),
    ("wandb/run-big-seed3.wandb.gz", "wandb"),
    ("wandb/run-old0166-s9.wandb", "wandb"),
    ("wandb/truncated-run-plain-seed1.wandb", "wandb"),
    ("tensorboard", "tensorboard"),
    ("tensorboard/newstyle_seed1", "tensorboard"),
    ("mlflow/mlruns", "mlflow"),
    ("mlflow/mlruns/953398686852424932", "mlflow"),
    (
        "mlflow/mlruns/953398686852424932/286e446598ac4545bf4b645121307c2a",
        "mlflow",
    ),
    ("inspect/arith_arm_a.eval", "inspect"),
    ("inspect/arith_arm_a.json.gz", "inspect"),
    ("inspect/crashed_started.eval", "inspect"),
    ("inspect/status_error.eval", "inspect"),
    ("inspect/sample_errors.eval", "inspect"),
    ("inspect/agentic.eval", "inspect"),
    ("inspect", "inspect"),
    ("harbor/jobs", "harbor"),
    ("harbor/jobs/k2-mixed", "harbor"),
    ("harbor/jobs/k2-mixed/coin-flip__WTGj3is", "harbor"),
    (
        "harbor/jobs/k2-mixed/coin-flip__WTGj3is/result.json",
        "harbor",
    ),
];

#[test]
fn every_file_is_of_one_format() {
    for (name, format) in KNOWN {
        assert_eq!(located(name).format.name(), format, "{name}");
    }
}

#[test]
fn which_format_comes_first_does_not_matter() {
    for (name, format) in KNOWN {
        // A folder is looked into by every format in its own way; files show the rest.
        if path(name).is_dir() {
            continue;
        }
        let claimed = FORMATS.iter().filter(|other| other.claims(&path(name)));
        let claimed: Vec<&str> = claimed.map(|other| other.name()).collect();
        assert_eq!(claimed, [format], "{name}");
    }
}

#[test]
fn names_are_different_and_can_be_typed() {
    let mut names: Vec<&str> = FORMATS.iter().map(|format| format.name()).collect();
    let typed = |name: &str| {
        name.chars()
            .all(|c| c.is_ascii_lowercase() || c == '-' || c.is_ascii_digit())
    };
    assert!(names.iter().all(|name| typed(name)), "{names:?}");
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
}

#[test]
fn what_is_of_no_kind_is_said_so_with_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("notes.txt");
    fs::write(&file, "hello").unwrap();
    let error = locate(std::slice::from_ref(&file), None)
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("notes.txt is of no kind that is known"),
        "{error}"
    );
    let error = locate(&[folder.path().to_owned()], None).unwrap_err();
    assert!(error.to_string().contains("of no kind that is known"));
    let error = locate(&[folder.path().join("absent")], None).unwrap_err();
    assert!(error.to_string().starts_with("cannot read"), "{error}");
    assert_eq!(
        forced("divan/stdout.txt", "hyperfine")
            .unwrap_err()
            .split(": ")
            .nth(1)
            .unwrap(),
        "expected a table (`{`), found `d`"
    );
}

#[test]
fn files_of_several_tools_are_not_mixed() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["divan/stdout.txt", "pyperf/command_sleep.json"] {
        let from = path(name);
        fs::copy(&from, folder.path().join(from.file_name().unwrap())).unwrap();
    }
    let error = locate(&[folder.path().to_owned()], None).unwrap_err();
    assert_eq!(
        error.to_string(),
        "this holds files of several tools: the table of divan (1), results of pyperf (1); say which with --format \
         divan|pyperf"
    );
}
