//! Evaluations of agents and models: scores per sample, failures with their cause, what a crash left.

use crate::fixtures::{field, read, trials, value};
use fairtrial_interop::{Collected, Given, Scope};
use fairtrial_model::Outcome;

/// Successes of each sample by the scorer `match`.
fn successes(found: &Collected) -> Vec<f64> {
    (0..6)
        .map(|sample| {
            let name = format!("q{sample}");
            let all = found.executions.iter().enumerate();
            let mine = all.filter(|(_, execution)| field(execution, "sample") == name);
            mine.filter_map(|(place, _)| value(found, place, "match"))
                .sum()
        })
        .collect()
}

#[test]
fn inspect_samples_have_the_scores_that_its_readme_counts() {
    let a = read("inspect/arith_arm_a.eval");
    let b = read("inspect/arith_arm_b.eval");
    assert_eq!(successes(&a), [2.0, 1.0, 2.0, 2.0, 2.0, 2.0]);
    assert_eq!(successes(&b), [1.0, 2.0, 1.0, 1.0, 0.0, 1.0]);
    assert_eq!(a.executions.len(), 18);
    let first = &a.executions[0];
    assert_eq!(field(first, "model"), "mockllm/model");
    assert_eq!(value(&a, 0, "score"), value(&a, 0, "match"));
    assert_eq!(value(&a, 0, "length_score"), Some(1.0));
    assert_eq!(value(&a, 0, "tokens_total"), Some(23.0));
    assert_eq!(value(&a, 0, "time"), Some(0.944));
    assert_eq!(field(&b.executions[0], "metadata.arm"), "b");
    // The other form is another run of the same task: its accuracy is 0.6111.
    let json = read("inspect/arith_arm_a.json.gz");
    let mean = successes(&json).iter().sum::<f64>() / 18.0;
    assert!((mean - 0.6111).abs() < 1e-4, "{mean}");
    let rows = trials("inspect/arith_arm_a.eval", Scope::Side, &Given::default());
    let mine: Vec<u32> = rows
        .iter()
        .filter(|row| row.1.ends_with("q3"))
        .map(|row| row.3)
        .collect();
    assert_eq!(mine, [0, 1, 2]);
}

#[test]
fn samples_that_errored_are_failures_and_those_that_never_came_are_cancelled() {
    for name in [
        "inspect/sample_errors.eval",
        "inspect/sample_errors.json.gz",
    ] {
        let found = read(name);
        let outcomes: Vec<Outcome> = found.executions.iter().map(|one| one.outcome).collect();
        assert_eq!(
            outcomes,
            [Outcome::Ok, Outcome::Failed, Outcome::Ok, Outcome::Ok],
            "{name}"
        );
        let cause = found.executions[1].cause.as_ref().unwrap().to_string();
        assert_eq!(cause, "RuntimeError('simulated sandbox failure')");
    }
    let found = read("inspect/crashed_started.eval");
    let count = |outcome| {
        found
            .executions
            .iter()
            .filter(|one| one.outcome == outcome)
            .count()
    };
    assert_eq!((count(Outcome::Ok), count(Outcome::Cancelled)), (3, 3));
    assert!(
        found.notes[0]
            .ends_with("did not come to its end (status `started`); 3 of 6 samples have a result")
    );
    let found = read("inspect/status_error.eval");
    assert!(
        found.notes[0].contains("ended with status `error`"),
        "{:?}",
        found.notes
    );
    assert!(
        found
            .executions
            .iter()
            .any(|one| one.outcome == Outcome::Failed)
    );
}

