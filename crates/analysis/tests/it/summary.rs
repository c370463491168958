//! Summaries: what is counted, what is averaged, and what is said about the rest.

use crate::common::{ended, measured, metric, record, spec, write_run};
use fairtrial_analysis::summary::{MISSING_RULE, MetricCell, Unit, WorstCase};
use fairtrial_analysis::{RunSummary, SummaryOptions, summarize, summarize_run};
use fairtrial_journal::DataRoot;
use fairtrial_model::{Direction, Outcome, Record};

fn options(direction: Option<Direction>) -> SummaryOptions {
    SummaryOptions {
        metrics: vec![metric("score", direction)],
        arms: vec!["control".into(), "candidate".into()],
        ..SummaryOptions::default()
    }
}

/// Five ok values 1..=5, then one of each other ending, NaN, infinity and one that reports nothing.
fn mixed() -> Vec<Record> {
    let score = |index: u64, value: f64| {
        measured(
            record(index, "train", "control", index),
            &[("score", value)],
        )
    };
    let mut records: Vec<Record> = (1..=5).map(|index| score(index, index as f64)).collect();
    records.push(score(6, f64::NAN));
    records.push(score(7, f64::NEG_INFINITY));
    records.push(record(8, "train", "control", 8));
    // A failed trial's number is no result.
    records.push(ended(score(9, 1000.0), Outcome::Failed));
    for (index, outcome) in [
        (10, Outcome::Timeout),
        (11, Outcome::Oom),
        (12, Outcome::Infra),
        (13, Outcome::Cancelled),
        (14, Outcome::Skipped),
    ] {
        records.push(ended(record(index, "train", "control", index), outcome));
    }
    records
}

fn only_metric(summary: &RunSummary) -> &MetricCell {
    assert_eq!(summary.cells.len(), 1);
    assert_eq!(summary.cells[0].metrics.len(), 1);
    &summary.cells[0].metrics[0]
}

#[test]
fn failures_are_counted_and_bounded_but_never_averaged() {
    let summary = summarize(mixed(), options(Some(Direction::Up))).unwrap();
    let cell = only_metric(&summary);
    let numbers = cell.numbers.unwrap();
    assert_eq!((cell.n, numbers.mean, numbers.median), (5, 3.0, 3.0));
    assert_eq!((numbers.min, numbers.max), (1.0, 5.0));
    assert!((numbers.sd.unwrap() - 2.5_f64.sqrt()).abs() < 1e-15);
    assert_eq!(
        (
            cell.missing.failed,
            cell.missing.absent,
            cell.missing.nan,
            cell.missing.infinite
        ),
        (3, 1, 1, 1)
    );
    // infra, cancelled and skipped are not charged: 5 values and 6 times the worst, 1.
    let Some(WorstCase::Mean {
        mean,
        value,
        counted,
    }) = cell.worst_case
    else {
        panic!("{:?}", cell.worst_case);
    };
    assert_eq!((value, counted), (1.0, 6));
    assert!((mean - 21.0 / 11.0).abs() < 1e-15);
    assert_eq!(summary.outcomes.total(), 14);
    assert_eq!(summary.outcomes.infra, 1);
    assert_eq!(summary.missing_rule, MISSING_RULE);
}

#[test]
fn the_t_interval_is_that_of_the_mean() {
    let summary = summarize(mixed(), options(Some(Direction::Up))).unwrap();
    let range = only_metric(&summary).interval.clone().unwrap();
    // t(4) at 97.5 % is 2.7764451051977934.
    let half = 2.776_445_105_197_793_4 * (2.5_f64 / 5.0).sqrt();
    assert!((range.interval.high - (3.0 + half)).abs() < 1e-12);
    assert!((range.interval.low - (3.0 - half)).abs() < 1e-12);
    assert_eq!((range.unit, range.units), (Unit::Seed, 5));
}

#[test]
fn without_a_direction_no_bound_is_invented() {
    let summary = summarize(mixed(), options(None)).unwrap();
    let worst = only_metric(&summary).worst_case.clone();
    assert!(matches!(worst, Some(WorstCase::Unknown { why }) if why.contains("direction")));
}

