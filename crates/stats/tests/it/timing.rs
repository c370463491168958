//! Series of timings: what resembles its neighbours is worth less.

use fairtrial_stats::Explain;
use fairtrial_stats::timing::autocorrelation;

#[test]
fn iterations_that_resemble_each_other_are_worth_less() {
    let slow: Vec<f64> = (0..100).map(|i| (f64::from(i) * 0.05).sin()).collect();
    let got = autocorrelation(&slow).unwrap();
    assert!(got.notable && got.effective_n < 10.0 && got.reading().contains("worth about"));
    let alternating: Vec<f64> = (0..100).map(|i| f64::from(i % 2)).collect();
    assert_eq!(autocorrelation(&alternating).unwrap().effective_n, 100.0);
    assert!(autocorrelation(&[1.0; 5]).is_err());
}
