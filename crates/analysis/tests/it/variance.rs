//! The documented variance report against the original's, and the useful answer against its own promises.

use fairtrial_analysis::curves::{Histories, History};
use fairtrial_analysis::variance::{Variance, VarianceQuestion, variance};
use fairtrial_journal::DataRoot;
use fairtrial_model::{DOCUMENTED_SEEDS, Outcome};
use fairtrial_series::{CurvePoints, CurveSeries};
use fairtrial_stats::rng::{Purpose, Stream};
use serde_json::Value;
use std::path::{Path, PathBuf};

fn stats_golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../stats/tests/goldens")
        .join(name)
}

fn runs() -> Vec<History> {
    let table = stats_golden("run_histories.csv");
    let ids: Vec<String> = DOCUMENTED_SEEDS
        .iter()
        .map(|seed| format!("control.seed{seed}"))
        .collect();
    Histories::new(DataRoot::at("nowhere"), Some(table))
        .read(&ids, "overview/reward")
        .unwrap()
}

fn found(runs: &[History], threshold: f64) -> Variance {
    let question = VarianceQuestion {
        threshold,
        ..VarianceQuestion::new("overview/reward")
    };
    variance(runs, &question).unwrap()
}

fn close(got: &[f64], expected: &Value, tolerance: f64) {
    let expected = expected.as_array().unwrap();
    assert_eq!(got.len(), expected.len());
    for (got, expected) in got.iter().zip(expected) {
        match expected.as_f64() {
            Some(expected) => assert!(
                (got - expected).abs() <= tolerance * expected.abs(),
                "{got} for {expected}"
            ),
            None => assert!(got.is_infinite(), "{got} for {expected}"),
        }
    }
}

#[test]
fn the_documented_curves_and_their_first_n_are_those_of_the_original() {
    let text = std::fs::read(stats_golden("metta_variance_original.json")).unwrap();
    let golden: Value = serde_json::from_slice(&text).unwrap();
    let runs = runs();
    let five = found(&runs, 0.05);
    close(&five.spreads[0].documented.cv, &golden["auc_cv"], 1e-12);
    close(
        &five.spreads[1].documented.cv,
        &golden["derivative_cv"],
        1e-6,
    );
    for (threshold, expected) in golden["first_below_threshold"].as_object().unwrap() {
        let found = found(&runs, threshold.parse().unwrap());
        let n = |spread: &fairtrial_analysis::variance::Spread| {
            spread.documented.first_n.map(|n| n as u64)
        };
        assert_eq!(
            n(&found.spreads[0]),
            expected["auc_threshold_n"].as_u64(),
            "{threshold}"
        );
        assert_eq!(
            n(&found.spreads[1]),
            expected["derivative_threshold_n"].as_u64(),
            "{threshold}"
        );
    }
}

#[test]
fn precision_does_not_depend_on_the_order_and_the_documented_rule_does() {
    let forward = runs();
    let backward: Vec<History> = forward.iter().rev().cloned().collect();
    let (one, other) = (found(&forward, 0.05), found(&backward, 0.05));
    let (a, b) = (
        one.spreads[0].precision.as_ref().unwrap(),
        other.spreads[0].precision.as_ref().unwrap(),
    );
    assert_eq!(a.needed, b.needed);
    assert!((a.now - b.now).abs() < 1e-12);
    assert_eq!(
        one.spreads[0].documented_reversed,
        other.spreads[0].documented.first_n
    );
    assert_ne!(
        one.spreads[0].documented.first_n,
        other.spreads[0].documented.first_n
    );
}

/// With a spread of 5.55 %, ±5 % of the mean by t takes 8 runs, and 15 give ±3.1 %.
#[test]
fn the_needed_n_is_that_of_the_t_interval() {
    let found = found(&runs(), 0.05);
    let precision = found.spreads[0].precision.as_ref().unwrap();
    assert_eq!(precision.needed, Some(8));
    assert!(precision.needed_low.unwrap() < 8 && precision.needed_high.unwrap() > 8);
    // The half-width that 15 runs have: t(14) s / sqrt(15), here as a share of the mean.
    assert!((precision.now - 0.03072).abs() < 5e-5, "{}", precision.now);
}

/// What the curve promises holds: intervals of the N it names are this narrow on average.
#[test]
fn means_of_the_needed_n_are_as_precise_as_promised() {
    let sd = 0.08;
    let mut widths = Vec::new();
    let mut stream = Stream::new(7, Purpose::new("variance-promise"), 0);
    let needed = 12;
    for _ in 0..4000 {
        let values: Vec<f64> = (0..needed).map(|_| 1.0 + sd * stream.normal()).collect();
        let mean =
            fairtrial_stats::one_arm::mean_interval(&values, fairtrial_stats::Level::TWO_SIDED_95)
                .unwrap();
        widths.push((mean.interval.high - mean.interval.low) / 2.0);
    }
    let expected = widths.iter().sum::<f64>() / widths.len() as f64;
    let pilot: Vec<f64> = (0..4000).map(|_| 1.0 + sd * stream.normal()).collect();
    let curve = fairtrial_stats::planning::precision_curve(
        &pilot,
        None,
        expected,
        100,
        fairtrial_stats::Level::TWO_SIDED_95,
    )
    .unwrap();
    let n = curve.n_for_target.unwrap();
    assert!((11..=13).contains(&n), "{n}");
}

