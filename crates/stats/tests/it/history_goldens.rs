//! Change points against Otava's, and those that hold their error rate.

use crate::common::{Golden, assert_close, number, numbers};
use fairtrial_stats::history::{
    ChangePoint, Options, SegmentOptions, change_points, fewest_points, level_changes,
};
use fairtrial_stats::rng::{Purpose, Stream};

#[test]
fn changes_are_where_otava_finds_them() {
    for case in Golden::load("changepoint_otava.json").cases() {
        let name = case["name"].as_str().unwrap();
        let mut options = Options::otava();
        if let Some(p) = case["options"].get("max_pvalue") {
            options.max_p = number(p);
        }
        if let Some(m) = case["options"].get("min_magnitude") {
            options.min_magnitude = number(m);
        }
        let series = numbers(&case["series"]);
        let got = change_points(&series, &options).unwrap().points;
        let want = case["change_points"].as_array().unwrap();
        let indices: Vec<u64> = got.iter().map(|c| c.index as u64).collect();
        let expected: Vec<u64> = want.iter().map(|c| c["index"].as_u64().unwrap()).collect();
        assert_eq!(indices, expected, "{name}");
        for (a, b) in got.iter().zip(want) {
            assert_close(name, a.mean_before, number(&b["mean_before"]), 1e-9);
            assert_close(name, a.sd_before, number(&b["std_before"]), 1e-9);
            // Otava does not look again at the change before one that it merged away: in these two cases its last change
            // is still compared with the two points up to the merged one. Here it is compared with all that follows.
            if name.starts_with("two_steps_180") && a.index == 121 {
                let rest = &series[121..];
                assert_close(
                    name,
                    a.mean_after,
                    rest.iter().sum::<f64>() / rest.len() as f64,
                    1e-12,
                );
                assert_close(
                    name,
                    number(&b["mean_after"]),
                    f64::midpoint(series[121], series[122]),
                    1e-9,
                );
                continue;
            }
            assert_close(name, a.mean_after, number(&b["mean_after"]), 1e-9);
            assert_close(name, a.sd_after, number(&b["std_after"]), 1e-9);
            assert_close(name, a.p, number(&b["pvalue"]), 1e-6);
        }
    }
}

fn null_series(number: u64, n: usize) -> Vec<f64> {
    let mut stream = Stream::new(99, Purpose::new("test/history"), number);
    (0..n).map(|_| 100.0 + 5.0 * stream.normal()).collect()
}

fn ours(series: &[f64]) -> Vec<ChangePoint> {
    level_changes(series, &SegmentOptions::default())
        .unwrap()
        .points
}

fn otavas(series: &[f64]) -> Vec<ChangePoint> {
    change_points(series, &Options::otava()).unwrap().points
}

/// The share of unchanged series in which something is found.
fn alarm_rate(
    search: fn(&[f64]) -> Vec<ChangePoint>,
    series: impl Fn(u64) -> Vec<f64>,
    count: u64,
) -> f64 {
    let alarms = (0..count).filter(|number| !search(&series(*number)).is_empty());
    alarms.count() as f64 / count as f64
}

/// A year of daily runs in which one of twenty is an outlier.
fn year_with_outliers(number: u64) -> Vec<f64> {
    let mut stream = Stream::new(5, Purpose::new("test/history/year"), number);
    let mut point = || {
        let wide = if stream.unit() < 0.05 { 10.0 } else { 1.0 };
        100.0 + wide * stream.normal()
    };
    (0..365).map(|_| point()).collect()
}

#[test]
fn unchanged_series_rarely_raise_an_alarm_whatever_their_noise() {
    let golden = Golden::load("changepoint_otava.json").0;
    let otava =
        number(&golden["false_alarm_rate_per_series_of_100_iid_normal"]["max_pvalue_0.001"]);
    let four_sigma = 4.0 * (otava * (1.0 - otava) * (1.0 / 300.0 + 1.0 / 1000.0)).sqrt();
    assert!(
        (alarm_rate(otavas, |number| null_series(number, 100), 1000) - otava).abs() < four_sigma,
        "the simulation sees Otava's false alarms"
    );
    let most = |count: f64| 0.01 + 4.0 * (0.01f64 * 0.99 / count).sqrt();
    let rate = alarm_rate(ours, |number| null_series(number, 100), 2000);
    assert!(rate > 0.002 && rate < most(2000.0), "{rate}");
    let rate = alarm_rate(ours, year_with_outliers, 300);
    assert!(rate < most(300.0), "{rate}");
    let theirs = alarm_rate(otavas, year_with_outliers, 100);
    assert!(
        theirs > 0.3,
        "the outliers raise alarms elsewhere: {theirs}"
    );
}