#[test]
fn harbor_trials_count_as_its_job_counts_them() {
    let found = read("harbor/jobs/k2-mixed");
    assert_eq!(found.executions.len(), 6);
    let score = |task: &str| -> Vec<Option<f64>> {
        let all = found.executions.iter().enumerate();
        let mine = all.filter(|(_, execution)| field(execution, "task") == task);
        mine.map(|(place, _)| value(&found, place, "score"))
            .collect()
    };
    assert_eq!(score("always-pass"), [Some(1.0), Some(1.0)]);
    assert_eq!(score("coin-flip").iter().flatten().sum::<f64>(), 1.0);
    assert_eq!(score("no-reward"), [None, None]);
    let failed: Vec<_> = found
        .executions
        .iter()
        .filter(|one| one.outcome == Outcome::Failed)
        .collect();
    assert_eq!(failed.len(), 2);
    let cause = failed[0].cause.as_ref().unwrap().to_string();
    assert!(
        cause.starts_with("RewardFileNotFoundError: No reward file found"),
        "{cause}"
    );
    assert_eq!(field(&found.executions[0], "agent"), "oracle");
    let rows = trials("harbor/jobs/k2-mixed", Scope::Side, &Given::default());
    let mine: Vec<u32> = rows
        .iter()
        .filter(|row| row.1 == "coin-flip")
        .map(|row| row.3)
        .collect();
    assert_eq!(mine, [0, 1]);

    let found = read("harbor/jobs/multi-reward");
    assert_eq!(value(&found, 0, "correctness"), Some(1.0));
    assert_eq!(value(&found, 0, "style"), Some(0.25));
    assert_eq!(value(&found, 0, "score"), None);
}

#[test]
fn older_logs_of_inspect_are_deflated() {
    let found = read("inspect/deflate_0.3.60.eval");
    let scores: Vec<Option<f64>> = (0..3).map(|place| value(&found, place, "score")).collect();
    assert_eq!(scores.iter().flatten().sum::<f64>(), 2.0);
    assert_eq!(field(&found.executions[0], "sample"), "0");
}

#[test]
fn an_archive_without_its_list_of_members_gives_what_is_whole() {
    let bytes = std::fs::read(crate::fixtures::path("inspect/arith_arm_a.eval")).unwrap();
    let format = fairtrial_interop::format_named("inspect").unwrap();
    // Cut before the list, and within the last members: the summaries are gone, the samples are not.
    let cut = fairtrial_interop::parse(format, "cut.eval", &bytes[..30_000]).unwrap();
    let ok = cut
        .executions
        .iter()
        .filter(|one| one.outcome == Outcome::Ok);
    assert!(ok.count() > 10);
    assert_eq!(cut.executions.len(), 18);
    assert!(
        cut.notes[0].contains("the archive is cut off"),
        "{:?}",
        cut.notes
    );
    let missing = cut
        .executions
        .iter()
        .filter(|one| one.outcome == Outcome::Cancelled);
    assert!(missing.count() > 0);
}

#[test]
fn terminal_bench_reads_its_trials_and_a_time_limit_is_one() {
    for name in ["terminal-bench/run", "terminal-bench/run/results.json"] {
        let found = read(name);
        assert_eq!(found.executions.len(), 2, "{name}");
        assert_eq!(value(&found, 0, "score"), Some(1.0));
        assert_eq!(value(&found, 0, "tests_passed"), Some(1.0));
        assert_eq!(value(&found, 0, "agent_time"), Some(30.0));
        assert_eq!(found.executions[1].outcome, Outcome::Timeout);
        assert_eq!(field(&found.executions[0], "agent"), "terminus");
    }
}

#[test]
fn tau_simulations_have_their_reward_or_the_reason_for_none() {
    let found = read("tau-bench/results.json");
    let outcomes: Vec<Outcome> = found.executions.iter().map(|one| one.outcome).collect();
    assert_eq!(
        outcomes,
        [Outcome::Ok, Outcome::Ok, Outcome::Failed, Outcome::Infra]
    );
    assert_eq!(value(&found, 0, "score"), Some(1.0));
    assert_eq!(value(&found, 0, "cost_usd"), Some(0.0125));
    assert_eq!(field(&found.executions[0], "model"), "lab/model-a");
    let rows = trials("tau-bench/results.json", Scope::Side, &Given::default());
    assert_eq!((rows[1].1.as_str(), rows[1].3), ("0", 1));
    let found = read("tau-bench/v1.json");
    assert_eq!(found.executions[1].outcome, Outcome::Failed);
}

