//! Two arms over shared seeds: the word, the margin, what is overridden.

use super::lab::{
    DOWN, GAIN, UP, dataset, held_back, judged, method, objects, only_contrast, paired, run,
};
use crate::common::{measured, record};
use fairtrial_analysis::compare::{
    Inputs, Method, NoRelative, ObjectionKind, Pairing, Reason, Scale, UnitKind, Verdict, Word,
};
use fairtrial_analysis::{CompareOptions, compare};
use fairtrial_model::{Margin, Record};
use fairtrial_stats::Undefined;

#[test]
fn shared_seeds_are_pairs() {
    let found = judged(UP, None, &paired(&GAIN));
    assert_eq!(found.verdict.word, Word::Improved);
    assert_eq!(
        (found.count.unit, found.count.paired, found.count.control),
        (UnitKind::Seed, true, 8)
    );
    let effect = found.effect.as_ref().unwrap();
    // Mean 1, sd 0.130931, t(7) at 97.5 % is 2.364624.
    assert!((effect.absolute.value - 1.0).abs() < 1e-12);
    assert!(
        (effect.absolute.low - 0.890_539_166_973).abs() < 1e-11,
        "{effect:?}"
    );
    assert!((effect.relative.unwrap().value - 1.0 / 4.5).abs() < 1e-12);
    assert_eq!(effect.df, Some(7.0));
    assert!(found.second_opinions.correlation.unwrap() > 0.99);
    assert!(found.second_opinions.variance_ratio.unwrap() < 0.01);
    // All eight signs agree: 2 / 2^8.
    assert!((found.second_opinions.sign_flip.unwrap().p - 2.0 / 256.0).abs() < 1e-12);
    assert_eq!(method(&found), "paired t");
    assert_eq!(found.control_trials.to_string(), "0,2,4,6,8,10,12,14");
    assert_eq!(found.verdict.objections, []);
    assert!(found.second_opinions.detectable.unwrap().absolute > 0.0);
}

#[test]
fn lower_is_better_turns_the_word_round() {
    assert_eq!(
        judged(DOWN, None, &paired(&GAIN)).verdict.word,
        Word::Regressed
    );
    let found = judged(None, None, &paired(&GAIN));
    assert_eq!(found.verdict.word, Word::Inconclusive);
    assert!(objects(&found.verdict, &ObjectionKind::NoDirection));
    assert_eq!(found.verdict.reason, Reason::NoDirection);
}

#[test]
fn the_margin_makes_small_differences_equivalent() {
    let found = judged(UP, Some(Margin::Absolute(2.0)), &paired(&GAIN));
    assert_eq!(found.verdict.word, Word::Equivalent);
    assert_eq!(found.verdict.reason, Reason::InsideMargin { differs: true });
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
    let more = found.verdict.advice.unwrap();
    // d = 0.2 / 0.5477 = 0.365: 61 pairs for 80 % power.
    assert_eq!(more.fresh, Some(61), "{more:?}");
    assert_eq!((more.unit, more.paired), (UnitKind::Seed, true));
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
    assert!(matches!(
        held_back(&constant.verdict),
        ObjectionKind::ConstantDifference(_)
    ));
    let one = judged(UP, None, &paired(&[(1.0, 2.0)]));
    assert_eq!(one.verdict.word, Word::Insufficient);
    assert!(
        one.effect.is_none(),
        "never a bare percentage from one sample"
    );
    let two = judged(UP, None, &paired(&[(1.0, 2.0), (2.0, 3.5)]));
    assert!(objects(&two.verdict, &ObjectionKind::TwoUnits));
}

/// Two tasks of five seeds each, in which the candidate is off by a constant.
fn constant_by_task(by_task: [(&str, f64); 2]) -> Vec<Record> {
    let mut records = Vec::new();
    for (task, off) in by_task {
        for seed in 0..5_u64 {
            for (arm, off) in [("control", 0.0), ("candidate", off)] {
                let one = record(records.len() as u64, task, arm, seed);
                records.push(measured(one, &[("score", 100.0 + seed as f64 + off)]));
            }
        }
    }
    records
}

#[test]
fn differences_that_cancel_over_tasks_are_not_identical() {
    let verdict = |by_task| judged(UP, None, &constant_by_task(by_task)).verdict;
    let cancel = verdict([("a", -50.0), ("b", 50.0)]);
    assert_eq!(cancel.word, Word::Insufficient);
    let by_task = |verdict: &Verdict| match held_back(verdict) {
        ObjectionKind::ConstantDifference(constant) => {
            let tasks = constant.by_task.iter();
            tasks
                .map(|of| (of.task.clone(), of.value))
                .collect::<Vec<_>>()
        }
        other => panic!("{other:?}"),
    };
    assert_eq!(
        by_task(&cancel),
        [("a".to_owned(), -50.0), ("b".to_owned(), 50.0)]
    );
    // Ten pairs that all point one way do not: 2 of 1,024 patterns of signs are as extreme.
    let apart = judged(UP, None, &constant_by_task([("a", 20.0), ("b", 1.0)]));
    assert_eq!(apart.verdict.word, Word::Improved);
    let effect = apart.effect.unwrap();
    assert_eq!(
        (effect.absolute.value, effect.p),
        (10.5, Some(2.0 / 1_024.0))
    );
    let same = verdict([("a", 0.0), ("b", 0.0)]);
    assert_eq!(same.word, Word::Identical);
}

