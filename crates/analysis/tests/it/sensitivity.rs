//! What each swept parameter does to a metric.

use crate::common::{ended, measured, metric, record};
use fairtrial_analysis::dataset::Origin;
use fairtrial_analysis::sensitivity::{ArmEffect, Sensitivity, sensitivity};
use fairtrial_analysis::{Dataset, Observation};
use fairtrial_model::{Direction, Outcome, Params, Points, Record, Reference};
use serde_json::json;

fn at(mut record: Record, point: &serde_json::Value) -> Record {
    let entries = point.as_object().unwrap().clone();
    record.trial.point = entries.into_iter().collect::<Params>();
    record
}

fn dataset(records: &[Record]) -> Dataset {
    let mut data = Dataset::new("grid", Origin::Records);
    data.declared = vec![metric("score", Some(Direction::Up))];
    for record in records {
        data.push(&Observation::from(record));
    }
    data
}

/// 2 × 2 points, three seeds: `a` adds 10, `b` adds 1, the seed adds its number.
fn grid() -> Vec<Record> {
    let mut records = Vec::new();
    for seed in 1..=3 {
        for (a, b) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            let trial = record(records.len() as u64, "train", "", seed);
            let value = f64::from(10 * a + b) + seed as f64;
            records.push(measured(
                at(trial, &json!({"a": a, "b": b})),
                &[("score", value)],
            ));
        }
    }
    records
}

fn effects(records: &[Record]) -> Sensitivity {
    sensitivity(&dataset(records), None, 0.05).unwrap()
}

fn only_arm(sensitivity: &Sensitivity, place: usize) -> &ArmEffect {
    assert_eq!(sensitivity.parameters[place].arms.len(), 1);
    &sensitivity.parameters[place].arms[0]
}

#[test]
fn levels_are_means_over_the_other_parameters_with_seeds_as_units() {
    let found = effects(&grid());
    let a = only_arm(&found, 0);
    assert_eq!(found.parameters[0].name, "a");
    let means: Vec<f64> = a.levels.iter().filter_map(|level| level.mean).collect();
    assert_eq!(means, [2.5, 12.5]);
    assert!(a.balanced && a.left_out == 0);
    assert_eq!((a.levels[0].seeds, a.levels[0].values), (3, 6));
    // Seeds 1, 2, 3 have the means 1.5, 2.5, 3.5: 2.5 ± t(0.975, 2) / sqrt(3).
    let interval = a.levels[0].interval.unwrap();
    assert!(
        (interval.high - interval.low - 2.0 * 4.302_652_729_911_275 / 3_f64.sqrt()).abs() < 1e-9
    );
    // 10² against 10² + 1²: nearly all of it is `a`.
    assert!((a.explained.unwrap() - 100.0 / 101.0).abs() < 1e-12);
    assert!((only_arm(&found, 1).explained.unwrap() - 1.0 / 101.0).abs() < 1e-12);
}

#[test]
fn a_failed_trial_takes_its_setting_out_of_every_level() {
    let mut records = grid();
    // Seed 1 at a=1, b=1: without it the mean of a=1 must not lean towards b=0.
    records[3] = ended(records[3].clone(), Outcome::Failed);
    let found = effects(&records);
    let a = only_arm(&found, 0);
    assert_eq!((a.balanced, a.left_out), (true, 1));
    assert_eq!((a.without_value, a.levels[1].without_value), (1, 1));
    let means = [1, 0].map(|place| a.levels[place].mean.unwrap());
    assert!((means[0] - means[1] - 10.0).abs() < 1e-12);
}

#[test]
fn a_random_sweep_is_not_called_balanced() {
    let points = [
        json!({"a": 0, "b": 3}),
        json!({"a": 1, "b": 4}),
        json!({"a": 1, "b": 5}),
    ];
    let records: Vec<Record> = points
        .iter()
        .enumerate()
        .map(|(index, point)| {
            let trial = at(record(index as u64, "train", "", 1), point);
            measured(trial, &[("score", index as f64)])
        })
        .collect();
    let found = effects(&records);
    let a = only_arm(&found, 0);
    assert!(!a.balanced && a.explained.is_none());
    assert_eq!(a.levels[1].mean, Some(1.5));
    assert!(a.levels[0].interval.is_none());
    assert!(
        a.levels[0]
            .why_none
            .as_ref()
            .unwrap()
            .contains("at least 2")
    );
}

#[test]
fn nothing_swept_and_unknown_metrics_are_said() {
    let flat = measured(record(0, "train", "", 1), &[("score", 1.0)]);
    let error = sensitivity(&dataset(&[flat]), None, 0.05).unwrap_err();
    assert!(error.to_string().contains("sweeps nothing"));
    let error = sensitivity(&dataset(&grid()), Some("loss"), 0.05).unwrap_err();
    assert!(error.to_string().contains("`loss`"), "{error}");
}

