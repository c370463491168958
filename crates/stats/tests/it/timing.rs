//! Series in time order: each thing that is not noise is found and called by its name, and noise is not.

use fairtrial_stats::rng::{Purpose, Stream};
use fairtrial_stats::timing::time_order;

/// How a value is made.
type Draw<'a> = &'a dyn Fn(&mut Stream) -> f64;

fn noise(number: u64, n: usize, draw: impl Fn(&mut Stream) -> f64) -> Vec<f64> {
    let mut stream = Stream::new(9, Purpose::new("time-order"), number);
    (0..n).map(|_| draw(&mut stream)).collect()
}

#[test]
fn a_warm_up_is_no_drift_and_no_resemblance() {
    let mut xs = noise(1, 40, |stream| 1.0 + 0.01 * stream.normal());
    (xs[0], xs[1], xs[2]) = (3.0, 2.0, 1.5);
    let found = time_order(&xs).unwrap();
    assert_eq!(found.warm_up, 3);
    assert_eq!((found.drift, found.autocorrelation), (None, None));
    // Slow in the middle is no warm-up.
    xs.swap(0, 20);
    assert_eq!(time_order(&xs).unwrap().warm_up, 0);
}

#[test]
fn a_drift_has_its_size_and_is_no_resemblance() {
    let mut xs = noise(2, 60, |stream| 0.02 * stream.normal());
    for (i, x) in (0..).zip(&mut xs) {
        *x += 0.1 * f64::from(i) / 59.0;
    }
    let found = time_order(&xs).unwrap();
    let drift = found.drift.unwrap();
    assert!(
        (drift.change - 0.1).abs() < 0.03 && drift.p < 1e-6,
        "{drift:?}"
    );
    assert_eq!((found.warm_up, found.autocorrelation), (0, None));
}

#[test]
fn neighbours_that_resemble_each_other_are_worth_less() {
    let shocks = noise(3, 200, Stream::normal);
    let mut xs = vec![0.0];
    for shock in shocks {
        xs.push(0.7 * xs[xs.len() - 1] + shock);
    }
    let found = time_order(&xs).unwrap().autocorrelation.unwrap();
    assert!((found.lag1 - 0.7).abs() < 0.15, "{found:?}");
    assert!(found.effective_n < 60.0, "{found:?}");
    let alternating: Vec<f64> = (0..100).map(|i| f64::from(i % 2)).collect();
    assert_eq!(time_order(&alternating).unwrap().autocorrelation, None);
}

#[test]
fn noise_seldom_looks_like_any_of_them() {
    let heavy = |stream: &mut Stream| {
        let squares: f64 = (0..3).map(|_| stream.normal().powi(2)).sum();
        stream.normal() / squares.sqrt()
    };
    let far_out = |stream: &mut Stream| {
        let size = if stream.unit() < 0.1 { 5.0 } else { 1.0 };
        size * stream.normal()
    };
    let exponential = |stream: &mut Stream| -(1.0 - stream.unit()).ln();
    let series = 2_000_u64;
    let draws: [(&str, Draw<'_>); 4] = [
        ("normal", &Stream::normal),
        ("heavy", &heavy),
        ("far out", &far_out),
        ("exponential", &exponential),
    ];
    for (name, draw) in draws {
        for n in [20, 30, 100] {
            let found: Vec<_> = (0..series)
                .map(|number| time_order(&noise(number, n, draw)).unwrap())
                .collect();
            let share = |is_so: &dyn Fn(usize) -> bool| {
                (0..found.len()).filter(|of| is_so(*of)).count() as f64 / series as f64
            };
            let warm_up = share(&|of| found[of].warm_up > 0);
            let drift = share(&|of| found[of].drift.is_some());
            let alike = share(&|of| found[of].autocorrelation.is_some());
            // A percent, and three standard errors.
            assert!(
                warm_up.max(drift).max(alike) < 0.017,
                "{name} {n}: {warm_up} {drift} {alike}"
            );
        }
    }
}

#[test]
fn what_has_no_order_is_refused() {
    assert!(time_order(&[1.0; 30]).is_err());
    assert!(time_order(&noise(4, 19, Stream::normal)).is_err());
    let mut broken = noise(5, 30, Stream::normal);
    broken[3] = f64::NAN;
    assert!(time_order(&broken).is_err());
}
