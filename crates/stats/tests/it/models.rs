//! Timing, nested repetitions, covariates and the mixed model: goldens of `timing.json`, `kalibera_jones.json`,
//! `cuped.json`, `mixedlm.json`, and the edges.

use crate::common::{Golden, assert_close, close, number, numbers};
use fairtrial_stats::covariate::{Observation, adjusted};
use fairtrial_stats::descriptive::{harrell_davis, mad};
use fairtrial_stats::mixed::random_intercept;
use fairtrial_stats::rank::{Continuity, RankMethod, mann_whitney};
use fairtrial_stats::timing::{
    TimingOptions, TimingVerdict, autocorrelation, compare_times, nested, tail_quantile,
};
use fairtrial_stats::two_arm::Design;
use fairtrial_stats::{Explain, Level, Side, Undefined};
use serde_json::Value;

#[test]
fn timing_goldens() {
    let golden = Golden::load("timing.json");
    for case in golden.cases() {
        let (a, b) = (numbers(&case["baseline_s"]), numbers(&case["candidate_s"]));
        let got = compare_times(&a, &b, TimingOptions::default()).unwrap();
        let check = |name: &str, got: f64, key: &str| {
            let want = number(&case[key]);
            assert!(close(got, want, 1e-9), "{name}: {got} against {want}");
        };
        let means = got.means.as_ref().unwrap();
        check("ratio of means", means.estimate, "ratio_of_means");
        check("Fieller df", means.df, "fieller_df");
        check("geometric", got.geometric.estimate, "ratio_of_geomeans");
        check("p", got.geometric.p.unwrap(), "log_welch_p");
        check("median", got.median_ratio, "median_ratio");
        check("min", got.min_ratio, "min_ratio");
        check(
            "Hodges-Lehmann",
            got.hodges_lehmann_ratio,
            "hodges_lehmann_log_ratio",
        );
        check("mad", mad(&a).unwrap(), "mad_baseline");
        let rank = mann_whitney(
            &a,
            &b,
            RankMethod::Asymptotic(Continuity::Corrected),
            Side::TwoSided,
        )
        .unwrap();
        check("rank p", rank.p, "mwu_p");
        let centre = harrell_davis(&a, 0.5).unwrap();
        assert!(close(
            centre,
            number(&case["harrell_davis_median_baseline"]),
            1e-8
        ));
        for (ends, key) in [
            (means.interval, "fieller95_welch_df"),
            (got.geometric.interval, "ratio_geomean_ci95"),
        ] {
            let want = numbers(&case[key]);
            assert!(
                close(ends.low, want[0], 1e-9) && close(ends.high, want[1], 1e-9),
                "{key} {ends:?} {want:?}"
            );
        }
    }
    assert_eq!(golden.cases().len(), 3);
}

#[test]
fn timing_verdicts_need_the_whole_interval() {
    let control: Vec<f64> = (0..20).map(|i| 1.0 + 0.001 * f64::from(i % 5)).collect();
    let scaled = |factor: f64| -> Vec<f64> { control.iter().rev().map(|x| x * factor).collect() };
    let verdict = |factor, design| {
        let options = TimingOptions {
            design,
            ..TimingOptions::default()
        };
        compare_times(&control, &scaled(factor), options)
            .unwrap()
            .verdict
    };
    for design in [Design::Unpaired, Design::Paired] {
        assert_eq!(verdict(1.05, design), TimingVerdict::Slower);
        assert_eq!(verdict(0.95, design), TimingVerdict::Faster);
        assert_eq!(verdict(1.001, design), TimingVerdict::Equivalent);
        assert_eq!(verdict(1.0101, design), TimingVerdict::Inconclusive);
    }
    assert!(compare_times(&control, &[0.0, 1.0], TimingOptions::default()).is_err());
    let odd = TimingOptions {
        threshold: -0.1,
        ..TimingOptions::default()
    };
    assert!(compare_times(&control, &control, odd).is_err());
    let text = compare_times(&control, &scaled(1.05), TimingOptions::default())
        .unwrap()
        .reading();
    assert!(
        text.contains("slower by more than the noise threshold of 1 %"),
        "{text}"
    );
}

fn flatten(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(items) => items.iter().flat_map(flatten).collect(),
        other => vec![number(other)],
    }
}

#[test]
fn kalibera_jones_goldens() {
    let golden = Golden::load("kalibera_jones.json");
    for case in golden.cases() {
        let y = &case["Y_build_exec_iter"];
        let len = |v: &Value| v.as_array().unwrap().len();
        let shape = [len(y), len(&y[0]), len(&y[0][0])];
        let got = nested(&flatten(y), &shape, Level::TWO_SIDED_95).unwrap();
        let check = |name: &str, got: f64, want: f64| {
            assert!(close(got, want, 1e-10), "{name}: {got} {want}");
        };
        check("mean", got.mean, number(&case["grand_mean"]));
        let own = ["T1_iteration_var", "T2_execution_var", "T3_build_var"];
        for (i, level) in got.levels.iter().enumerate() {
            check("S", level.observed, number(&case[format!("S{}", i + 1)]));
            check("T", level.own, number(&case[own[i]]));
        }
        check("low", got.interval.low, number(&case["ci95"][0]));
        check("high", got.interval.high, number(&case["ci95"][1]));
        let best = got.optimal_repetitions(&[1.0, 10.0, 100.0]).unwrap();
        let formula = |i: usize| {
            (10.0 * got.levels[i].own / got.levels[i + 1].own)
                .sqrt()
                .ceil()
        };
        for (i, r) in best.iter().enumerate() {
            match (got.levels[i].own > 0.0, got.levels[i + 1].own > 0.0) {
                (true, true) => assert_eq!(r.unwrap() as f64, formula(i)),
                (false, _) => assert_eq!(*r, Some(1)),
                (true, false) => assert_eq!(*r, None),
            }
        }
    }
    assert_eq!(golden.cases().len(), 2);
    assert!(nested(&[1.0, 2.0, 3.0], &[2, 2], Level::TWO_SIDED_95).is_err());
    assert!(nested(&[1.0, 2.0], &[2, 1], Level::TWO_SIDED_95).is_err());
    assert!(nested(&[], &[], Level::TWO_SIDED_95).is_err());
}

