//! pass@k and pass^k against exact rationals, and what happens at the edges.

use crate::common::{Golden, assert_close, number};
use fairtrial_stats::one_arm::Proportion;
use fairtrial_stats::passk::{Attempts, estimate, suite, task};
use fairtrial_stats::{Level, Undefined};

#[test]
fn estimates_are_the_exact_rationals() {
    for case in Golden::load("passk.json").cases() {
        let get = |key: &str| case[key].as_u64().unwrap();
        let counts = Proportion {
            successes: get("c"),
            trials: get("n"),
        };
        let any = estimate(counts, get("k"), Attempts::AnyOf);
        if case["pass_at_k"].is_null() {
            assert!(
                matches!(any, Err(Undefined::TooFew { .. })),
                "more attempts asked for than made"
            );
            continue;
        }
        assert_close("pass@k", any.unwrap(), number(&case["pass_at_k"]), 1e-12);
        let all = estimate(counts, get("k"), Attempts::AllOf).unwrap();
        assert_close("pass^k", all, number(&case["pass_hat_k_all"]), 1e-12);
    }
}

#[test]
fn a_task_interval_contains_the_truth_at_its_level() {
    // Every outcome of 20 attempts, weighted by its chance: the exact coverage of pass@3 and pass^3.
    for p in [0.1, 0.3, 0.5, 0.8] {
        for (attempts, truth) in [
            (Attempts::AnyOf, 1.0 - f64::powi(1.0 - p, 3)),
            (Attempts::AllOf, f64::powi(p, 3)),
        ] {
            let mut covered = 0.0;
            let mut chance = f64::powi(1.0 - p, 20);
            for c in 0..=20u64 {
                let counts = Proportion {
                    successes: c,
                    trials: 20,
                };
                let got = task(counts, 3, attempts, Level::TWO_SIDED_95).unwrap();
                if got.interval.contains(truth) {
                    covered += chance;
                }
                chance *= (20 - c) as f64 / (c + 1) as f64 * p / (1.0 - p);
            }
            assert!(covered > 0.92, "p {p} {attempts:?}: {covered}");
        }
    }
}

#[test]
fn short_tasks_are_left_out_and_counted() {
    let tasks = [(3, 10), (0, 10), (2, 2), (10, 10)]
        .map(|(successes, trials)| Proportion { successes, trials });
    let got = suite(&tasks, 5, Attempts::AnyOf, Level::TWO_SIDED_95).unwrap();
    assert_eq!((got.tasks, got.dropped[0].count), (3, 1));
    assert!(got.interval.unwrap().contains(got.estimate));
    assert!(suite(&tasks[..0], 5, Attempts::AnyOf, Level::TWO_SIDED_95).is_err());
    assert!(suite(&tasks, 0, Attempts::AnyOf, Level::TWO_SIDED_95).is_err());
    assert!(suite(&tasks, 50, Attempts::AllOf, Level::TWO_SIDED_95).is_err());
    let same = [Proportion {
        successes: 5,
        trials: 5,
    }; 3];
    assert_eq!(
        suite(&same, 2, Attempts::AllOf, Level::TWO_SIDED_95)
            .unwrap()
            .interval,
        None
    );
}
