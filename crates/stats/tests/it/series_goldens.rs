//! Curve summaries against NumPy and against the original system's own numbers.

use std::collections::HashMap;

use crate::common::{Golden, assert_close, number, numbers};
use fairtrial_stats::series::original::{Logged, OriginalWindow};
use fairtrial_stats::series::{
    CommonGrid, Crossing, Curve, Direction, Scale, Threshold, Window, auc, last_n, max, mean,
    slope, time_to_threshold, value_at,
};
use fairtrial_stats::{Level, Undefined};

#[test]
fn summaries_agree_with_numpy() {
    for case in Golden::load("auc.json").cases() {
        let (steps, values) = (numbers(&case["steps"]), numbers(&case["values"]));
        let curve = Curve::new(&steps, &values).unwrap();
        if let Some(want) = case.get("auc_keep_last") {
            assert_close(
                "keep last",
                auc(&curve, Window::All, Scale::Raw).unwrap().value,
                number(want),
                1e-12,
            );
            assert_eq!(curve.dropped()[0].count, 1);
            continue;
        }
        let Some(area) = case.get("auc_trapezoid") else {
            assert!(
                matches!(
                    auc(&curve, Window::All, Scale::Raw),
                    Err(Undefined::TooFew { .. })
                ),
                "one point"
            );
            continue;
        };
        assert_close(
            "area",
            auc(&curve, Window::All, Scale::Raw).unwrap().value,
            number(area),
            1e-12,
        );
        let normalised = auc(&curve, Window::All, Scale::Normalised).unwrap().value;
        assert_close(
            "normalised",
            normalised,
            number(&case["auc_normalised"]),
            1e-12,
        );
        assert_close(
            "slope",
            slope(&curve, Window::All).unwrap().value,
            number(&case["ols_slope"]),
            1e-12,
        );
        assert_close(
            "last 5",
            last_n(&curve, 5).unwrap().value,
            number(&case["last5_mean"]),
            1e-12,
        );
        let by_points = auc(&curve, Window::LastPoints(0.25), Scale::Normalised);
        let want = number(&case["last25pct_points_auc_norm (Metta default)"]);
        match by_points {
            Ok(got) => assert_close("last points", got.value, want, 1e-12),
            Err(_) => assert!(want.is_nan()),
        }
        let by_steps = auc(&curve, Window::LastSteps(0.25), Scale::Normalised)
            .unwrap()
            .value;
        let want = number(&case["last25pct_of_step_range_auc_norm_interpolated"]);
        assert_close("last steps", by_steps, want, 1e-12);
        let threshold = Threshold {
            value: 0.5,
            direction: Direction::AtLeast,
        };
        let want = number(&case["first_step_at_or_above_0.5"]);
        assert_eq!(
            time_to_threshold(&curve, threshold).unwrap(),
            Crossing::Reached { step: want }
        );
    }
}

/// run id -> (steps, values)
fn histories() -> HashMap<String, (Vec<f64>, Vec<f64>)> {
    let text = std::fs::read_to_string(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/goldens/run_histories.csv"
    ))
    .unwrap();
    let mut runs: HashMap<String, (Vec<f64>, Vec<f64>)> = HashMap::new();
    for line in text.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let run = runs.entry(cells[0].to_string()).or_default();
        run.0.push(cells[3].parse().unwrap());
        run.1.push(cells[4].parse().unwrap());
    }
    runs
}

#[test]
fn the_original_systems_summaries_are_reproduced() {
    let runs = histories();
    let text = std::fs::read_to_string(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/goldens/golden_summaries.csv"
    ))
    .unwrap();
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    let mut seen = 0;
    for line in lines {
        let cells: Vec<&str> = line.split(',').collect();
        let (steps, values) = &runs[cells[0]];
        let logged = Logged::new(steps, values).unwrap();
        let window = OriginalWindow::Steps {
            min: 5e8,
            max: 15e8,
        };
        for (name, cell) in header.iter().zip(&cells).skip(1) {
            let got = match *name {
                "auc_last25_norm" => logged.auc(OriginalWindow::Last(0.25), Scale::Normalised),
                "auc_first25_norm" => logged.auc(OriginalWindow::First(0.25), Scale::Normalised),
                "auc_last50_raw" => logged.auc(OriginalWindow::Last(0.5), Scale::Raw),
                "auc_full_norm" => logged.auc(OriginalWindow::All, Scale::Normalised),
                "auc_window_5e8_15e8_norm" => logged.auc(window, Scale::Normalised),
                "auc_window_5e8_15e8_raw" => logged.auc(window, Scale::Raw),
                "eval_last_5" => logged.eval_last_n(5),
                "eval_last_20" => logged.eval_last_n(20),
                "derivative_slope" => logged.derivative(),
                other => panic!("a column without a test: {other}"),
            };
            assert_close(
                &format!("{} {name}", cells[0]),
                got.unwrap(),
                cell.parse().unwrap(),
                1e-11,
            );
            seen += 1;
        }
    }
    assert!(seen >= 9 * 30);
}

