//! Comparisons: which method, which word, what is said about the rest.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{ended, measured, metric, record};
use fairtrial_analysis::compare::{
    Contrast, DataKind, Flag, Inputs, Method, MetricComparison, Pairing, Scale, TaskRole, UnitKind,
    Word, choose,
};
use fairtrial_analysis::dataset::{Fact, FactKind, Origin};
use fairtrial_analysis::{
    AnalysisError, CompareOptions, Comparison, Dataset, Observation, compare,
};
use fairtrial_model::{Direction, Margin, Outcome, Record};

const UP: Option<Direction> = Some(Direction::Up);
const DOWN: Option<Direction> = Some(Direction::Down);

/// A source with one declared metric, `score`.
fn dataset(direction: Option<Direction>, margin: Option<Margin>, records: &[Record]) -> Dataset {
    let mut data = Dataset::new("bench", Origin::Records);
    let mut declared = metric("score", direction);
    declared.margin = margin;
    data.declared = vec![declared];
    data.arm_order = vec!["control".into(), "candidate".into()];
    for record in records {
        data.push(&Observation::from(record));
    }
    data
}

/// One trial per seed and arm: `pairs` are (control, candidate).
fn paired(pairs: &[(f64, f64)]) -> Vec<Record> {
    let one = |index: usize, arm: &str, seed: usize, value: f64| {
        measured(
            record(index as u64, "train", arm, 100 + seed as u64),
            &[("score", value)],
        )
    };
    let numbered = pairs.iter().enumerate();
    numbered
        .flat_map(|(i, (a, b))| {
            [
                one(2 * i, "control", i, *a),
                one(2 * i + 1, "candidate", i, *b),
            ]
        })
        .collect()
}

fn run(data: &Dataset, options: &CompareOptions) -> Comparison {
    compare(Inputs::Arms(data), options).unwrap()
}

fn only_contrast(comparison: &Comparison) -> &Contrast {
    assert_eq!(comparison.contrasts.len(), 1);
    &comparison.contrasts[0]
}

fn judged(
    direction: Option<Direction>,
    margin: Option<Margin>,
    records: &[Record],
) -> MetricComparison {
    let comparison = run(
        &dataset(direction, margin, records),
        &CompareOptions::default(),
    );
    only_contrast(&comparison).metrics[0].clone()
}

const GAIN: [(f64, f64); 8] = [
    (1.0, 2.1),
    (2.0, 2.9),
    (3.0, 4.2),
    (4.0, 4.9),
    (5.0, 6.1),
    (6.0, 7.0),
    (7.0, 7.8),
    (8.0, 9.0),
];

#[test]
fn shared_seeds_are_pairs() {
    let found = judged(UP, None, &paired(&GAIN));
    assert_eq!(found.verdict.word, Word::Improved);
    assert_eq!(
        (found.count.unit, found.count.paired, found.count.control),
        (UnitKind::Seed, true, 8)
    );
    let effect = found.effect.unwrap();
    // Mean 1, sd 0.130931, t(7) at 97.5 % is 2.364624.
    assert!((effect.absolute.value - 1.0).abs() < 1e-12);
    assert!(
        (effect.absolute.low - 0.890_539_166_973).abs() < 1e-11,
        "{effect:?}"
    );
    assert!((effect.relative.unwrap().value - 1.0 / 4.5).abs() < 1e-12);
    assert_eq!(effect.df, Some(7.0));
    assert!(found.beside.correlation.unwrap() > 0.99);
    assert!(found.beside.variance_ratio.unwrap() < 0.01);
    // All eight signs agree: 2 / 2^8.
    assert!((found.beside.sign_flip.unwrap().p - 2.0 / 256.0).abs() < 1e-12);
    assert!(
        found.method.starts_with("paired t, 8 pairs by seed"),
        "{}",
        found.method
    );
    assert_eq!(found.control_trials.to_string(), "0,2,4,6,8,10,12,14");
    assert!(found.verdict.flags.is_empty(), "{:?}", found.verdict.flags);
    assert!(found.beside.detectable.unwrap().absolute > 0.0);
}