#[test]
fn the_original_parameter_impact_is_reproduced() {
    let golden: serde_json::Value =
        serde_json::from_str(include_str!("../goldens/agentfarm/parameter_impact.json")).unwrap();
    let mut records = Vec::new();
    for (value, durations) in golden["params_to_durations"].as_object().unwrap() {
        for (rollout, duration) in durations.as_array().unwrap().iter().enumerate() {
            let mut trial = record(records.len() as u64, "spin", "", 1);
            trial.trial.rollout = rollout as u32;
            let point = json!({"size": value.parse::<i64>().unwrap()});
            records.push(measured(
                at(trial, &point),
                &[("score", duration.as_f64().unwrap())],
            ));
        }
    }
    let found = effects(&records);
    let size = only_arm(&found, 0);
    let expected = &golden["mean"];
    let close = |value: f64, key: &str| {
        let wanted = expected[key].as_f64().unwrap();
        assert!(
            (value - wanted).abs() <= 1e-12 * wanted.abs(),
            "{key}: {value} for {wanted}"
        );
    };
    close(size.correlation.unwrap(), "correlation");
    close(size.levels[size.smallest].mean.unwrap(), "min_value");
    close(size.levels[size.largest].mean.unwrap(), "max_value");
    close(
        size.levels[size.smallest].value.as_f64().unwrap(),
        "min_param",
    );
    close(
        size.levels[size.largest].value.as_f64().unwrap(),
        "max_param",
    );
    close(100.0 * size.drop.unwrap(), "improvement_pct");
}

/// One task counts in hundreds and falls with `lr`, the other one is best in the middle: on one scale that decides.
#[test]
fn several_tasks_are_averaged_between_their_reference_points() {
    let mut records = Vec::new();
    for seed in 1..=3 {
        for (lr, large, small) in [(1, 500.0, 0.2), (2, 450.0, 0.9), (3, 400.0, 0.2)] {
            for (task, value) in [("large", large), ("small", small)] {
                let trial = record(records.len() as u64, task, "", seed);
                let trial = at(trial, &json!({ "lr": lr }));
                records.push(measured(trial, &[("score", value)]));
            }
        }
    }
    let mut data = dataset(&records);
    let largest = |data: &Dataset| {
        let found = sensitivity(data, None, 0.05).unwrap();
        let arm = only_arm(&found, 0);
        (arm.levels[arm.largest].mean.unwrap(), found.unit.clone())
    };
    assert_eq!(largest(&data), (250.1, None));
    let points = [("large", 1000.0), ("small", 1.0)]
        .map(|(task, one)| (task.to_owned(), Points::new(0.0, one).unwrap()));
    data.declared[0].reference = Some(Reference::ByTask(points.into_iter().collect()));
    let (mean, unit) = largest(&data);
    assert!((mean - 0.675).abs() < 1e-12, "{mean}");
    assert_eq!(unit.as_deref(), Some("normalised"));
}

/// One parameter with these values at every seed; what is absent failed.
fn one_parameter(values: &[(i64, [Option<f64>; 3])]) -> Vec<Record> {
    let mut records = Vec::new();
    for (size, seeds) in values {
        for (seed, value) in (1..).zip(seeds) {
            let trial = record(records.len() as u64, "train", "", seed);
            let trial = at(trial, &json!({ "size": size }));
            records.push(match value {
                Some(value) => measured(trial, &[("score", *value)]),
                None => ended(trial, Outcome::Failed),
            });
        }
    }
    records
}

#[test]
fn a_level_that_failed_everywhere_stays_and_says_so() {
    let some = |value: f64| [Some(value), Some(value + 0.1), Some(value + 0.3)];
    let found = effects(&one_parameter(&[
        (1, some(1.0)),
        (2, [None; 3]),
        (3, some(3.0)),
    ]));
    let size = only_arm(&found, 0);
    let levels: Vec<(Option<f64>, usize)> = (size.levels.iter())
        .map(|level| (level.mean.map(f64::round), level.without_value))
        .collect();
    assert_eq!(levels, [(Some(1.0), 0), (None, 3), (Some(3.0), 0)]);
    // The others are compared without it.
    assert_eq!((size.balanced, size.without_value), (true, 3));
    assert_eq!((size.smallest, size.largest), (0, 2));
    // Two points lie on a line, and with the only parameter goes everything.
    assert_eq!((size.correlation, size.explained), (None, None));
    let three = effects(&one_parameter(&[
        (1, some(1.0)),
        (2, some(1.5)),
        (3, some(3.0)),
    ]));
    let size = only_arm(&three, 0);
    assert!(size.correlation.is_some() && size.explained.is_none());
}

#[test]
fn there_is_no_percentage_between_means_of_opposite_sign() {
    let found = effects(&one_parameter(&[
        (0, [Some(-1.0), Some(-1.1), Some(-1.2)]),
        (1, [Some(6.0), Some(6.1), Some(6.3)]),
    ]));
    assert_eq!(only_arm(&found, 0).drop, None);
}

#[test]
fn levels_of_pass_and_fail_have_intervals_of_rates() {
    let found = effects(&one_parameter(&[
        (0, [Some(1.0); 3]),
        (1, [Some(0.0), Some(1.0), Some(1.0)]),
    ]));
    let ends: Vec<(f64, f64)> = (only_arm(&found, 0).levels.iter())
        .map(|level| level.interval.unwrap())
        .map(|interval| (interval.low, interval.high))
        .collect();
    // Wilson's, of 3 of 3 and of 2 of 3.
    assert!(
        (ends[0].0 - 0.438_503).abs() < 1e-5 && ends[0].1 == 1.0,
        "{ends:?}"
    );
    assert!((ends[1].0 - 0.207_655).abs() < 1e-5, "{ends:?}");
    assert!((ends[1].1 - 0.938_508).abs() < 1e-5, "{ends:?}");
}
