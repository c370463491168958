//! Several tasks: units or strata, pass and fail.

use super::lab::{UP, dataset, held_back, judged, method, only_contrast, run};
use crate::common::{measured, record};
use fairtrial_analysis::CompareOptions;
use fairtrial_analysis::compare::{
    DataKind, Method, MethodNote, ObjectionKind, Reason, TaskRole, UnitKind, Word,
};
use fairtrial_analysis::validity::{Floor, HoldsFor};
use fairtrial_model::Record;

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
    assert_eq!(
        method(&found),
        "Tango score interval, McNemar (unconditional exact)"
    );
    assert_eq!(found.verdict.word, Word::Improved);
    let effect = found.effect.unwrap();
    assert!((effect.absolute.value - 0.45).abs() < 1e-12);
}

#[test]
fn an_interval_of_rates_alone_is_no_difference() {
    // Tango's interval leaves 0 outside, but four disagreements of ten are no rare thing.
    let passes: Vec<(bool, bool)> = (0..10).map(|i| (false, i < 4)).collect();
    let found = judged(UP, None, &solved(&passes));
    let effect = found.effect.unwrap();
    assert!(effect.absolute.low > 0.0 && effect.p.unwrap() > 0.05);
    assert_eq!(found.verdict.word, Word::Inconclusive);
    assert!(matches!(
        found.verdict.reason,
        Reason::TestDisagrees { p, needed } if (p - 0.053).abs() < 5e-4 && needed == 0.05
    ));
    // None of two against two of two: nothing varies within a side, and yet a few more would settle it.
    let found = judged(UP, None, &solved(&[(false, true); 2]));
    assert_eq!(found.verdict.word, Word::Inconclusive);
    assert!(found.verdict.advice.unwrap().fresh.is_none_or(|n| n < 20));
    // One more is enough.
    let passes: Vec<(bool, bool)> = (0..10).map(|i| (false, i < 5)).collect();
    let found = judged(UP, None, &solved(&passes));
    assert_eq!(found.verdict.word, Word::Improved);
}

#[test]
fn rates_that_do_not_differ_are_identical_and_one_outcome_is_insufficient() {
    for passes in [
        [(true, true); 10].to_vec(),
        vec![(true, true), (false, false)],
    ] {
        let found = judged(UP, None, &solved(&passes));
        assert_eq!(found.verdict.word, Word::Identical);
        // How much could have been missed is shown all the same.
        assert!(found.effect.unwrap().absolute.high > 0.2);
    }
    for passes in [[(false, true)].as_slice(), &[(true, false)]] {
        let found = judged(UP, None, &solved(passes));
        assert_eq!(found.verdict.word, Word::Insufficient);
        assert_eq!(held_back(&found.verdict), &ObjectionKind::OneValue);
        assert!(found.effect.is_none());
    }
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
    assert_eq!(method(&found), "sign-flip test (all patterns)");
}

#[test]
fn rollouts_of_agents_are_averaged_within_their_task_whatever_they_score() {
    // Two tasks, six rollouts of each; scores are parts of 1.
    let mut records = Vec::new();
    for task in ["count", "sum"] {
        for rollout in 0..6_u32 {
            for (arm, score) in [("control", 0.5), ("candidate", 0.9)] {
                let mut one = record(records.len() as u64, task, arm, 1);
                one.trial.rollout = rollout;
                let part = f64::from((rollout * 5) % 6) * 0.01;
                records.push(measured(one, &[("score", score + part)]));
            }
        }
    }
    let mut data = dataset(UP, None, &records);
    let found = |data: &fairtrial_analysis::Dataset, tasks: TaskRole| {
        let options = CompareOptions {
            tasks,
            ..CompareOptions::default()
        };
        let metric = only_contrast(&run(data, &options)).metrics[0].clone();
        (metric.count.unit, metric.count.control)
    };
    assert_eq!(found(&data, TaskRole::ByKind), (UnitKind::Rollout, 12));
    data.floor = Some(Floor {
        share: 0.95,
        rollouts: ["count".into(), "sum".into()].into(),
        holds_for: HoldsFor::Rollouts,
        can_resume: true,
    });
    assert_eq!(found(&data, TaskRole::ByKind), (UnitKind::Task, 2));
    assert_eq!(found(&data, TaskRole::Fixed), (UnitKind::Rollout, 12));
}

