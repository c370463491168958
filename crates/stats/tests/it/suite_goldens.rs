//! Suite metrics against rliable on the published Atari 100k runs (read in place; skipped where they are not there).
// A skipped test says why, and a broken fixture is a bug of the test.

use std::path::PathBuf;

use crate::common::{Golden, assert_close, number, numbers};
use fairtrial_stats::suite::{self, Correction, Metric, ProfileKind, Scores, SuitePlan};
use fairtrial_stats::{Level, Undefined};
use serde_json::Value;

fn shared() -> PathBuf {
    std::env::var_os("FAIRTRIAL_SHARED").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared")),
        PathBuf::from,
    )
}

/// Human-normalised scores by task.
fn atari(arm: &str) -> Option<Vec<Vec<f64>>> {
    let path = shared().join("fixtures/upstream/atari100k.json");
    let Ok(text) = std::fs::read_to_string(&path) else {
        println!("skipped: no Atari 100k scores in the shared folder");
        return None;
    };
    let data: Value = serde_json::from_str(&text).unwrap();
    let (random, human) = (numbers(&data["random"]), numbers(&data["human"]));
    let runs: Vec<Vec<f64>> = data["scores"][arm]
        .as_array()
        .unwrap()
        .iter()
        .map(numbers)
        .collect();
    let task = |t: usize| {
        runs.iter()
            .map(|run| (run[t] - random[t]) / (human[t] - random[t]))
            .collect()
    };
    Some((0..random.len()).map(task).collect())
}

const METRICS: [(&str, Metric); 4] = [
    ("median", Metric::Median),
    ("iqm", Metric::Iqm),
    ("mean", Metric::Mean),
    ("optimality_gap", Metric::OptimalityGap { target: 1.0 }),
];

#[test]
fn points_and_profiles_are_those_of_rliable() {
    let golden = Golden::load("rliable_atari100k.json").0;
    for arm in ["SPR", "DrQ_eps", "IRIS", "SimPLe"] {
        let Some(tasks) = atari(arm) else { return };
        let scores = Scores::new(&tasks).unwrap();
        for (key, metric) in METRICS {
            let want = number(&golden["point"][arm][key]);
            assert_close(key, suite::point(&scores, metric).unwrap(), want, 1e-10);
        }
        let want = &golden["profile"][arm];
        let taus = numbers(&want["tau"]);
        for (kind, key) in [
            (ProfileKind::Runs, "run_score_distribution"),
            (ProfileKind::TaskMeans, "average_score_distribution"),
        ] {
            let got = suite::profile(&scores, &taus, kind).unwrap();
            for (a, b) in got.share.iter().zip(numbers(&want[key])) {
                assert_close(key, *a, b, 1e-10);
            }
        }
    }
}

#[test]
fn uncorrected_intervals_are_those_of_rliable_within_its_noise() {
    let golden = Golden::load("rliable_atari100k.json").0;
    for arm in ["SPR", "IRIS", "SimPLe"] {
        let Some(tasks) = atari(arm) else { return };
        let scores = Scores::new(&tasks).unwrap();
        let want = &golden["ci95_percentile"][arm];
        for (place, (key, metric)) in METRICS.into_iter().enumerate() {
            let plan = SuitePlan {
                correction: Correction::None,
                resamples: 40_000,
                ..SuitePlan::new(metric, 11)
            };
            let got = suite::interval(&scores, &plan).unwrap().interval;
            for (end, value) in [("low", got.low), ("high", got.high)] {
                let mean = number(&want[format!("{end}_mean")][place]);
                // Four seeds say little about the spread of one, so that it is at least what theory gives for the
                // 2.5 % quantile of a normal from twice 40,000 draws: 0.5 % of the interval's length.
                let sd = number(&want[format!("{end}_sd_one_seed")][place])
                    .max(5e-3 * (got.high - got.low));
                assert!(
                    (value - mean).abs() < 5.0 * sd,
                    "{arm} {key} {end}: {value} against {mean} ± {sd}"
                );
            }
        }
    }
}

#[test]
fn probability_of_improvement_is_that_of_rliable() {
    let golden = Golden::load("rliable_atari100k.json").0;
    for (pair, want) in golden["prob_improvement"].as_object().unwrap() {
        let (winner, loser) = pair.split_once('>').unwrap();
        let (Some(candidate), Some(control)) = (atari(winner), atari(loser)) else {
            return;
        };
        let (candidate, control) = (
            Scores::new(&candidate).unwrap(),
            Scores::new(&control).unwrap(),
        );
        let plan = SuitePlan {
            resamples: 2000,
            ..SuitePlan::new(Metric::Mean, 3)
        };
        let got = suite::probability_of_improvement(&control, &candidate, &plan).unwrap();
        assert_close(pair, got.estimate, number(want), 1e-10);
        assert!(got.interval.contains(got.estimate));
    }
}