#[test]
fn lower_is_better_turns_the_word_round() {
    assert_eq!(
        judged(DOWN, None, &paired(&GAIN)).verdict.word,
        Word::Regressed
    );
    let found = judged(None, None, &paired(&GAIN));
    assert_eq!(found.verdict.word, Word::Inconclusive);
    assert!(found.verdict.flags.contains(&Flag::NoDirection));
    assert!(
        found.verdict.reason.contains("not declared"),
        "{}",
        found.verdict.reason
    );
}

#[test]
fn the_margin_makes_small_differences_equivalent() {
    let found = judged(UP, Some(Margin::Absolute(2.0)), &paired(&GAIN));
    assert_eq!(found.verdict.word, Word::Equivalent);
    assert!(found.verdict.reason.starts_with("there is a difference"));
    // 50 % of the control's mean of 4.5.
    let found = judged(UP, Some(Margin::Relative(0.5)), &paired(&GAIN));
    assert_eq!(found.effect.unwrap().margin, Some(2.25));
    let found = judged(UP, Some(Margin::Absolute(0.5)), &paired(&GAIN));
    assert_eq!(
        (found.verdict.word, found.effect.unwrap().clears_margin),
        (Word::Improved, Some(true))
    );
}

#[test]
fn an_open_question_says_how_many_more_would_settle_it() {
    let noisy: Vec<(f64, f64)> = [0.9, -0.5, 0.8, -0.3, 0.7, -0.6, 0.5, 0.2, -0.1, 0.4]
        .iter()
        .map(|difference| (5.0, 5.0 + difference))
        .collect();
    let found = judged(UP, None, &paired(&noisy));
    assert_eq!(found.verdict.word, Word::Inconclusive);
    let more = found.verdict.more.unwrap();
    // d = 0.2 / 0.5477 = 0.365: 61 pairs for 80 % power, 10 are there.
    assert_eq!((more.total, more.units), (61, 51), "{more:?}");
    assert_eq!(more.unit, "pairs of seeds");
}

#[test]
fn equal_values_are_identical_and_one_pair_is_insufficient() {
    assert_eq!(
        judged(UP, None, &paired(&[(1.0, 1.0), (2.0, 2.0)]))
            .verdict
            .word,
        Word::Identical
    );
    let constant = judged(UP, None, &paired(&[(1.0, 2.0), (2.0, 3.0), (3.0, 4.0)]));
    assert_eq!(constant.verdict.word, Word::Insufficient);
    assert!(
        constant.verdict.reason.contains("deterministic"),
        "{}",
        constant.verdict.reason
    );
    let one = judged(UP, None, &paired(&[(1.0, 2.0)]));
    assert_eq!(one.verdict.word, Word::Insufficient);
    assert!(
        one.effect.is_none(),
        "never a bare percentage from one sample"
    );
    assert!(
        judged(UP, None, &paired(&[(1.0, 2.0), (2.0, 3.5)]))
            .verdict
            .flags
            .contains(&Flag::TwoUnits)
    );
}

#[test]
fn a_broken_pair_is_dropped_by_name() {
    let mut records = paired(&GAIN);
    records[3] = ended(records[3].clone(), Outcome::Failed);
    records[3].metrics.clear();
    let found = judged(UP, None, &records);
    assert_eq!(found.count.control, 7);
    assert_eq!(found.dropped.len(), 1);
    assert_eq!(
        (
            found.dropped[0].unit.as_str(),
            found.dropped[0].why.as_str()
        ),
        ("seed 101", "candidate: failed")
    );
}

#[test]
fn failures_that_could_have_changed_the_verdict_make_it_inconclusive() {
    let mut records = paired(&GAIN);
    // The candidate fails where the control did best: counted as the worst value, the gain is gone.
    records[15] = ended(records[15].clone(), Outcome::Timeout);
    records[15].metrics.clear();
    let found = judged(UP, None, &records);
    assert_eq!(found.verdict.word, Word::Inconclusive);
    assert!(
        found.verdict.reason.starts_with("missing data"),
        "{}",
        found.verdict.reason
    );
    // The machine's fault is not the arm's.
    records[15].outcome = Outcome::Infra;
    assert_eq!(judged(UP, None, &records).verdict.word, Word::Improved);
}