#[test]
fn where_nothing_varies_every_method_leaves_it_to_the_exact_test() {
    let constant: Vec<(f64, f64)> = (0..8).map(|i| (f64::from(i), f64::from(i) + 1.0)).collect();
    for method in [Method::T, Method::Rank, Method::Percentile, Method::Bca] {
        let options = CompareOptions {
            method: Some(method),
            ..CompareOptions::default()
        };
        let comparison = run(&dataset(UP, None, &paired(&constant)), &options);
        let found = &only_contrast(&comparison).metrics[0];
        assert_eq!(found.verdict.word, Word::Improved, "{method:?}");
        assert!(super::lab::method(found).starts_with("constant difference"));
        assert_eq!(found.effect.as_ref().unwrap().p, Some(1.0 / 128.0));
    }
}

#[test]
fn resamples_of_few_units_are_no_evidence() {
    for method in [Method::Percentile, Method::Bca] {
        for (pairing, need) in [(Pairing::Auto, 6), (Pairing::Unpaired, 4)] {
            let options = CompareOptions {
                method: Some(method),
                pairing,
                ..CompareOptions::default()
            };
            let word = |n: usize| {
                // Far apart, whatever the pairing.
                let pairs: Vec<(f64, f64)> =
                    GAIN[..n].iter().map(|(a, b)| (*a, b + 50.0)).collect();
                let comparison = run(&dataset(UP, None, &paired(&pairs)), &options);
                only_contrast(&comparison).metrics[0].verdict.clone()
            };
            let few = word(need - 1);
            assert_eq!(few.word, Word::Insufficient, "{method:?} {pairing:?}");
            assert!(few.objections.iter().any(|objection| matches!(
                &objection.kind,
                ObjectionKind::NoInterval { why: Undefined::TooFew { need: of, .. } } if *of == need
            )));
            assert_eq!(
                word(need).word,
                Word::Inconclusive,
                "{method:?} {pairing:?}"
            );
        }
    }
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
    assert_eq!(method(&found), "Welch t");
    assert!(objects(&found.verdict, &ObjectionKind::NoSharedUnits));
    assert!(found.second_opinions.superiority.unwrap() > 0.5);
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
    assert_eq!(method(&unpaired), "Welch t");
    let ratio = with(CompareOptions {
        method: Some(Method::LogRatio),
        ..default()
    });
    assert_eq!(ratio.effect.unwrap().scale, Scale::Ratio);
    for method in [Method::Rank, Method::Percentile, Method::Bca] {
        let found = with(CompareOptions {
            method: Some(method),
            ..default()
        });
        assert!(
            found.effect.as_ref().unwrap().absolute.low > 0.0,
            "{method:?}"
        );
        assert_ne!(super::lab::method(&found), "paired t");
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

#[test]
fn one_unit_that_carries_the_verdict_is_named() {
    let differences = [0.82, 0.1, 0.72, -0.28, 0.62, -0.03, 0.52, -0.18, 0.42, 0.22];
    let pairs: Vec<(f64, f64)> = differences
        .iter()
        .map(|difference| (1.0, 1.0 + difference))
        .collect();
    let found = judged(UP, None, &paired(&pairs));
    assert_eq!(found.verdict.word, Word::Improved, "{found:?}");
    let mut objections = found.verdict.objections.iter();
    let fragile = objections.find_map(|objection| match &objection.kind {
        ObjectionKind::Fragile { becomes, .. } => Some(*becomes),
        _ => None,
    });
    assert_eq!(fragile, Some(Word::Inconclusive));
    let range = found.second_opinions.leave_one_out.unwrap();
    assert_eq!(range.checked, 10);
    assert!(range.low < range.high);
}

#[test]
fn a_change_in_percent_counts_the_noise_of_the_control() {
    // The control is as noisy as the candidate, and nothing is paired: its mean is not known to a hair.
    let value = |i: u64| 5.0 + (i * 7 % 8) as f64 * 0.5;
    let mut records = Vec::new();
    for i in 0..8 {
        for (arm, times, seed) in [("control", 1.0, i), ("candidate", 2.0, 100 + i)] {
            let one = record(records.len() as u64, "train", arm, seed);
            records.push(measured(one, &[("score", times * value(i + seed / 100))]));
        }
    }
    let effect = judged(UP, None, &records).effect.unwrap();
    let (absolute, relative) = (effect.absolute, effect.relative.unwrap());
    assert!((relative.value - absolute.value / effect.control).abs() < 1e-12);
    let naive = (absolute.high - absolute.low) / effect.control;
    assert!(relative.high - relative.low > 1.1 * naive, "{relative:?}");
    // A control that may be 0 leaves no bounds.
    let near_zero: Vec<(f64, f64)> = (0..8)
        .map(|i| (f64::from(i % 4) - 1.4, f64::from(i % 3) + 9.0))
        .collect();
    let effect = judged(UP, None, &paired(&near_zero)).effect.unwrap();
    assert_eq!(effect.relative, None);
    assert!(matches!(
        effect.no_relative,
        Some(NoRelative::Unbounded { .. })
    ));
}

#[test]
fn bootstrap_intervals_hang_on_no_seed() {
    let pairs: Vec<(f64, f64)> = (0..12)
        .map(|seed| (f64::from(seed * 7 % 12), f64::from(seed * 5 % 12) + 1.5))
        .collect();
    let data = dataset(UP, None, &paired(&pairs));
    for (method, pairing) in [
        (Method::Bca, Pairing::Auto),
        (Method::Percentile, Pairing::Auto),
        (Method::Bca, Pairing::Unpaired),
    ] {
        let found = [0, 1].map(|seed| {
            let options = CompareOptions {
                method: Some(method),
                pairing,
                seed,
                ..CompareOptions::default()
            };
            only_contrast(&run(&data, &options)).metrics[0].clone()
        });
        assert!(super::lab::method(&found[0]).contains("all resamples"));
        assert_eq!(found[0].effect, found[1].effect);
    }
}
