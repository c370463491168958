//! Aggregates against those of the original, where the original is right, and where it is not.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use fairtrial_driver::aggregate;
use fairtrial_stats::descriptive::{QuantileRule, quantile};
use serde_json::Value;

fn near(ours: f64, theirs: &Value, what: &str) {
    let theirs = theirs.as_f64().unwrap();
    assert!(
        (ours - theirs).abs() <= 1e-12 * theirs.abs().max(1.0),
        "{what}: {ours} and {theirs}"
    );
}

#[test]
fn means_and_spreads_are_those_of_the_original() {
    let text = include_str!("goldens/agentfarm/duration_aggregation.json");
    let cases: Vec<Value> = serde_json::from_str(text).unwrap();
    assert!(cases.len() >= 6);
    for case in cases {
        let durations: Vec<f64> = serde_json::from_value(case["durations"].clone()).unwrap();
        let ours = aggregate(&durations).unwrap();
        let (runner, statistics) = (&case["runner_metrics"], &case["calculate_statistics"]);
        near(ours.mean, &runner["mean"], "mean");
        near(ours.median, &statistics["median"], "median");
        near(ours.min, &statistics["min"], "min");
        near(ours.max, &statistics["max"], "max");
        near(ours.sd.unwrap_or(0.0), &statistics["std"], "sd");
        // Its quantiles are single order statistics: right only where ours fall on one too.
        for (name, p) in [("p50", 0.5), ("p95", 0.95)] {
            let theirs = quantile(&durations, p, QuantileRule::RoundHalfEven).unwrap();
            near(theirs, &runner[name], name);
        }
        let ordered = [ours.min, ours.p50, ours.p90, ours.p95, ours.p99, ours.max];
        assert!(ordered.is_sorted(), "{ordered:?}");
    }
}

#[test]
fn of_two_values_the_median_is_between_them() {
    let ours = aggregate(&[2.0, 1.0]).unwrap();
    assert_eq!((ours.p50, ours.n), (1.5, 2));
    let interval = ours.ci95.unwrap();
    assert!(interval.low < 1.0 && interval.high > 2.0);
}

#[test]
fn values_that_are_not_finite_are_counted_and_left_out() {
    let ours = aggregate(&[1.0, f64::NAN, 3.0, f64::INFINITY]).unwrap();
    assert_eq!((ours.n, ours.dropped, ours.mean), (2, 2, 2.0));
    assert_eq!(aggregate(&[f64::NAN]), None);
    assert_eq!(aggregate(&[1.0]).unwrap().ci95, None);
}