#[test]
fn too_many_broken_pairs_are_insufficient() {
    let mut records = paired(&GAIN);
    for place in [1, 3] {
        records[place].outcome = Outcome::Infra;
        records[place].metrics.clear();
    }
    let found = judged(UP, None, &records);
    assert_eq!(found.verdict.word, Word::Insufficient);
    assert!(
        found.verdict.reason.starts_with("25 %"),
        "{}",
        found.verdict.reason
    );
}

#[test]
fn failures_are_compared_as_such() {
    let mut records = paired(&GAIN);
    for place in [1, 3, 5] {
        records[place] = ended(records[place].clone(), Outcome::Failed);
    }
    let comparison = run(&dataset(UP, None, &records), &CompareOptions::default());
    let failures = &only_contrast(&comparison).failures;
    assert_eq!(
        (
            failures.control.failed,
            failures.candidate.failed,
            failures.candidate.trials
        ),
        (0, 3, 8)
    );
    // Exact McNemar with 3 against 0: 2 / 2^3.
    assert!((failures.p.unwrap() - 0.25).abs() < 1e-12);
    assert_eq!(failures.method, Some("McNemar (exact)"));
}

#[test]
fn no_shared_seed_means_two_groups() {
    let mut records = paired(&GAIN);
    for record in records
        .iter_mut()
        .filter(|record| record.trial.arm.as_deref() == Some("candidate"))
    {
        record.trial.seed += 1000;
    }
    let found = judged(UP, None, &records);
    assert!(!found.count.paired);
    assert!(
        found.method.starts_with("Welch t, 8 against 8 seeds"),
        "{}",
        found.method
    );
    assert!(found.verdict.flags.contains(&Flag::NoSharedUnits));
    assert!(found.beside.superiority.unwrap() > 0.5);
}

#[test]
fn overrides_are_obeyed() {
    let data = dataset(UP, None, &paired(&GAIN));
    let with = |options: CompareOptions| only_contrast(&run(&data, &options)).metrics[0].clone();
    let default = CompareOptions::default;
    let unpaired = with(CompareOptions {
        pairing: Pairing::Unpaired,
        ..default()
    });
    assert!(
        unpaired.method.starts_with("Welch t"),
        "{}",
        unpaired.method
    );
    let ratio = with(CompareOptions {
        method: Method::LogRatio,
        ..default()
    });
    assert_eq!(ratio.effect.unwrap().scale, Scale::Ratio);
    for method in [Method::Rank, Method::Percentile, Method::Bca] {
        let found = with(CompareOptions {
            method,
            ..default()
        });
        assert_eq!(found.verdict.word, Word::Improved, "{method:?}");
        assert!(!found.method.starts_with("paired t"), "{}", found.method);
    }
    assert_eq!(
        with(CompareOptions {
            direction: DOWN,
            ..default()
        })
        .verdict
        .word,
        Word::Regressed
    );
    let margin = Some(Margin::Absolute(3.0));
    assert_eq!(
        with(CompareOptions {
            margin,
            ..default()
        })
        .verdict
        .word,
        Word::Equivalent
    );
    let wide = with(CompareOptions {
        alpha: 0.001,
        ..default()
    })
    .effect
    .unwrap();
    assert!(wide.absolute.low < with(default()).effect.unwrap().absolute.low);
    let swapped = with(CompareOptions {
        control: Some("candidate".into()),
        ..default()
    });
    assert_eq!(swapped.verdict.word, Word::Regressed);
}

#[test]
fn wrong_names_are_refused_with_the_right_ones() {
    let data = dataset(UP, None, &paired(&GAIN));
    let message = |options: CompareOptions| {
        compare(Inputs::Arms(&data), &options)
            .unwrap_err()
            .to_string()
    };
    let options = CompareOptions {
        control: Some("ctrl".into()),
        ..CompareOptions::default()
    };
    assert_eq!(
        message(options),
        "bench has no arm `ctrl`; it has the arms `control`, `candidate`"
    );
    let options = CompareOptions {
        metrics: vec!["speed".into()],
        ..CompareOptions::default()
    };
    assert_eq!(
        message(options),
        "no trial reports the metric `speed`; there are score"
    );
    let options = CompareOptions {
        alpha: 0.0,
        ..CompareOptions::default()
    };
    assert!(message(options).starts_with("alpha = 0"));
}

