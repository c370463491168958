//! Describing one sample: goldens of `descriptive.json`, `accuracy_nist_numacc.json`, and the edges.

use crate::common::{Golden, assert_close, number, numbers};
use fairtrial_stats::descriptive::{
    Accumulator, CompensatedSum, Density, QuantileRule, coefficient_of_variation, describe,
    excess_kurtosis, geometric_mean, mad, mean, median, quantile, sd, skewness, variance,
};
use fairtrial_stats::{Explain, Level, Undefined};
use serde_json::Value;

const TOLERANCE: f64 = 1e-12;

/// Compares an outcome with a golden number; NaN in the golden must be a reason here.
fn check(name: &str, got: Result<f64, Undefined>, want: &Value) {
    let want = number(want);
    match got {
        Ok(value) => assert_close(name, value, want, TOLERANCE),
        Err(reason) => assert!(want.is_nan(), "{name}: want {want}, got {reason}"),
    }
}

#[test]
fn descriptive_goldens() {
    let golden = Golden::load("descriptive.json");
    for case in golden.cases() {
        let x = numbers(&case["x"]);
        check("mean", mean(&x), &case["mean"]);
        check("variance", variance(&x), &case["var_ddof1"]);
        check("median", median(&x), &case["median"]);
        for (p, want) in case["q_type7"].as_object().unwrap() {
            check(
                p,
                quantile(&x, p.parse().unwrap(), QuantileRule::Linear),
                want,
            );
        }
        check("mad", mad(&x), &case["mad"]);
        check("geomean", geometric_mean(&x), &case["geomean"]);
        check("skewness", skewness(&x), &case["skew_biased"]);
        check(
            "kurtosis",
            excess_kurtosis(&x),
            &case["excess_kurtosis_biased"],
        );
        let cv = coefficient_of_variation(&x, Level::TWO_SIDED_95).map(|c| c.value);
        check("cv", cv, &case["cv"]);
    }
    assert_eq!(golden.cases().len(), 6);
}

fn numacc(case: &Value) -> Vec<f64> {
    let pairs = |first: f64, low: f64, high: f64| {
        let mut x = vec![first];
        for _ in 0..500 {
            x.extend([low, high]);
        }
        x
    };
    match case["name"].as_str().unwrap() {
        "NumAcc1" => numbers(&case["x"]),
        "NumAcc2" => pairs(1.2, 1.1, 1.3),
        "NumAcc3" => pairs(1_000_000.2, 1_000_000.1, 1_000_000.3),
        "NumAcc4" => pairs(10_000_000.2, 10_000_000.1, 10_000_000.3),
        other => panic!("{other}"),
    }
}

#[test]
fn nist_numerical_accuracy() {
    let golden = Golden::load("accuracy_nist_numacc.json");
    for (case, tolerance) in golden.cases().iter().zip([0.0, 1e-14, 1e-9, 1e-8]) {
        let x = numacc(case);
        let name = case["name"].as_str().unwrap();
        assert!(
            crate::common::close(mean(&x).unwrap(), number(&case["mean"]), 1e-15),
            "{name} mean"
        );
        assert!(
            crate::common::close(sd(&x).unwrap(), number(&case["sd"]), tolerance),
            "{name} sd {}",
            sd(&x).unwrap()
        );
        let streamed: Accumulator = x.iter().copied().collect();
        assert!(
            crate::common::close(
                streamed.sd().unwrap(),
                number(&case["sd"]),
                tolerance.max(1e-7)
            ),
            "{name} streamed"
        );
    }
    assert_eq!(golden.cases().len(), 4);
}

#[test]
fn accumulators_merge_to_the_whole() {
    let x: Vec<f64> = (0..1000)
        .map(|i| (f64::from(i) * 0.37).sin() + 1e6)
        .collect();
    let mut parts = Accumulator::new();
    for chunk in x.chunks(37) {
        parts.merge(&chunk.iter().copied().collect());
    }
    parts.push(f64::NAN);
    assert_eq!((parts.count, parts.not_finite), (1000, 1));
    assert_close("mean", parts.mean().unwrap(), mean(&x).unwrap(), 1e-14);
    assert_close("sd", parts.sd().unwrap(), sd(&x).unwrap(), 1e-9);
    assert_eq!(
        parts.min().unwrap(),
        x.iter().copied().fold(f64::INFINITY, f64::min)
    );
    assert!(matches!(
        Accumulator::new().mean(),
        Err(Undefined::Empty { .. })
    ));
}

#[test]
fn compensated_sums_keep_what_a_plain_sum_loses() {
    let mut whole = CompensatedSum::default();
    let mut part = CompensatedSum::default();
    for (left, right) in [(1e16, -1e16), (1.0, 1.0)] {
        whole.add(left);
        part.add(right);
    }
    whole.merge(part);
    assert_eq!(whole.value(), 2.0);
}