#[test]
fn changes_are_found_where_they_are() {
    let found =
        |series: &[f64]| -> Vec<usize> { ours(series).iter().map(|change| change.index).collect() };
    let mut series = null_series(7, 100);
    series.iter_mut().skip(60).for_each(|x| *x += 20.0);
    series.iter_mut().skip(80).for_each(|x| *x -= 15.0);
    let near: Vec<bool> = found(&series)
        .iter()
        .zip([60, 80])
        .map(|(at, planted)| at.abs_diff(planted) <= 2)
        .collect();
    assert_eq!(near, [true, true], "{:?}", found(&series));
    let change = ours(&series)[0];
    assert!(
        (change.mean_after - change.mean_before - 20.0).abs() < 4.0 && change.p <= 0.01,
        "{change:?}"
    );
    // What all otava's own series with changes have.
    for case in Golden::load("changepoint_otava.json").cases() {
        let name = case["name"].as_str().unwrap();
        if matches!(name, "step_down_20" | "two_steps_180") {
            let want = case["change_points"].as_array().unwrap();
            let want: Vec<usize> = want
                .iter()
                .map(|c| c["index"].as_u64().unwrap() as usize)
                .collect();
            assert_eq!(found(&numbers(&case["series"])), want, "{name}");
        }
    }
    // Values that are all the same but for one step, and none at all.
    let steps: Vec<f64> = (0..40).map(|at| if at < 33 { 1.0 } else { 1.5 }).collect();
    assert_eq!(found(&steps), [33]);
    assert!(found(&[2.5; 40]).is_empty());
}

#[test]
fn too_few_points_show_nothing() {
    let options = SegmentOptions::default();
    assert_eq!(fewest_points(&options), 10);
    let step = |n: usize| -> Vec<f64> {
        (0..n)
            .map(|at| if at < n / 2 { 0.0 } else { 9.0 } + 0.01 * at as f64)
            .collect()
    };
    assert!(level_changes(&step(8), &options).unwrap().points.is_empty());
    assert_eq!(level_changes(&step(12), &options).unwrap().points.len(), 1);
    assert!(
        level_changes(&[1.0, 2.0], &options)
            .unwrap()
            .points
            .is_empty()
    );
    let coarse = SegmentOptions {
        permutations: 50,
        ..options
    };
    assert!(level_changes(&step(12), &coarse).is_err());
    assert!(
        level_changes(
            &step(12),
            &SegmentOptions {
                shortest: 0,
                ..options
            }
        )
        .is_err()
    );
    assert!(level_changes(&[f64::INFINITY], &options).is_err());
}

#[test]
fn failed_points_are_counted_and_do_not_shift_the_index() {
    let mut series: Vec<f64> = (0..40)
        .map(|i| if i < 20 { 1.0 } else { 2.0 } + 0.01 * f64::from(i % 3))
        .collect();
    series[3] = f64::NAN;
    let got = change_points(&series, &Options::new(1e-4)).unwrap();
    assert_eq!((got.dropped[0].count, got.points[0].index), (1, 20));
    let got = level_changes(&series, &SegmentOptions::default()).unwrap();
    assert_eq!((got.dropped[0].count, got.points[0].index), (1, 20));
    assert!(change_points(&[], &Options::new(1e-4)).is_err());
    assert!(change_points(&[f64::INFINITY], &Options::new(1e-4)).is_err());
    assert!(change_points(&[f64::NAN], &Options::new(1e-4)).is_err());
    assert!(
        change_points(&[1.0], &Options::new(1e-4))
            .unwrap()
            .points
            .is_empty()
    );
    assert!(change_points(&series, &Options::new(0.0)).is_err());
    assert!(
        change_points(
            &series,
            &Options {
                window: 1,
                ..Options::new(0.1)
            }
        )
        .is_err()
    );
}