#[test]
fn fourteen_points_are_too_few_for_the_original() {
    let steps: Vec<f64> = (0..14).map(f64::from).collect();
    let logged = Logged::new(&steps, &steps).unwrap();
    assert!(matches!(
        logged.auc(OriginalWindow::All, Scale::Raw),
        Err(Undefined::TooFew {
            have: 14,
            need: 15,
            ..
        })
    ));
    assert_eq!(logged.eval_last_n(0).unwrap(), 13.0);
    assert_eq!(logged.eval_last_n(99).unwrap(), 6.5);
}

#[test]
fn untidy_curves_are_tidied_and_it_is_said() {
    let curve = Curve::new(&[3.0, 1.0, 2.0, 2.0], &[3.0, 1.0, 9.0, 2.0]).unwrap();
    assert_eq!(curve.values(), &[1.0, 2.0, 3.0]);
    assert_eq!(curve.dropped()[0].count, 1);
    assert_eq!(value_at(&curve, 2.5).unwrap().value, 2.5);
    assert!(value_at(&curve, 3.5).is_err());
    assert_eq!(max(&curve, Window::All).unwrap().value, 3.0);
    assert_eq!(mean(&curve, Window::FirstPoints(0.5)).unwrap().value, 1.5);
    assert!(
        Curve::new(&[1.0, 2.0], &[1.0, f64::NAN]).is_err(),
        "half of the points are gone"
    );
    let mut values = vec![1.0; 300];
    values[7] = f64::NAN;
    let steps: Vec<f64> = (0..300).map(f64::from).collect();
    assert_eq!(Curve::new(&steps, &values).unwrap().dropped()[0].count, 1);
    assert!(Curve::new(&steps, &[f64::INFINITY; 300]).is_err());
    assert!(Curve::new(&[], &[]).is_err());
    assert!(auc(&curve, Window::LastSteps(0.0), Scale::Raw).is_err());
    assert!(last_n(&curve, 0).is_err());
    let late = Threshold {
        value: 99.0,
        direction: Direction::AtLeast,
    };
    assert_eq!(
        time_to_threshold(&curve, late).unwrap(),
        Crossing::NotReached { by: 3.0 }
    );
}

/// Curves of 20 points with a seed-dependent wobble; `lift` is added in the second half.
fn curves(count: u64, lift: f64) -> Vec<Curve> {
    let wobble = |seed: u64, i: u64| ((seed * 7919 + i * 104_729) % 1000) as f64 / 1000.0;
    (0..count)
        .map(|seed| {
            let steps: Vec<f64> = (0..20).map(f64::from).collect();
            let values: Vec<f64> = (0..20)
                .map(|i| {
                    0.1 * wobble(seed, i)
                        + if i >= 10 { lift } else { 0.0 }
                        + 0.01 * (seed % 8) as f64
                })
                .collect();
            Curve::new(&steps, &values).unwrap()
        })
        .collect()
}

#[test]
fn a_band_has_a_point_for_each_step() {
    let all = curves(16, 0.3);
    let all: Vec<&Curve> = all.iter().collect();
    let grid = CommonGrid::new(&all, 20).unwrap();
    let pointwise = grid.band(Level::TWO_SIDED_95).unwrap();
    assert_eq!((pointwise.n, pointwise.points.len()), (16, 20));
}

#[test]
fn curves_that_share_too_little_are_refused() {
    let long = Curve::new(&[0.0, 100.0], &[0.0, 1.0]).unwrap();
    let short = Curve::new(&[0.0, 70.0], &[0.0, 1.0]).unwrap();
    assert!(matches!(
        CommonGrid::new(&[&long, &short], 10),
        Err(Undefined::NoSolution(_))
    ));
    let near = Curve::new(&[0.0, 90.0], &[0.0, 1.0]).unwrap();
    let grid = CommonGrid::new(&[&long, &near], 10).unwrap();
    assert!((grid.lost_share - 0.1).abs() < 1e-12);
    let point = Curve::new(&[5.0], &[1.0]).unwrap();
    assert!(CommonGrid::new(&[&point], 10).is_err());
}
