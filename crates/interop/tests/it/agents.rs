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
    assert_eq!(value(&a, 0, "total_tokens"), Some(23.0));
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