#[test]
fn cuped_goldens() {
    let golden = Golden::load("cuped.json");
    for case in golden.cases() {
        let (pre, arm, y) = (
            numbers(&case["pre"]),
            numbers(&case["arm"]),
            numbers(&case["y"]),
        );
        let observations: Vec<Observation> = (0..y.len())
            .map(|i| Observation {
                candidate: arm[i] == 1.0,
                before: pre[i],
                outcome: y[i],
            })
            .collect();
        let got = adjusted(&observations, Level::TWO_SIDED_95).unwrap();
        for (name, got) in [
            ("theta_pooled", got.theta),
            ("adjusted_diff", got.cuped.estimate),
            ("welch_t_adjusted", got.cuped.t),
            ("welch_p_adjusted", got.cuped.p),
            ("raw_diff", got.raw_difference),
            ("ancova_arm_coef", got.ancova),
            ("ancova_arm_se", got.ancova_standard_error),
            ("ancova_arm_se_HC1", got.ancova_robust_standard_error),
            ("variance_reduction", got.variance_reduction),
        ] {
            assert!(
                close(got, number(&case[name]), 1e-9),
                "{name}: {got} {}",
                case[name]
            );
        }
    }
    assert_eq!(golden.cases().len(), 2);
    let flat: Vec<Observation> = (0..6)
        .map(|i| Observation {
            candidate: i > 2,
            before: 1.0,
            outcome: f64::from(i),
        })
        .collect();
    assert!(matches!(
        adjusted(&flat, Level::TWO_SIDED_95),
        Err(Undefined::ZeroVariance { .. })
    ));
}

#[test]
fn mixed_model_goldens() {
    let golden = Golden::load("mixedlm.json");
    for case in golden.cases() {
        let y = numbers(&case["y"]);
        let candidate: Vec<bool> = numbers(&case["arm"]).iter().map(|a| *a == 1.0).collect();
        let task: Vec<i64> = numbers(&case["task"]).iter().map(|t| *t as i64).collect();
        let got = random_intercept(&y, &candidate, &task, Level::TWO_SIDED_95).unwrap();
        assert!(close(got.intercept, number(&case["fixed"][0]), 1e-5));
        assert!(close(got.effect, number(&case["fixed"][1]), 1e-5));
        let ses = numbers(&case["se"]);
        assert!(
            close(got.intercept_standard_error, ses[0], 1e-5),
            "{} {ses:?}",
            got.intercept_standard_error
        );
        assert!(close(got.effect_standard_error, ses[1], 1e-5));
        assert!(close(got.task_variance, number(&case["var_task"]), 1e-3));
        assert!(close(
            got.residual_variance,
            number(&case["var_resid"]),
            1e-3
        ));
        assert!((got.log_likelihood - number(&case["reml_loglik"])).abs() < 1e-5);
        assert!(!got.at_boundary);
        // The maximum is at least as good as the reference's.
        assert!(got.log_likelihood >= number(&case["reml_loglik"]) - 1e-9);
    }
    assert_eq!(golden.cases().len(), 2);
}

#[test]
fn a_mixed_model_without_task_variance_says_so() {
    let y = [1.0, 2.0, 1.5, 2.5, 1.1, 2.1, 0.9, 2.2, 2.0, 1.0, 2.4, 1.6];
    let candidate: Vec<bool> = (0..12).map(|i| i % 2 == 1).collect();
    let task: Vec<usize> = (0..12).map(|i| i / 4).collect();
    let got = random_intercept(&y, &candidate, &task, Level::TWO_SIDED_95).unwrap();
    assert!(got.at_boundary && got.task_variance == 0.0);
    assert!(got.reading().contains("No variance between tasks"));
    // At the boundary this is ordinary least squares: the difference of the arm means.
    assert_close(
        "effect",
        got.effect,
        (2.0 + 2.5 + 2.1 + 2.2 + 1.0 + 1.6) / 6.0 - (1.0 + 1.5 + 1.1 + 0.9 + 2.0 + 2.4) / 6.0,
        1e-12,
    );
    assert!(random_intercept(&y, &[true; 12], &task, Level::TWO_SIDED_95).is_err());
    assert!(random_intercept(&[1.0; 12], &candidate, &task, Level::TWO_SIDED_95).is_err());
    assert!(random_intercept(&y, &candidate, &[0; 12], Level::TWO_SIDED_95).is_err());
}

#[test]
fn iterations_that_resemble_each_other_are_worth_less() {
    let slow: Vec<f64> = (0..100).map(|i| (f64::from(i) * 0.05).sin()).collect();
    let got = autocorrelation(&slow).unwrap();
    assert!(got.notable && got.effective_n < 10.0 && got.reading().contains("worth about"));
    let alternating: Vec<f64> = (0..100).map(|i| f64::from(i % 2)).collect();
    assert_eq!(autocorrelation(&alternating).unwrap().effective_n, 100.0);
    assert!(autocorrelation(&[1.0; 5]).is_err());
    let hundred: Vec<f64> = (0..100).map(f64::from).collect();
    assert!(tail_quantile(&hundred, 0.99).is_ok());
    assert!(matches!(
        tail_quantile(&hundred[..99], 0.99),
        Err(Undefined::TooFew { need: 100, .. })
    ));
}
