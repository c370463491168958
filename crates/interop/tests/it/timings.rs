//! Timings: raw samples, clusters, units and failures of every tool.

use crate::fixtures::{field, forced, read, samples, trials, value};
use fairtrial_interop::{Given, Scope};
use fairtrial_model::{Cause, Direction, Outcome};

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-12 * a.abs().max(b.abs())
}

fn all_close(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| close(*a, *b))
}

#[test]
fn hyperfine_gives_every_time_and_the_commands_that_failed() {
    let found = read("hyperfine/v1.15_two_commands.json");
    assert_eq!(found.executions.len(), 8);
    assert_eq!(value(&found, 3, "time"), Some(0.0068525));
    assert_eq!(field(&found.executions[4], "command"), "sleep 0.01");
    let metric = &found.metrics[0];
    assert_eq!(
        (metric.name.as_str(), metric.unit.as_deref()),
        ("time", Some("s"))
    );
    assert_eq!(metric.direction, Some(Direction::Down));

    let found = read("hyperfine/v1.20_named_ignore_failure.json");
    let failed = &found.executions[3];
    assert_eq!(field(failed, "command"), "fails");
    assert_eq!(failed.outcome, Outcome::Failed);
    assert_eq!(failed.cause, Some(Cause::ExitCode { code: 1 }));
    assert_eq!(value(&found, 0, "memory"), Some(3039232.0));

    let found = read("hyperfine/v2.0_param_list_env.json");
    assert_eq!(found.executions.len(), 10);
    assert_eq!(value(&found, 0, "time"), Some(0.005748167));
    assert_eq!(value(&found, 0, "memory"), Some(3194880.0));
    assert_eq!(field(&found.executions[9], "parameter.d"), "0.01");
    assert_eq!(
        field(&found.executions[0], "environment.OMP_NUM_THREADS"),
        "2"
    );

    let found = read("hyperfine/v2.0_single_run_shell.json");
    assert_eq!(found.executions.len(), 1);
}

#[test]
fn commands_of_one_file_are_arms_and_of_two_files_tasks() {
    let given = Given::default();
    let alone = trials("hyperfine/v1.20_param_scan.json", Scope::Alone, &given);
    assert_eq!(alone.len(), 15);
    assert_eq!(alone[5], ("0.010".to_owned(), "all".to_owned(), 0, 0));
    assert_eq!(alone[9], ("0.010".to_owned(), "all".to_owned(), 0, 4));
    let side = trials("hyperfine/v1.20_param_scan.json", Scope::Side, &given);
    assert_eq!(side[5], (String::new(), "sleep 0.010".to_owned(), 0, 0));
    let arms = trials("hyperfine/v1.15_two_commands.json", Scope::Alone, &given);
    assert_eq!(arms[0].0, "sleep 0.005");
}

#[test]
fn statistics_without_samples_are_said_to_be_that() {
    for (name, first) in [
        ("hyperfine/v1.20_param_scan.csv", 0.007154537800000001),
        ("hyperfine/v2.0_param_list_env.csv", 0.006481573800000001),
        (
            "pytest-benchmark/v5.3.1_saved_stats_only.json",
            1.991399994949461e-07,
        ),
        ("divan/stdout.txt", 22.86e-9),
    ] {
        let found = read(name);
        assert!(close(value(&found, 0, "time").unwrap(), first), "{name}");
        let note = &found.executions[0].notes[0];
        assert!(
            note.contains("nothing is known about their spread"),
            "{name}"
        );
    }
    let found = read("divan/stdout.txt");
    assert_eq!(field(&found.executions[1], "benchmark"), "fib/10");
}

#[test]
fn criterion_times_are_divided_by_their_iterations() {
    let found = read("criterion");
    assert_eq!(found.executions.len(), 2);
    let new = found
        .executions
        .iter()
        .position(|execution| field(execution, "baseline") == "new")
        .unwrap();
    let times = samples(&found, new, "time");
    assert_eq!(times.len(), 10);
    assert!(close(times[0], 1310577.0 / 5105.0 * 1e-9));
    // The mean of criterion's own estimates.
    let mean = times.iter().sum::<f64>() / 10.0;
    assert!(close(mean, 974.0946137851158e-9), "{mean}");
    assert_eq!(found.metrics[0].original_unit.as_deref(), Some("ns"));
    assert_eq!(field(&found.executions[new], "benchmark"), "fib/rec/10");
    let rows = trials("criterion", Scope::Alone, &Given::default());
    assert_eq!(rows[0], ("base".to_owned(), "fib/rec/10".to_owned(), 0, 0));
    assert_eq!(rows[19].0, "new");
}