/// `passes` are (task, control passes, candidate passes), one rollout each.
fn solved(passes: &[(bool, bool)]) -> Vec<Record> {
    let one = |index: usize, task: usize, arm: &str, pass: bool| {
        let record = record(index as u64, &format!("task{task}"), arm, 1);
        measured(record, &[("score", f64::from(u8::from(pass)))])
    };
    let numbered = passes.iter().enumerate();
    numbered
        .flat_map(|(i, (a, b))| {
            [
                one(2 * i, i, "control", *a),
                one(2 * i + 1, i, "candidate", *b),
            ]
        })
        .collect()
}

#[test]
fn one_rollout_per_task_goes_by_mcnemar_and_tango() {
    let passes: Vec<(bool, bool)> = (0..20).map(|i| (i < 6, i < 15)).collect();
    let found = judged(UP, None, &solved(&passes));
    assert_eq!(
        (found.kind, found.count.unit),
        (DataKind::Binary, UnitKind::Task)
    );
    assert!(
        found
            .method
            .starts_with("Tango score interval, McNemar (mid-p)"),
        "{}",
        found.method
    );
    assert_eq!(found.verdict.word, Word::Improved);
    let effect = found.effect.unwrap();
    assert!((effect.absolute.value - 0.45).abs() < 1e-12);
}

#[test]
fn rollouts_are_averaged_within_their_task() {
    let mut records = Vec::new();
    for task in 0..10_u64 {
        for rollout in 0..4_u32 {
            for (arm, lift) in [("control", 0), ("candidate", 2)] {
                let pass = (task + u64::from(rollout) * 3 + lift) % 5 > 1;
                let index = records.len() as u64;
                let mut one = record(index, &format!("task{task}"), arm, 1);
                one.trial.rollout = rollout;
                records.push(measured(one, &[("score", f64::from(u8::from(pass)))]));
            }
        }
    }
    let found = judged(UP, None, &records);
    assert_eq!(
        (found.count.unit, found.count.control, found.count.paired),
        (UnitKind::Task, 10, true)
    );
    assert!(
        found.method.starts_with("paired t, 10 pairs by task"),
        "{}",
        found.method
    );
}

#[test]
fn fixed_tasks_are_strata_and_random_tasks_are_units() {
    let mut records = Vec::new();
    for task in 0..4_u64 {
        for seed in 0..5_u64 {
            for (arm, lift) in [("control", 0.0), ("candidate", 1.0)] {
                let noise = ((task * 31 + seed * 17) % 7) as f64 * 0.1
                    + if lift > 0.0 { seed as f64 * 0.05 } else { 0.0 };
                let one = record(records.len() as u64, &format!("task{task}"), arm, seed);
                records.push(measured(
                    one,
                    &[("score", task as f64 * 10.0 + noise + lift)],
                ));
            }
        }
    }
    let data = dataset(UP, None, &records);
    let comparison = run(&data, &CompareOptions::default());
    let fixed = &only_contrast(&comparison).metrics[0];
    assert!(
        fixed.method.starts_with("stratified t over 4 tasks"),
        "{}",
        fixed.method
    );
    assert_eq!((fixed.count.control, fixed.count.tasks), (20, 4));
    assert_eq!(fixed.verdict.word, Word::Improved);
    let tasks = &only_contrast(&comparison).tasks;
    assert_eq!(tasks.len(), 4);
    assert!(
        tasks
            .iter()
            .all(|line| line.verdict == Word::Improved && line.count.control == 5)
    );
    let random = run(
        &data,
        &CompareOptions {
            tasks: TaskRole::Random,
            ..CompareOptions::default()
        },
    );
    assert_eq!(only_contrast(&random).metrics[0].count.unit, UnitKind::Task);
}