#[test]
fn runs_without_a_curve_are_left_out_by_name_and_two_must_be_left() {
    let mut runs = runs();
    runs[2].outcome = Outcome::Failed;
    runs[2].notes = vec!["the trial ended as failed".to_owned()];
    let mut points = runs[4].series.points().unwrap().into_owned();
    points.values[10] = f64::NAN;
    runs[4].series = CurveSeries::held(points);
    let found = found(&runs, 0.05);
    assert_eq!(found.runs.len(), 13);
    let names: Vec<&str> = found.left_out.iter().map(|run| run.id.as_str()).collect();
    assert_eq!(names, ["control.seed3014", "control.seed5156"]);
    let error = variance(&runs[..1], &VarianceQuestion::new("overview/reward")).unwrap_err();
    assert!(error.to_string().contains("at least 2 runs"), "{error}");
}

#[test]
fn runs_that_are_all_alike_have_no_precision_to_speak_of() {
    let one = runs().remove(0);
    let mut other = one.clone();
    other.id = "other".to_owned();
    other.place = None;
    let found = found(&[one, other], 0.05);
    assert!(found.spreads[0].precision.is_none());
    let why = found.spreads[0].why_none.as_ref().unwrap();
    assert!(why.contains("does not vary"), "{why}");
}

/// A run that reports one number.
fn number(id: String, value: f64) -> History {
    let points = CurvePoints {
        steps: vec![0.0],
        values: vec![value],
        notes: Vec::new(),
    };
    History::of(id, CurveSeries::held(points))
}

/// Runs that report one number each are asked about that number; a spread of 10 % takes 20 runs to ±5 %.
#[test]
fn single_numbers_have_a_spread_of_their_own() {
    let run = |(place, value): (usize, &f64)| number(format!("run{place}"), *value);
    let values = [9.0, 11.0, 9.0, 11.0, 10.0, f64::NAN];
    let runs: Vec<History> = values.iter().enumerate().map(run).collect();
    let found = found(&runs, 0.05);
    assert_eq!(found.summary, "value");
    assert_eq!(found.left_out[0].why, "its value is NaN");
    let [spread] = found.spreads.as_slice() else {
        panic!("{:?}", found.spreads);
    };
    let precision = spread.precision.as_ref().unwrap();
    assert!((precision.spread.value - 0.1).abs() < 1e-12);
    // By hand: the spread without the bias of five values is 0.1 / 0.940 = 0.1064, and t(n-1) c4(n) 0.1064 / sqrt(n) is
    // 0.0506 for 19 runs and 0.0491 for 20.
    assert_eq!(precision.needed, Some(20));
}

#[test]
fn arms_are_not_pooled() {
    let mut both = runs();
    let table = stats_golden("run_histories.csv");
    let ids = [1072, 2043].map(|seed| format!("candidate.seed{seed}"));
    let candidate =
        Histories::new(DataRoot::at("nowhere"), Some(table)).read(&ids, "overview/reward");
    both.extend(candidate.unwrap());
    let error = variance(&both, &VarianceQuestion::new("overview/reward")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "these runs are of 2 arms (control, candidate), and runs of different arms are no repetitions of each other; name \
         the runs of one arm, as NAME:control"
    );
}

/// Three rollouts of each seed are not three independent runs.
#[test]
fn rollouts_of_a_seed_are_one_run() {
    let rollout = |seed: u64, rollout: u32, value: f64| History {
        task: Some("train".to_owned()),
        arm: Some("control".to_owned()),
        seed: Some(seed),
        rollout: Some(rollout),
        ..number(format!("seed{seed}-{rollout}"), value)
    };
    let mut runs = Vec::new();
    for (seed, mean) in (0..).zip([9.0, 11.0, 9.0, 11.0, 10.0]) {
        runs.extend((0..3).map(|number| rollout(seed, number, mean + f64::from(number) - 1.0)));
    }
    let found = found(&runs, 0.05);
    assert_eq!(found.runs.len(), 5);
    assert_eq!(found.runs[0].id, "seed0-0 and 2 more rollouts");
    assert_eq!(found.runs[0].numbers, [9.0]);
    let precision = found.spreads[0].precision.as_ref().unwrap();
    assert!((precision.spread.value - 0.1).abs() < 1e-12);
}