#[test]
fn all_arms_of_a_task_are_charged_with_the_same_worst_value() {
    let mut records = Vec::new();
    for seed in 0..4 {
        let index = seed * 2;
        let control = record(index, "train", "control", seed);
        records.push(measured(control, &[("score", 10.0 + seed as f64)]));
        let candidate = ended(
            record(index + 1, "train", "candidate", seed),
            Outcome::Failed,
        );
        records.push(candidate);
    }
    let summary = summarize(records, options(Some(Direction::Down))).unwrap();
    let [control, candidate] = &summary.cells[..] else {
        panic!("{} cells", summary.cells.len());
    };
    assert_eq!(control.arm.as_deref(), Some("control"));
    assert!(control.metrics[0].worst_case.is_none());
    // Every candidate failed: no mean, but the bound is known from the control.
    let failed = &candidate.metrics[0];
    assert!(failed.numbers.is_none());
    assert_eq!(failed.no_interval.as_deref(), Some("no value"));
    assert!(matches!(failed.worst_case, Some(WorstCase::Mean { mean, .. }) if mean == 13.0));
}

#[test]
fn shares_get_wilson_and_repetitions_count_by_their_seed() {
    let pass = |index: u64, seed: u64, rollout: u32, value: f64| {
        let mut record = measured(record(index, "solve", "", seed), &[("score", value)]);
        record.trial.rollout = rollout;
        record
    };
    let shares: Vec<Record> = (0..10).map(|i| pass(i, i, 0, f64::from(i < 7))).collect();
    let summary = summarize(shares, options(Some(Direction::Up))).unwrap();
    let range = only_metric(&summary).interval.clone().unwrap();
    assert_eq!(range.method, "Wilson");
    assert!(
        (range.interval.low - 0.396_778_147_461_144).abs() < 1e-9,
        "{range:?}"
    );

    let rollouts: Vec<Record> = (0..12)
        .map(|i| pass(i, i / 3, (i % 3) as u32, f64::from(i < 7)))
        .collect();
    let summary = summarize(rollouts, options(Some(Direction::Up))).unwrap();
    let range = only_metric(&summary).interval.clone().unwrap();
    assert_eq!((range.unit, range.units), (Unit::Seed, 4));

    let one_seed: Vec<Record> = (0..5).map(|i| pass(i, 1, i as u32, i as f64)).collect();
    let summary = summarize(one_seed, options(Some(Direction::Up))).unwrap();
    let range = only_metric(&summary).interval.clone().unwrap();
    assert_eq!((range.unit, range.units), (Unit::Rollout, 5));
}

#[test]
fn shares_of_repeated_trials_stay_between_0_and_1() {
    let mut records = Vec::new();
    for seed in 0..10 {
        for rollout in 0..2 {
            let mut one = record(records.len() as u64, "train", "control", seed);
            one.trial.rollout = rollout;
            // One of twenty fails: t has 0.95 ± 0.11.
            let pass = f64::from(u8::from((seed, rollout) != (3, 1)));
            records.push(measured(one, &[("score", pass)]));
        }
    }
    let summary = summarize(records, options(Some(Direction::Up))).unwrap();
    let range = only_metric(&summary).interval.as_ref().unwrap();
    assert!(
        range.interval.high < 1.0 && range.interval.low < 0.80,
        "{range:?}"
    );
    assert_eq!((range.unit, range.units), (Unit::Seed, 10));
    assert_eq!(
        range.method,
        "Wilson, effective number of outcomes, seeds as units"
    );
}

#[test]
fn one_value_and_equal_values_have_no_interval_and_say_why() {
    let values = |values: &[f64]| -> Vec<Record> {
        let numbered = values.iter().zip(0..);
        numbered
            .map(|(value, i)| measured(record(i, "train", "", i), &[("score", *value)]))
            .collect()
    };
    let one = summarize(values(&[2.0]), options(None)).unwrap();
    assert_eq!(
        only_metric(&one).no_interval.as_deref(),
        Some("one value has no spread")
    );
    assert_eq!(only_metric(&one).numbers.unwrap().sd, None);
    let same = summarize(values(&[2.0, 2.0, 2.0]), options(None)).unwrap();
    assert_eq!(
        only_metric(&same).no_interval.as_deref(),
        Some("the values do not vary")
    );
}

#[test]
fn cells_stand_in_the_order_of_the_spec_and_of_the_values() {
    let cell = |index: u64, task: &str, arm: &str, lr: f64| {
        let mut record = record(index, task, arm, 1);
        record.trial.point.set("lr", lr.into());
        record
    };
    let records = vec![
        cell(0, "eval", "candidate", 10.0),
        cell(1, "train", "candidate", 10.0),
        cell(2, "train", "control", 10.0),
        cell(3, "train", "control", 9.0),
    ];
    let options = SummaryOptions {
        tasks: vec!["train".into(), "eval".into()],
        ..options(None)
    };
    let summary = summarize(records, options).unwrap();
    let order: Vec<String> = summary
        .cells
        .iter()
        .map(|cell| cell.trials.to_string())
        .collect();
    assert_eq!(order, ["3", "2", "1", "0"]);
}