#[test]
fn rounds_of_pytest_and_repetitions_of_google_benchmark_are_iterations() {
    let found = read("pytest-benchmark/v5.3.1_with_data.json");
    assert_eq!(found.executions.len(), 3);
    assert_eq!(samples(&found, 0, "time")[0], 2.157200015062699e-07);
    assert_eq!(field(&found.executions[1], "param.n"), "100");
    assert_eq!(
        field(&found.executions[1], "function"),
        "test_b.py::test_sum"
    );

    let found = read("google-benchmark/v1.7.1_reps_nan_inf_error.json");
    let named = |name: &str| {
        let mut all = found.executions.iter();
        all.position(|execution| field(execution, "benchmark") == name)
    };
    let first = named("BM_Memset/64").unwrap();
    assert!(close(
        samples(&found, first, "time")[2],
        4.40067462209538e-9
    ));
    assert_eq!(samples(&found, first, "bytes_per_second").len(), 3);
    assert!(named("BM_Memset_BigO").is_none() && named("BM_Memset").is_none());
    let failed = found
        .executions
        .iter()
        .filter(|execution| execution.outcome == Outcome::Failed);
    assert!(failed.count() > 0);
    let all: Vec<f64> = (0..found.executions.len())
        .flat_map(|place| {
            found.executions[place]
                .samples
                .iter()
                .flat_map(|of| of.values.clone())
        })
        .collect();
    assert!(all.iter().any(|value| value.is_nan()));
    assert!(all.iter().any(|value| value.is_infinite()));

    let found = read("google-benchmark/v1.7.1.csv");
    assert_eq!(found.executions.len(), 3);
    assert!(close(samples(&found, 0, "time")[0], 3.65322e-9));
}

#[test]
fn processes_of_pyperf_and_invocations_of_rebench_are_clusters() {
    let found = read("pyperf/command_sleep.json");
    assert_eq!(found.executions.len(), 3);
    assert_eq!(
        samples(&found, 0, "time"),
        [0.01219908662500302, 0.012890261249992818]
    );
    let rows = trials("pyperf/command_sleep.json", Scope::Side, &Given::default());
    let places: Vec<(u64, u32)> = rows.iter().map(|row| (row.2, row.3)).collect();
    assert_eq!(places, [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1)]);
    assert_eq!(
        value(&read("pyperf/timeit_indented.json"), 0, "memory"),
        Some(20058112.0)
    );

    let found = read("rebench/v1.4.0_demo.data");
    assert!(all_close(
        &samples(&found, 0, "time"),
        &[0.357e-3, 0.362e-3, 0.362e-3]
    ));
    assert_eq!(samples(&found, 0, "heap"), [1000.0, 1001.0, 1002.0]);
    assert!(all_close(
        &samples(&found, 1, "time"),
        &[0.429e-3, 0.486e-3, 0.425e-3]
    ));
    assert_eq!(field(&found.executions[0], "input_size"), "100");
}

#[test]
fn asv_units_stand_in_another_file_and_null_is_a_failure() {
    let found = read("asv");
    let named = |name: &str, param: &str| {
        let mut all = found.executions.iter();
        let place = all.position(|execution| {
            field(execution, "benchmark") == name
                && (param.is_empty() || field(execution, "param.kind") == param)
        });
        place.unwrap()
    };
    let sum = named("b.S.time_sum", "'a'");
    assert_eq!(samples(&found, sum, "time")[0], 1.1262500152042776e-06);
    assert_eq!(field(&found.executions[sum], "param.n"), "10");
    let skipped = found
        .executions
        .iter()
        .find(|one| one.outcome == Outcome::Skipped);
    assert_eq!(field(skipped.unwrap(), "param.n"), "1000");
    assert_eq!(field(skipped.unwrap(), "param.kind"), "'b'");
    let failed = named("b.time_fails", "");
    assert_eq!(found.executions[failed].outcome, Outcome::Failed);
    assert_eq!(
        value(&found, named("b.peakmem_list", ""), "memory"),
        Some(26968064.0)
    );
    assert_eq!(value(&found, named("b.track_score", ""), "acc"), Some(0.75));
}

#[test]
fn benchexec_values_have_their_units_in_the_text() {
    let found = read("benchexec/v3.35_results.a.T.xml");
    assert_eq!(found.executions.len(), 2);
    assert_eq!(value(&found, 0, "cpu"), Some(0.00209563));
    assert_eq!(value(&found, 0, "time"), Some(0.025109321999934764));
    assert_eq!(value(&found, 0, "memory"), Some(512000.0));
    assert_eq!(field(&found.executions[1], "run"), "t2");
    assert_eq!(field(&found.executions[1], "run_definition"), "a");

    let found = read("benchexec/table.csv");
    assert_eq!(found.executions.len(), 4);
    assert!(close(value(&found, 0, "memory").unwrap(), 512000.0));
    assert_eq!(field(&found.executions[1], "run_set"), "b.T");
    assert_eq!(value(&found, 1, "cpu"), Some(0.001905749));

    let found = read("benchexec/runexec_stdout.txt");
    assert_eq!(value(&found, 0, "time"), Some(0.015879821999988053));
}