#[test]
fn the_interquartile_mean_has_whole_cuts() {
    for case in Golden::load("iqm.json").cases() {
        let x = numbers(&case["x"]);
        let want = number(&case["iqm"]);
        assert_close(
            "suite",
            suite::point(&Scores::new(std::slice::from_ref(&x)).unwrap(), Metric::Iqm).unwrap(),
            want,
            1e-12,
        );
    }
}

#[test]
fn what_cannot_be_said_is_refused_with_a_reason() {
    let pass_fail = vec![vec![0.0, 1.0, 1.0], vec![1.0, 1.0, 0.0]];
    let scores = Scores::new(&pass_fail).unwrap();
    assert!(matches!(
        suite::point(&scores, Metric::Iqm),
        Err(Undefined::NoSolution(_))
    ));
    assert!(suite::point(&scores, Metric::Mean).is_ok());
    let single = vec![vec![0.5], vec![0.2, 0.3]];
    let scores = Scores::new(&single).unwrap();
    assert!(matches!(
        suite::mean_t(&scores, Level::TWO_SIDED_95),
        Err(Undefined::TooFew {
            have: 1,
            need: 2,
            ..
        })
    ));
    assert!(suite::interval(&scores, &SuitePlan::new(Metric::Mean, 0)).is_err());
    assert!(Scores::new(&[]).is_err());
    assert!(Scores::new(&[vec![]]).is_err());
    assert!(matches!(
        Scores::new(&[vec![f64::NAN]]),
        Err(Undefined::NotFinite { .. })
    ));
    let other = vec![vec![0.5, 0.7]];
    let two = [vec![0.1, 0.3], vec![0.2, 0.9]];
    let (a, b) = (Scores::new(&other).unwrap(), Scores::new(&two).unwrap());
    assert!(matches!(
        suite::mean_difference_t(&a, &b, Level::TWO_SIDED_95),
        Err(Undefined::UnequalLengths { .. })
    ));
    let constant = vec![vec![0.1; 3], vec![0.7; 3]];
    let scores = Scores::new(&constant).unwrap();
    assert!(matches!(
        suite::mean_t(&scores, Level::TWO_SIDED_95),
        Err(Undefined::ZeroVariance { .. })
    ));
}

#[test]
fn the_stretch_widens_by_the_expected_factor_and_runs_may_differ_in_number() {
    let tasks: Vec<Vec<f64>> = (0..12)
        .map(|t| {
            (0..3 + t % 2)
                .map(|r| f64::from(t) * 0.1 + f64::from((r * 37 + t * 11) % 17) / 17.0)
                .collect()
        })
        .collect();
    let scores = Scores::new(&tasks).unwrap();
    let with = |correction| {
        let plan = SuitePlan {
            correction,
            ..SuitePlan::new(Metric::Mean, 5)
        };
        suite::interval(&scores, &plan).unwrap().standard_error
    };
    let ratio = with(Correction::Stretched) / with(Correction::None);
    assert!(
        ratio > (4f64 / 3.0).sqrt() - 0.02 && ratio < (3f64 / 2.0).sqrt() + 0.02,
        "{ratio}"
    );
    let t = suite::mean_t(&scores, Level::TWO_SIDED_95).unwrap();
    assert!((with(Correction::Stretched) / t.standard_error - 1.0).abs() < 0.02);
}

#[test]
fn the_profile_band_contains_the_profile() {
    let tasks: Vec<Vec<f64>> = (0..8)
        .map(|t| {
            (0..5)
                .map(|r| f64::from((t * 5 + r) * 7 % 13) / 13.0)
                .collect()
        })
        .collect();
    let scores = Scores::new(&tasks).unwrap();
    let taus = [0.9, 0.1, 0.5];
    let plan = SuitePlan {
        resamples: 3000,
        ..SuitePlan::new(Metric::Mean, 5)
    };
    let got = suite::profile_band(&scores, &taus, &plan).unwrap();
    for (share, band) in got.profile.share.iter().zip(&got.band) {
        assert!(band.contains(*share), "{share} {band:?}");
    }
}

#[test]
fn the_stratified_t_knows_spreads_whose_squares_are_no_numbers() {
    let tasks = [vec![1.0, 2.0, 4.0], vec![3.0, 5.0, 4.0, 7.0]];
    let level = Level::TWO_SIDED_95;
    let plain = suite::mean_t(&Scores::new(&tasks).unwrap(), level).unwrap();
    for unit in [1e-250, 1e-170, 1e160, 1e300] {
        let scaled = tasks
            .clone()
            .map(|runs| runs.iter().map(|x| x * unit).collect::<Vec<f64>>());
        let found = suite::mean_t(&Scores::new(&scaled).unwrap(), level).unwrap();
        let same = |what: &str, found: f64, want: f64| {
            assert!(
                (found / want - 1.0).abs() < 1e-12,
                "{what}: {found}, {want}"
            );
        };
        same("error", found.standard_error / unit, plain.standard_error);
        same("df", found.df, plain.df);
    }
}