#[test]
fn timings_are_ratios_against_a_threshold() {
    let pairs: Vec<(f64, f64)> = (0..12)
        .map(|i| {
            let base = 1.0 + f64::from(i) * 0.3;
            (base, base * (1.10 + 0.01 * f64::from(i % 3)))
        })
        .collect();
    let mut data = dataset(DOWN, None, &paired(&pairs));
    data.declared[0].unit = Some("s".into());
    let comparison = run(&data, &CompareOptions::default());
    let found = &only_contrast(&comparison).metrics[0];
    assert_eq!(
        (found.kind, found.verdict.word),
        (DataKind::Timing, Word::Regressed)
    );
    let effect = found.effect.clone().unwrap();
    assert_eq!(effect.scale, Scale::Ratio);
    let relative = effect.relative.unwrap();
    assert!((relative.value - 0.11).abs() < 0.001, "{relative:?}");
    assert!(relative.low > 0.01);
    // Half a percent is inside the default threshold of one percent.
    let pairs: Vec<(f64, f64)> = pairs
        .iter()
        .zip([1.004, 1.005, 1.006].iter().cycle())
        .map(|((a, _), r)| (*a, a * r))
        .collect();
    let mut data = dataset(DOWN, None, &paired(&pairs));
    data.declared[0].unit = Some("s".into());
    let comparison = run(&data, &CompareOptions::default());
    assert_eq!(
        only_contrast(&comparison).metrics[0].verdict.word,
        Word::Equivalent
    );
}

#[test]
fn a_timing_between_two_machines_is_not_judged() {
    let pairs: Vec<(f64, f64)> = (0..12)
        .map(|i| (1.0 + f64::from(i % 4) * 0.01, 1.3 + f64::from(i % 5) * 0.01))
        .collect();
    let records = paired(&pairs);
    let side = |arm: &str, host: &str| {
        let mut mine: Vec<Record> = records
            .iter()
            .filter(|record| record.trial.arm.as_deref() == Some(arm))
            .cloned()
            .collect();
        for record in &mut mine {
            record.trial.arm = None;
        }
        let mut data = dataset(DOWN, None, &mine);
        data.declared[0].unit = Some("s".into());
        data.label = arm.to_owned();
        data.facts = vec![
            Fact {
                kind: FactKind::Machine,
                name: "host".into(),
                value: host.into(),
            },
            Fact {
                kind: FactKind::Parameters,
                name: "lr".into(),
                value: "0.1".into(),
            },
        ];
        data
    };
    let (control, candidate) = (side("control", "box"), side("candidate", "other"));
    let comparison = compare(
        Inputs::Two(&control, &candidate),
        &CompareOptions::default(),
    )
    .unwrap();
    assert_eq!(comparison.mismatches.len(), 1);
    assert_eq!(comparison.mismatches[0].candidate.as_deref(), Some("other"));
    let found = &only_contrast(&comparison).metrics[0];
    assert_eq!(found.verdict.word, Word::Insufficient);
    assert!(
        found.verdict.reason.contains("different machines"),
        "{}",
        found.verdict.reason
    );
    let accept = CompareOptions {
        accept: vec![FactKind::Machine],
        ..CompareOptions::default()
    };
    let comparison = compare(Inputs::Two(&control, &candidate), &accept).unwrap();
    assert_eq!(
        only_contrast(&comparison).metrics[0].verdict.word,
        Word::Regressed
    );
    assert!(
        only_contrast(&comparison).metrics[0].count.paired,
        "two runs share their seeds"
    );
}

#[test]
fn one_unit_that_carries_the_verdict_is_named() {
    let differences = [
        0.82, 0.02, 0.72, -0.28, 0.62, -0.03, 0.52, -0.18, 0.42, 0.22,
    ];
    let pairs: Vec<(f64, f64)> = differences
        .iter()
        .map(|difference| (1.0, 1.0 + difference))
        .collect();
    let found = judged(UP, None, &paired(&pairs));
    assert_eq!(found.verdict.word, Word::Improved, "{found:?}");
    let fragile = found.verdict.flags.iter().find_map(|flag| match flag {
        Flag::Fragile { flip } => Some(flip.clone()),
        _ => None,
    });
    assert_eq!(fragile.unwrap().becomes, Word::Inconclusive);
    let range = found.beside.leave_one_out.unwrap();
    assert_eq!(range.checked, 10);
    assert!(range.low < range.high);
}