#[test]
fn jobs_of_parallel_and_rules_of_snakemake() {
    let found = read("gnu-parallel/joblog.tsv");
    assert_eq!(found.executions.len(), 6);
    assert_eq!(value(&found, 1, "time"), Some(0.043));
    assert_eq!(found.executions[2].cause, Some(Cause::ExitCode { code: 1 }));
    let found = read("gnu-parallel/results.csv");
    assert_eq!(found.executions.len(), 3);
    assert_eq!(field(&found.executions[2], "argument.1"), "3");

    let found = read("snakemake/v9.27.1_benchmark_repeat2.tsv");
    assert_eq!(value(&found, 0, "time"), Some(0.64));
    assert_eq!(value(&found, 0, "memory"), Some(4.88 * 1048576.0));
    let found = read("snakemake/v9.27.1_benchmark_extended.tsv");
    assert_eq!(field(&found.executions[0], "rule"), "r");
}

#[test]
fn formats_of_services_that_keep_one_number() {
    let found = read("bencher-bmf/example_to_schema.json");
    assert!(close(value(&found, 0, "time").unwrap(), 974.09e-9));
    assert_eq!(value(&found, 1, "file-size"), Some(1048576.0));
    let found = read("github-action-benchmark/custom_smaller_is_better_to_schema.json");
    assert!(close(value(&found, 0, "time").unwrap(), 11.037e-3));
    assert_eq!(value(&found, 1, "size"), Some(3108.0 * 1024.0));
}

#[test]
fn wrong_files_are_refused_with_their_line() {
    let wrong = forced("gnu-parallel/joblog.tsv", "snakemake").unwrap_err();
    assert!(
        wrong.ends_with("joblog.tsv, line 1: there is no column `s`"),
        "{wrong}"
    );
}

#[test]
fn go_lines_are_repetitions_with_their_own_units() {
    let found = read("go-bench/bench.txt");
    assert_eq!(found.executions.len(), 4);
    assert_eq!(field(&found.executions[0], "benchmark"), "Fib/n=5");
    assert_eq!(field(&found.executions[0], "param.n"), "5");
    assert_eq!(field(&found.executions[0], "procs"), "2");
    let times = samples(&found, 1, "time");
    assert!(close(times[1], 2933e-9), "{times:?}");
    assert_eq!(samples(&found, 2, "throughput"), [418.66, 327.53, 726.91]);
    assert_eq!(samples(&found, 2, "memory"), [1088.0, 1088.0, 1087.0]);
    assert_eq!(samples(&found, 2, "widgets/op"), [42.5; 3]);
    assert_eq!(found.executions[3].outcome, Outcome::Failed);
    assert_eq!(field(&found.executions[3], "benchmark"), "Broken");
}

#[test]
fn forks_of_jmh_are_processes() {
    let found = read("jmh/results.json");
    assert_eq!(found.executions.len(), 4);
    let fork = samples(&found, 1, "time");
    assert!(close(fork[0], 2.6e-6) && close(fork[2], 3e-6), "{fork:?}");
    assert!(samples(&found, 1, "gc.alloc.rate")[2].is_nan());
    assert_eq!(samples(&found, 2, "throughput"), [99.0, 101.0]);
    let throughput = found
        .metrics
        .iter()
        .find(|metric| metric.name == "throughput");
    assert_eq!(throughput.unwrap().direction, Some(Direction::Up));
    // A histogram: the mean of each iteration.
    let sampled = samples(&found, 3, "time");
    assert!(
        close(sampled[0], 2e-3) && close(sampled[1], 2e-3),
        "{sampled:?}"
    );
    let rows = trials("jmh/results.json", Scope::Side, &Given::default());
    assert_eq!((rows[3].2, rows[3].3), (1, 0));
}

#[test]
fn catch2_keeps_means_and_failures() {
    let found = read("catch2/benchmarks.xml");
    assert_eq!(found.executions.len(), 3);
    assert!(close(value(&found, 0, "time").unwrap(), 282.599e-9));
    assert_eq!(field(&found.executions[1], "test"), "Fibonacci");
    assert_eq!(found.executions[2].outcome, Outcome::Failed);
    let cause = found.executions[2].cause.as_ref().unwrap().to_string();
    assert_eq!(cause, "it does not work");
}

#[test]
fn messages_of_cargo_criterion_have_every_sample() {
    let found = read("cargo-criterion/messages.json");
    assert_eq!(found.executions.len(), 2);
    assert_eq!(field(&found.executions[0], "benchmark"), "fib/5");
    assert_eq!(samples(&found, 0, "time").len(), 10);
}