#[test]
fn agentfarm_index_rule() {
    let q = |n: i32, p| {
        let x: Vec<f64> = (1..=n).map(f64::from).collect();
        quantile(&x, p, QuantileRule::RoundHalfEven).unwrap()
    };
    assert_eq!(q(2, 0.5), 1.0);
    assert_eq!(q(10, 0.5), 5.0);
    assert_eq!(q(4, 0.5), 3.0); // 1.5 rounds to the even index 2
    assert_eq!(q(20, 0.95), 19.0);
    let x = [1.0, 2.0, 3.0, 4.0];
    assert_eq!(quantile(&x, 0.25, QuantileRule::Inverse).unwrap(), 1.0);
    assert_eq!(quantile(&x, 0.26, QuantileRule::Inverse).unwrap(), 2.0);
}

#[test]
fn cv_interval_brackets_the_value_and_opens_where_the_data_do_not_bound_it() {
    let x = [9.8, 10.1, 10.4, 9.6, 10.0, 10.2, 9.9, 10.3];
    let cv = coefficient_of_variation(&x, Level::TWO_SIDED_95).unwrap();
    assert!(cv.interval.low < cv.value && cv.value < cv.interval.high && !cv.interval_is_rough);
    // n = 8: chi-square quantiles 16.0128 and 1.6899 at 7 df; the ends by hand.
    let by_hand = |u: f64| cv.value / (((u + 2.0) / 8.0 - 1.0) * cv.value.powi(2) + u / 7.0).sqrt();
    assert_close("low", cv.interval.low, by_hand(16.01276424629395), 1e-9);
    assert_close("high", cv.interval.high, by_hand(1.6898691806773553), 1e-9);
    let wild = coefficient_of_variation(&[0.1, 0.2, 90.0], Level::TWO_SIDED_95).unwrap();
    assert!(wild.interval.high.is_infinite() && wild.interval_is_rough);
    assert!(coefficient_of_variation(&[-1.0, 1.0], Level::TWO_SIDED_95).is_err());
}

#[test]
fn a_description_counts_what_it_left_out() {
    let summary = describe(&[1.0, f64::NAN, 3.0, f64::INFINITY]).unwrap();
    assert_eq!(summary.dropped.as_ref().unwrap().count, 2);
    assert_eq!(summary.mean, 2.0);
    assert!(summary.reading().contains("2 left out"));
    assert!(matches!(describe(&[]), Err(Undefined::Empty { .. })));
    assert_eq!(describe(&[4.0]).unwrap().sd, None);
}

#[test]
fn values_near_the_end_of_the_range_do_not_overflow_into_nan() {
    assert_eq!(mean(&[f64::MAX, f64::MAX]).unwrap(), f64::MAX);
    assert!(variance(&[f64::MAX, -f64::MAX]).is_err());
}

#[test]
fn spread_is_known_as_far_as_numbers_go() {
    let base = [1.0, 2.0, 4.0, 3.0];
    let expected = sd(&base).unwrap();
    for unit in [1e-300, 1e-170, 1e160, 1e300, 4e307] {
        let x = base.map(|value| value * unit);
        assert_close("sd", sd(&x).unwrap() / unit, expected, 1e-12);
        assert_close("mean", mean(&x).unwrap() / unit, 2.5, 1e-12);
        let cv = coefficient_of_variation(&x, Level::TWO_SIDED_95).unwrap();
        assert_close("cv", cv.value, expected / 2.5, 1e-12);
    }
    // Its square is not, and that is said: neither infinite nor 0.
    for unit in [1e-170, 1e160] {
        let x = base.map(|value| value * unit);
        assert!(matches!(variance(&x), Err(Undefined::NoSolution(_))));
    }
    assert!(matches!(
        sd(&[-1.5e308, 1.5e308]),
        Err(Undefined::NoSolution(_))
    ));
    assert_eq!(sd(&[1e-200, 1e-200, 1e-200]).unwrap(), 0.0);
    assert_eq!(sd(&[1e300, 1e300, 1e300]).unwrap(), 0.0);
}

#[test]
fn densities_are_those_of_the_reference() {
    let golden = Golden::load("density.json");
    for case in golden.cases() {
        let density = Density::of(&numbers(&case["x"])).unwrap();
        let bandwidth = number(&case["bandwidth"]);
        assert_close("bandwidth", density.bandwidth(), bandwidth, 1e-12);
        let places = numbers(&case["at"]).into_iter();
        for (x, want) in places.zip(numbers(&case["density"])) {
            assert_close("density", density.at(x), want, 1e-9);
        }
    }
    assert_eq!(golden.cases().len(), 4);
    assert!(Density::of(&[2.0; 9]).is_err(), "no shape");
    assert!(Density::of(&[2.0]).is_err(), "one value");
}
