//! Nested repetitions and series of timings: goldens of `kalibera_jones.json`, and the edges.

use crate::common::{Golden, close, number};
use fairtrial_stats::timing::{autocorrelation, nested, tail_quantile};
use fairtrial_stats::{Explain, Level, Undefined};
use serde_json::Value;

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