#[test]
fn more_than_two_arms_share_the_error_rate_and_are_ranked() {
    let mut records = Vec::new();
    for seed in 0..10_u64 {
        for (place, arm, lift) in [
            (0, "control", 0.0),
            (1, "a", 1.0),
            (2, "b", 0.05),
            (3, "c", 0.98),
        ] {
            let noise = ((seed * 7 + place * 3 + seed * place * 5) % 10) as f64 * 0.05;
            let one = record(records.len() as u64, "train", arm, seed);
            records.push(measured(one, &[("score", noise + lift)]));
        }
    }
    let comparison = run(&dataset(UP, None, &records), &CompareOptions::default());
    assert_eq!(comparison.contrasts.len(), 3);
    for contrast in &comparison.contrasts {
        let family = contrast.metrics[0].family;
        assert_eq!((family.method, family.size), ("Holm", 3));
        let p = contrast.metrics[0].effect.as_ref().unwrap().p.unwrap();
        assert!(family.adjusted_p.unwrap() >= p);
    }
    let ranking = &comparison.rankings[0];
    assert_eq!(ranking.arms.len(), 4);
    assert!(["a", "c"].contains(&ranking.arms[0].arm.as_str()));
    let chances: f64 = ranking.arms.iter().filter_map(|arm| arm.chance_best).sum();
    assert!((chances - 1.0).abs() < 1e-9);
    let separable: Vec<&str> = ranking
        .arms
        .iter()
        .filter(|arm| !arm.not_separable)
        .map(|arm| arm.arm.as_str())
        .collect();
    assert_eq!(separable, ["b", "control"]);
}

#[test]
fn sweep_points_are_compared_each_on_its_own() {
    let mut records = paired(&GAIN);
    for (place, record) in records.iter_mut().enumerate() {
        record
            .trial
            .point
            .set("lr", if place < 8 { 0.1 } else { 0.2 }.into());
    }
    let comparison = run(&dataset(UP, None, &records), &CompareOptions::default());
    let points: Vec<String> = comparison
        .contrasts
        .iter()
        .map(|contrast| contrast.point.to_string())
        .collect();
    assert_eq!(points, ["lr=0.1", "lr=0.2"]);
    assert_eq!(comparison.contrasts[0].metrics[0].family.size, 2);
}

#[test]
fn result_files_give_the_numbers_of_the_original_and_say_what_they_rest_on() {
    let a = Dataset::from_result_json(
        "result_A.json",
        include_str!("goldens/agentfarm/result_A.json"),
    )
    .unwrap();
    let b = Dataset::from_result_json(
        "result_B.json",
        include_str!("goldens/agentfarm/result_B.json"),
    )
    .unwrap();
    let comparison = compare(Inputs::Two(&a, &b), &CompareOptions::default()).unwrap();
    let contrast = only_contrast(&comparison);
    let durations = &contrast.metrics[0];
    assert_eq!(
        (durations.metric.as_str(), durations.count.unit),
        ("duration_s", UnitKind::Iteration)
    );
    // The original's report: mean A=0.192000, B=0.140000.
    let golden = include_str!("goldens/agentfarm/compare_A_B.md");
    let (control, candidate) = (
        durations.control.unwrap().mean,
        durations.candidate.unwrap().mean,
    );
    assert!(
        golden.contains(&format!("mean: A={control:.6}, B={candidate:.6}")),
        "{control} {candidate}"
    );
    assert!(durations.verdict.flags.contains(&Flag::OneProcess));
    assert_eq!(durations.verdict.word, Word::Inconclusive);
    let throughput = contrast
        .metrics
        .iter()
        .find(|metric| metric.metric == "operations_per_second")
        .unwrap();
    assert_eq!(throughput.direction, UP);
}

#[test]
fn a_file_that_is_no_result_file_is_refused() {
    let error = Dataset::from_result_json("x.json", "{\"name\": 1}").unwrap_err();
    assert!(matches!(error, AnalysisError::Content { .. }));
    assert!(
        error.to_string().starts_with("x.json: not a result file"),
        "{error}"
    );
}

