//! The readers of other tools' files, with the files that `crates/interop` is tested with.

use crate::targets::Target;
use fairtrial_interop::{FORMATS, Format, parse};
use std::fs;
use std::path::Path;

/// Files of each format that are changed: the ones that hold its numbers.
const FILES: [(&str, &str); 42] = [
    ("wandb", "wandb/run-sparse-seed2.wandb"),
    ("wandb", "wandb/run-old0166-s9.wandb"),
    (
        "tensorboard",
        "tensorboard/newstyle_seed1/events.out.tfevents.1794712744.vm.18120.0",
    ),
    (
        "tensorboard",
        "tensorboard/trxl_seed1072/events.out.tfevents.1794712744.vm",
    ),
    (
        "mlflow",
        "mlflow/mlruns/953398686852424932/286e446598ac4545bf4b645121307c2a/metrics/overview/reward",
    ),
    ("sacred", "sacred/1/metrics.json"),
    ("wandb-csv", "wandb-csv/chart.csv"),
    ("wandb-csv", "wandb-csv/runs.csv"),
    ("inspect", "inspect/sample_errors.eval"),
    ("inspect", "inspect/crashed_started.eval"),
    ("inspect", "inspect/sample_errors.json.gz"),
    (
        "harbor",
        "harbor/jobs/k2-mixed/no-reward__Pe4YqLF/result.json",
    ),
    ("terminal-bench", "terminal-bench/run/results.json"),
    ("swe-bench", "swe-bench/lab__model-a.demo.json"),
    ("swe-bench-predictions", "swe-bench/preds.jsonl"),
    ("lm-eval", "lm-eval/samples_arith_2026-11-18T05-13-22.jsonl"),
    (
        "lm-eval-results",
        "lm-eval/results_2026-11-18T05-13-22.json",
    ),
    ("promptfoo", "promptfoo/results.json.gz"),
    ("tau-bench", "tau-bench/results.json"),
    ("openai-evals", "openai-evals/log.jsonl"),
    ("hyperfine", "hyperfine/v1.20_param_scan.json"),
    ("hyperfine", "hyperfine/v2.0_param_list_env.json"),
    ("hyperfine-csv", "hyperfine/v1.20_param_scan.csv"),
    ("criterion", "criterion/fib/rec/10/new/sample.json"),
    ("cargo-criterion", "cargo-criterion/messages.json"),
    ("pytest-benchmark", "pytest-benchmark/v5.3.1_with_data.json"),
    ("pyperf", "pyperf/command_sleep.json"),
    (
        "asv",
        "asv/vm/6175725c-existing-py_tmp_sb_v_bin_python3.json",
    ),
    (
        "google-benchmark",
        "google-benchmark/v1.7.1_reps_nan_inf_error.json",
    ),
    ("google-benchmark-csv", "google-benchmark/v1.7.1.csv"),
    ("go-bench", "go-bench/bench.txt"),
    ("jmh", "jmh/results.json"),
    ("rebench", "rebench/v1.4.0_demo.data"),
    ("benchexec", "benchexec/v3.35_results.a.T.xml"),
    ("benchexec-table", "benchexec/table.csv"),
    ("runexec", "benchexec/runexec_stdout.txt"),
    ("catch2", "catch2/benchmarks.xml"),
    ("gnu-parallel", "gnu-parallel/results.csv"),
    ("snakemake", "snakemake/v9.27.1_benchmark_extended.tsv"),
    ("divan", "divan/stdout.txt"),
    (
        "github-action-benchmark",
        "github-action-benchmark/custom_smaller_is_better_to_schema.json",
    ),
    ("bmf", "bencher-bmf/example_to_schema.json"),
];

/// A target per format.
pub(crate) fn importers() -> Vec<Target> {
    // A database is opened by its path, and has a test of its own.
    let formats = FORMATS
        .iter()
        .filter(|format| format.name() != "mlflow-sqlite");
    formats.map(|format| importer(*format)).collect()
}

fn importer(format: &'static dyn Format) -> Target {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/interop/tests/fixtures");
    let own = FILES.iter().filter(|(name, _)| *name == format.name());
    let files: Vec<(String, Vec<u8>)> = own
        .map(|(_, file)| {
            let path = fixtures.join(file);
            let bytes =
                fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            ((*file).to_owned(), bytes)
        })
        .collect();
    assert!(!files.is_empty(), "{} has no file", format.name());
    Target {
        name: format!("import-{}", format.name()),
        files,
        read: Box::new(move |bytes| {
            if let Err(error) = parse(format, "input", bytes) {
                let message = error.to_string();
                assert!(message.contains("input"), "`{message}` names no file");
            }
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::{FILES, importers};
    use fairtrial_interop::{FORMATS, format_named, parse};

    #[test]
    fn every_file_is_read_by_its_own_format() {
        for (target, (name, bytes)) in importers()
            .iter()
            .flat_map(|target| target.files.iter().map(move |file| (target, file)))
        {
            let format = format_named(target.name.trim_start_matches("import-")).unwrap();
            assert!(parse(format, "input", bytes).is_ok(), "{name}");
        }
        assert!(FILES.len() >= FORMATS.len() - 1);
    }

    #[test]
    fn files_of_other_formats_are_refused_or_read_and_never_break_a_reader() {
        let importers = importers();
        for (name, bytes) in importers.iter().flat_map(|target| &target.files) {
            for target in &importers {
                let read = target.survives(bytes);
                assert_eq!(read, Ok(()), "{name} as {}", target.name);
            }
        }
        for bytes in [&b""[..], b"\n", b"\0", b"[", b"{", b"\"", b"<", b"\xFF\xFE"] {
            for target in &importers {
                assert_eq!(
                    target.survives(bytes),
                    Ok(()),
                    "{bytes:?} as {}",
                    target.name
                );
            }
        }
    }
}