#[test]
fn swe_bench_reports_keep_every_instance_in_the_denominator() {
    let found = read("swe-bench/lab__model-a.demo.json");
    let of = |id: &str| {
        let place = found
            .executions
            .iter()
            .position(|one| field(one, "instance") == id)
            .unwrap();
        (
            found.executions[place].outcome,
            value(&found, place, "score"),
        )
    };
    assert_eq!(of("django__django-1"), (Outcome::Ok, Some(1.0)));
    assert_eq!(of("django__django-2"), (Outcome::Ok, Some(0.0)));
    assert_eq!(of("flask__flask-4").0, Outcome::Failed);
    assert_eq!(of("flask__flask-5").0, Outcome::Failed);
    assert_eq!(of("flask__flask-6").0, Outcome::Skipped);
    assert_eq!(field(&found.executions[0], "model"), "lab/model-a");

    let found = read("swe-bench/logs");
    assert_eq!(found.executions.len(), 3);
    assert_eq!(field(&found.executions[0], "run"), "demo");
    assert_eq!(value(&found, 0, "fail_to_pass"), Some(1.0));

    let found = read("swe-bench/preds.jsonl");
    assert_eq!(value(&found, 0, "patch_lines"), Some(2.0));
    assert!(
        found
            .executions
            .iter()
            .any(|one| one.outcome == Outcome::Failed)
    );
}

#[test]
fn lm_eval_has_one_execution_for_each_document() {
    let found = read("lm-eval/samples_arith_2026-11-18T05-13-22.jsonl");
    assert_eq!(found.executions.len(), 3);
    assert_eq!(field(&found.executions[0], "task"), "arith");
    assert_eq!(field(&found.executions[0], "model"), "qdpv68r5");
    let mean: f64 = (0..3)
        .map(|place| value(&found, place, "acc").unwrap())
        .sum::<f64>()
        / 3.0;
    let results = read("lm-eval/results_2026-11-18T05-13-22.json");
    assert!((value(&results, 0, "acc").unwrap() - mean).abs() < 1e-12);
}

#[test]
fn promptfoo_rows_are_scored_or_broken() {
    for name in ["promptfoo/results.json.gz", "promptfoo/results.jsonl"] {
        let found = read(name);
        // Two prompts, two providers, two tests, each twice.
        assert_eq!(found.executions.len(), 16, "{name}");
        let broken: Vec<_> = found
            .executions
            .iter()
            .filter(|one| one.outcome == Outcome::Failed)
            .collect();
        assert_eq!(broken.len(), 4, "{name}");
        assert!(
            broken[0]
                .cause
                .as_ref()
                .unwrap()
                .to_string()
                .contains("it does not work")
        );
        let tests: std::collections::BTreeSet<String> = found
            .executions
            .iter()
            .map(|one| field(one, "test"))
            .collect();
        assert_eq!(tests.len(), 2, "{tests:?}");
        assert!(tests.contains("hello"));
        let place = found
            .executions
            .iter()
            .position(|one| field(one, "test") == "hello" && field(one, "provider") == "plain");
        assert_eq!(value(&found, place.unwrap(), "score"), Some(1.0));
    }
}

#[test]
fn openai_evals_events_of_one_sample_are_one_execution() {
    let found = read("openai-evals/log.jsonl");
    assert_eq!(found.executions.len(), 4);
    let scores: Vec<Option<f64>> = (0..4).map(|place| value(&found, place, "score")).collect();
    assert_eq!(scores, [Some(1.0), Some(0.0), Some(1.0), None]);
    assert_eq!(value(&found, 2, "length"), Some(3.0));
    assert_eq!(found.executions[3].outcome, Outcome::Failed);
    assert_eq!(field(&found.executions[0], "model"), "dummy");
}