#[test]
fn tables_are_paired_by_their_names_and_seeds() {
    let table = |lift: f64| {
        let mut text = "experiment,seed,percent_correct,match_steps\n".to_owned();
        for (place, name) in ["base_10", "noise", "pose"].iter().enumerate() {
            for seed in 1..=4_i32 {
                let value = 80.0
                    + place as f64
                    + f64::from(seed * seed % 3)
                    + lift * (1.0 + 0.1 * f64::from(seed));
                text.push_str(
                    &[
                        name.to_string(),
                        seed.to_string(),
                        format!("{value}%"),
                        "31".to_owned(),
                    ]
                    .join(","),
                );
                text.push('\n');
            }
        }
        Dataset::from_csv("table.csv", &text).unwrap()
    };
    let (a, b) = (table(0.0), table(2.0));
    let options = CompareOptions {
        direction: UP,
        metrics: vec!["percent_correct".into()],
        ..CompareOptions::default()
    };
    let comparison = compare(Inputs::Two(&a, &b), &options).unwrap();
    let found = &only_contrast(&comparison).metrics[0];
    assert_eq!(found.verdict.word, Word::Improved);
    assert_eq!((found.count.paired, found.count.tasks), (true, 3));
    assert_eq!(only_contrast(&comparison).tasks.len(), 3);
    let options = CompareOptions {
        metrics: vec!["match_steps".into()],
        ..options
    };
    let comparison = compare(Inputs::Two(&a, &b), &options).unwrap();
    assert_eq!(
        only_contrast(&comparison).metrics[0].verdict.word,
        Word::Identical
    );
}

#[test]
fn bad_tables_are_refused_with_their_row() {
    let message = |text: &str| Dataset::from_csv("t.csv", text).unwrap_err().to_string();
    assert_eq!(
        message("task,score\na,x\n"),
        "t.csv: no column holds numbers"
    );
    assert_eq!(
        message("task,seed,score\na,one,1\n"),
        "t.csv: row 2: `one` is not a seed"
    );
    let twice = "task,seed,rollout,score\na,1,0,1\na,1,0,2\n";
    assert_eq!(
        message(twice),
        "t.csv: row 3: this task, arm, seed and rollout stands in the table twice"
    );
}

#[test]
fn rows_of_a_table_without_seeds_are_repetitions() {
    let table = |values: &[f64]| {
        let rows: Vec<String> = values
            .iter()
            .map(|value| format!("speed,{value}"))
            .collect();
        Dataset::from_csv("t.csv", &format!("task,score\n{}\n", rows.join("\n"))).unwrap()
    };
    let (a, b) = (
        table(&[1.0, 1.1, 0.9, 1.05, 0.95]),
        table(&[2.0, 2.1, 1.9, 2.05]),
    );
    let options = CompareOptions {
        direction: UP,
        ..CompareOptions::default()
    };
    let comparison = compare(Inputs::Two(&a, &b), &options).unwrap();
    let found = &only_contrast(&comparison).metrics[0];
    assert_eq!(
        (found.count.unit, found.count.paired),
        (UnitKind::Rollout, false)
    );
    assert_eq!((found.count.control, found.count.candidate), (5, 4));
    assert_eq!(found.verdict.word, Word::Improved);
}

#[test]
fn a_sweep_ends_in_a_choice_that_knows_it_was_picked() {
    let mut records = Vec::new();
    for seed in 0..8_u64 {
        for (arm, gain) in [("control", 0.0), ("candidate", 1.0)] {
            for (place, lr) in [(0_u64, 0.1), (1, 0.2), (2, 0.4)] {
                let mixed = seed * 7 + place * 3 + (1 + gain as u64) * seed * seed * 3;
                let noise = (mixed % 10) as f64 * 0.05;
                let mut one = record(records.len() as u64, "train", arm, 1072 + seed * 971);
                one.trial.point.set("lr", lr.into());
                let value = 1.0 + gain * place as f64 + noise;
                records.push(measured(one, &[("score", value)]));
            }
        }
    }
    let mut data = dataset(UP, None, &records);
    data.control = Some("control".into());
    let choice = choose(&data, &CompareOptions::default(), 3).unwrap();
    assert_eq!(choice.contestants, 3);
    assert_eq!(choice.points[0].point.to_string(), "lr=0.4");
    assert!(!choice.points[1].not_separable);
    let chances: f64 = choice
        .points
        .iter()
        .filter_map(|point| point.chance_best)
        .sum();
    assert!((chances - 1.0).abs() < 1e-9);
    let against = choice.against_control.unwrap();
    assert_eq!(against.verdict.word, Word::Improved);
    assert!((against.effect.unwrap().alpha - 0.05 / 3.0).abs() < 1e-15);
    // Fresh seeds only: 1072, 2043 and 3014 were used.
    assert_eq!(choice.confirm.seeds, [4085, 5156, 6227]);
    assert_eq!(choice.confirm.only, "arm=control|candidate, lr=0.4");
    assert_eq!(choice.confirm.set, "seeds=[4085, 5156, 6227]");
}