#[test]
fn a_metric_of_another_task_is_not_missing_here() {
    let records = vec![
        measured(record(0, "train", "", 1), &[("loss", 1.0)]),
        measured(record(1, "eval", "", 1), &[("score", 2.0)]),
    ];
    let summary = summarize(records, options(None)).unwrap();
    for cell in &summary.cells {
        assert_eq!(cell.metrics.len(), 1, "{}", cell.task);
        assert_eq!(cell.metrics[0].missing.total(), 0);
    }
    let names: Vec<&str> = summary
        .metrics
        .iter()
        .map(|metric| metric.name.as_str())
        .collect();
    assert_eq!(names, ["score", "loss"]);
}

#[test]
fn a_run_on_disk_gives_the_summary_of_its_records() {
    let dir = tempfile::tempdir().unwrap();
    let root = DataRoot::at(dir.path().join("data"));
    let declared = [metric("score", Some(Direction::Up))];
    let numbered = mixed().into_iter().zip(0..);
    let records: Vec<Record> = numbered
        .map(|(mut record, index)| {
            record.trial.index = index;
            record
        })
        .collect();
    let run = write_run(&root, "bench", records.clone());
    let from_disk = summarize_run(&run, &spec(&declared)).unwrap();
    let from_memory = summarize(records, options(Some(Direction::Up))).unwrap();
    assert_eq!(from_disk.cells, from_memory.cells);
    assert_eq!(from_disk.planned, Some(14));
    assert_eq!(from_disk.run.unwrap().name, "bench");
    assert!(from_disk.problems.is_empty());
}

#[test]
fn the_json_form_is_as_documented() {
    let summary = summarize(mixed(), options(Some(Direction::Up))).unwrap();
    let json = serde_json::to_value(&summary).unwrap();
    assert_eq!(json["schema"], 1);
    assert_eq!(json["cells"][0]["trials"], "1:15");
    assert_eq!(json["cells"][0]["outcomes"]["infra"], 1);
    assert_eq!(json["cells"][0]["metrics"][0]["missing"]["nan"], 1);
    assert_eq!(json["cells"][0]["metrics"][0]["worst_case"]["kind"], "mean");
    assert_eq!(json["cells"][0]["metrics"][0]["interval"]["unit"], "seed");
    assert_eq!(json["metrics"][0]["direction"], "up");
}

#[test]
fn an_alpha_that_is_no_chance_is_refused() {
    let options = SummaryOptions {
        alpha: 1.0,
        ..options(None)
    };
    let message = summarize(Vec::<Record>::new(), options)
        .unwrap_err()
        .to_string();
    assert_eq!(
        message,
        "alpha = 1: a chance between 0 and 1, both excluded"
    );
}

#[test]
fn a_declared_metric_that_nobody_reports_is_shown_as_missing() {
    let records: Vec<Record> = (0..4)
        .map(|index| measured(record(index, "train", "control", index), &[("other", 1.0)]))
        .collect();
    let summary = summarize(records, options(Some(Direction::Up))).unwrap();
    let cell = &summary.cells[0].metrics[0];
    assert_eq!((cell.metric.as_str(), cell.n), ("score", 0));
    assert_eq!(cell.missing.absent, 4);
    assert!(cell.numbers.is_none());
}

#[test]
fn times_that_are_all_zero_are_no_failures() {
    let records: Vec<Record> = (0..4)
        .map(|index| {
            measured(
                record(index, "train", "control", index),
                &[("duration_s", 0.0)],
            )
        })
        .collect();
    let summary = summarize(records, SummaryOptions::default()).unwrap();
    assert!(!summary.metrics[0].binary);
}

/// The last step of a trial that did not reach its threshold is a bound, not a number of steps.
#[test]
fn a_threshold_that_was_not_reached_is_no_value() {
    let reached = |index: u64, steps: f64, not_reached: bool| {
        let mut one = measured(
            record(index, "train", "control", index),
            &[("score", steps)],
        );
        let series = fairtrial_model::SeriesInfo {
            sha256: None,
            step: None,
            file: "metrics.jsonl".into(),
            points: 10,
            first_step: fairtrial_model::Number(0.0),
            last_step: fairtrial_model::Number(1_000.0),
            summary: "time_to 0.9".into(),
            not_reached,
        };
        one.series.insert("score".into(), series);
        one
    };
    let records = [
        reached(0, 100.0, false),
        reached(1, 200.0, false),
        reached(2, 1_000.0, true),
    ];
    let summary = summarize(records, options(Some(Direction::Down))).unwrap();
    let metric = only_metric(&summary);
    assert_eq!((metric.n, metric.numbers.unwrap().mean), (2, 150.0));
    assert_eq!(metric.missing.total(), 1);
}