#[test]
fn pass_or_fail_in_fixed_tasks_is_about_these_tasks() {
    for shared in [true, false] {
        let mut records = Vec::new();
        for (task, easy) in [("a", 0), ("b", 2)] {
            for seed in 0..40_u64 {
                for (arm, lift, apart) in [("control", 0, 0), ("candidate", 4, 1_000)] {
                    let seed_here = if shared { seed } else { seed + apart };
                    let pass = seed * 7 % 10 < 2 + easy + lift;
                    let one = record(records.len() as u64, task, arm, seed_here);
                    records.push(measured(one, &[("score", f64::from(u8::from(pass)))]));
                }
            }
        }
        let data = dataset(UP, None, &records);
        let of = |tasks: TaskRole| {
            let options = CompareOptions {
                tasks,
                ..CompareOptions::default()
            };
            only_contrast(&run(&data, &options)).metrics[0].clone()
        };
        // Two tasks of many say little, and a difference of rates stays within [-1, 1].
        let random = of(TaskRole::ByKind);
        assert_eq!(
            (random.count.unit, random.count.control),
            (UnitKind::Task, 2)
        );
        assert_ne!(random.verdict.word, Word::Improved);
        if let Some(effect) = &random.effect {
            assert!(effect.absolute.low >= -1.0 && effect.absolute.high <= 1.0);
        }
        let fixed = of(TaskRole::Fixed);
        let name = if shared { "Tango" } else { "Newcombe" };
        let method = format!("{name} intervals joined over 2 tasks with equal weights, ");
        let used = super::lab::method(&fixed);
        assert!(used.starts_with(&method), "{used}");
        assert_eq!(fixed.verdict.word, Word::Improved);
        let effect = fixed.effect.unwrap();
        assert!((effect.absolute.value - 0.4).abs() < 1e-12);
        assert!(effect.absolute.low > 0.2 && effect.absolute.high < 0.6);
        assert!(effect.p.unwrap() < 0.001);
    }
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
    assert!(method(fixed).starts_with("stratified t over 4 tasks"));
    assert_eq!((fixed.count.control, fixed.count.tasks), (20, 4));
    assert_eq!(fixed.verdict.word, Word::Improved);
    let tasks = &only_contrast(&comparison).tasks;
    assert_eq!(tasks.len(), 4);
    assert!(
        tasks
            .iter()
            .all(|line| line.verdict.word == Word::Improved && line.count.control == 5)
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
fn a_task_whose_scores_happen_to_be_0_or_1_is_judged_as_the_others_are() {
    let scores = [(1.0, 0.0), (2.5, 2.5), (7.0, 9.0), (4.0, 4.0)];
    let one = |index: usize, task: usize, arm: &str, score: f64| {
        let record = record(index as u64, &format!("task{task}"), arm, 1);
        measured(record, &[("score", score)])
    };
    let records: Vec<Record> = (scores.iter().enumerate())
        .flat_map(|(i, (a, b))| {
            [
                one(2 * i, i, "control", *a),
                one(2 * i + 1, i, "candidate", *b),
            ]
        })
        .collect();
    let found = run(&dataset(UP, None, &records), &CompareOptions::default());
    let lines = &only_contrast(&found).tasks;
    let words: Vec<Word> = lines.iter().map(|line| line.verdict.word).collect();
    let same = Word::Identical;
    assert_eq!(words, [Word::Insufficient, same, Word::Insufficient, same]);
    assert!(lines.iter().all(|line| line.effect.is_none()), "{lines:?}");
}

#[test]
fn one_task_with_one_seed_does_not_turn_fixed_tasks_into_random_ones_in_silence() {
    let mut records = Vec::new();
    for (task, seeds) in [("a", 8_u64), ("b", 8), ("c", 8), ("single", 1)] {
        for seed in 0..seeds {
            for (arm, lift) in [("control", 0.0), ("candidate", 2.0)] {
                let noise = ((seed * 7 + task.len() as u64 * 3 + lift as u64) % 10) as f64 * 0.1;
                let one = record(records.len() as u64, task, arm, seed);
                records.push(measured(one, &[("score", 50.0 + lift + noise)]));
            }
        }
    }
    let said = |records: &[Record], tasks: TaskRole| {
        let options = CompareOptions {
            tasks,
            ..CompareOptions::default()
        };
        let found = run(&dataset(UP, None, records), &options);
        let metric = &only_contrast(&found).metrics[0];
        let objections = metric.verdict.objections.iter();
        let without_spread = objections.filter_map(|objection| match &objection.kind {
            ObjectionKind::TasksAsUnits { tasks } => Some(tasks.clone()),
            _ => None,
        });
        (metric.count.unit, without_spread.collect::<Vec<_>>())
    };
    for tasks in [TaskRole::ByKind, TaskRole::Fixed] {
        assert_eq!(
            said(&records, tasks),
            (UnitKind::Task, vec![vec!["single".to_owned()]])
        );
    }
    assert_eq!(said(&records, TaskRole::Random), (UnitKind::Task, vec![]));
    // With one seed everywhere, tasks are the units without a word, unless others were asked for.
    let one_seed: Vec<Record> = records
        .iter()
        .filter(|record| record.trial.seed == 0)
        .cloned()
        .collect();
    assert_eq!(said(&one_seed, TaskRole::ByKind), (UnitKind::Task, vec![]));
    assert_eq!(said(&one_seed, TaskRole::Fixed).1.len(), 1);
    let several: Vec<Record> = records
        .into_iter()
        .filter(|record| record.trial.task != "single")
        .collect();
    assert_eq!(said(&several, TaskRole::Fixed), (UnitKind::Seed, vec![]));
    // Nor does a method that knows no strata.
    let options = CompareOptions {
        tasks: TaskRole::Fixed,
        method: Some(Method::Rank),
        ..CompareOptions::default()
    };
    let more: Vec<Record> = (0..8_u64)
        .flat_map(|task| {
            several[..16].iter().map(move |record| {
                let mut record = record.clone();
                record.trial.task = format!("task{task}").as_str().into();
                if record.trial.arm.as_deref() == Some("candidate") {
                    record.metrics.get_mut("score").unwrap().0 += task as f64;
                }
                record
            })
        })
        .collect();
    let found = run(&dataset(UP, None, &more), &options);
    let method = only_contrast(&found).metrics[0].method.as_ref().unwrap();
    assert_eq!(method.note, Some(MethodNote::TasksAsUnits));
}