#[test]
fn points_of_different_tasks_are_not_ranked_together() {
    let mut records = Vec::new();
    for seed in 0..4_u64 {
        for (task, name, values) in [("train", "lr", [0.1, 0.2]), ("serve", "batch", [8.0, 16.0])] {
            for value in values {
                let mut one = record(records.len() as u64, task, "only", 1072 + seed * 971);
                one.trial.arm = None;
                one.trial.point.set(name, value.into());
                records.push(measured(one, &[("score", value + seed as f64 * 0.01)]));
            }
        }
    }
    let data = dataset(UP, None, &records);
    let error = choose(&data, &CompareOptions::default(), 3).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("not tried on the same tasks (train; serve)"),
        "{error}"
    );
    let train = data.of_task("train").unwrap();
    let choice = choose(&train, &CompareOptions::default(), 3).unwrap();
    assert_eq!(choice.points[0].point.to_string(), "lr=0.2");
    assert_eq!(choice.contestants, 2);
    let unknown = data.of_task("trian").unwrap_err().to_string();
    assert!(unknown.contains("there are train, serve"), "{unknown}");
}

#[test]
fn nothing_swept_is_nothing_to_choose() {
    let error = choose(
        &dataset(UP, None, &paired(&GAIN)),
        &CompareOptions {
            control: Some("control".into()),
            ..CompareOptions::default()
        },
        3,
    );
    assert!(error.unwrap_err().to_string().contains("sweeps nothing"));
}

#[test]
fn arms_that_differ_in_what_they_must_share_are_flagged() {
    let with = |params: f64| {
        let mut records = paired(&GAIN);
        for record in &mut records {
            let own = if record.trial.arm.as_deref() == Some("candidate") {
                params
            } else {
                1_000_000.0
            };
            record
                .metrics
                .insert("model_params".into(), fairtrial_model::Number(own));
        }
        let mut data = dataset(UP, None, &records);
        let curriculum = |word: &str| {
            [("curriculum".to_owned(), word.into())]
                .into_iter()
                .collect()
        };
        data.arm_params = vec![
            ("control".into(), curriculum("terrain")),
            ("candidate".into(), curriculum("terrain")),
        ];
        let options = CompareOptions {
            equal: vec![
                "model_params=1%".parse().unwrap(),
                "curriculum=exact".parse().unwrap(),
                "steps=exact".parse().unwrap(),
            ],
            ..CompareOptions::default()
        };
        only_contrast(&run(&data, &options)).clone()
    };
    let near = with(1_009_000.0);
    let equal: Vec<Option<bool>> = near.fairness.iter().map(|found| found.equal).collect();
    assert_eq!(equal, [Some(true), Some(true), None]);
    let far = with(1_011_000.0);
    assert_eq!(far.fairness[0].equal, Some(false));
    let keys = vec!["model_params".to_owned(), "steps (not known)".to_owned()];
    assert!(
        far.metrics[0]
            .verdict
            .flags
            .contains(&Flag::Unfair { keys })
    );
}

#[test]
fn what_trials_say_in_words_is_compared_too() {
    let mut records = paired(&GAIN);
    for record in &mut records {
        let candidate = record.trial.arm.as_deref() == Some("candidate");
        let word = if candidate && record.trial.seed > 103 {
            "arena-v3"
        } else {
            "arena-v2"
        };
        record.facts.insert("curriculum".into(), word.into());
        record.facts.insert("data".into(), "sha256:12".into());
    }
    let options = CompareOptions {
        equal: vec![
            "curriculum=exact".parse().unwrap(),
            "data=exact".parse().unwrap(),
        ],
        ..CompareOptions::default()
    };
    let found = run(&dataset(UP, None, &records), &options);
    let fairness = &only_contrast(&found).fairness;
    assert_eq!(fairness[0].equal, Some(false));
    assert_eq!(fairness[0].candidate.as_deref(), Some("arena-v2, arena-v3"));
    assert_eq!(fairness[1].equal, Some(true));
}
