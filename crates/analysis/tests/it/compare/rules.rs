//! Rules around the numbers: ordinary inputs that once fell between them.

use super::lab::{DOWN, UP, dataset, held_back, judged, method, only_contrast, paired, run};
use crate::common::{ended, measured, record};
use fairtrial_analysis::compare::{
    Method, MetricComparison, ObjectionEffect, ObjectionKind, Pairing, SecondOpinions, Word,
};
use fairtrial_analysis::{CompareOptions, Dataset};
use fairtrial_model::{Margin, Outcome, Record};
use fairtrial_stats::rng::{Purpose, Stream};

fn first(data: &Dataset, options: &CompareOptions) -> MetricComparison {
    only_contrast(&run(data, options)).metrics[0].clone()
}

fn deterministic(records: &[Record], margin: Option<Margin>) -> MetricComparison {
    let mut data = dataset(DOWN, margin, records);
    data.declared[0].deterministic = true;
    first(&data, &CompareOptions::default())
}

fn has(metric: &MetricComparison, is_it: impl Fn(&ObjectionKind) -> bool) -> bool {
    let mut objections = metric.verdict.objections.iter();
    objections.any(|objection| is_it(&objection.kind))
}

#[test]
fn one_unit_decides_about_a_deterministic_metric() {
    let size = [(1_000_000.0, 1_500_000.0)];
    let margin = Some(Margin::Relative(0.05));
    let larger = deterministic(&paired(&size), margin);
    assert_eq!(larger.verdict.word, Word::Regressed, "{larger:?}");
    let effect = larger.effect.unwrap();
    assert_eq!(
        (
            effect.absolute.low,
            effect.absolute.value,
            effect.absolute.high
        ),
        (500_000.0, 500_000.0, 500_000.0)
    );
    assert_eq!(effect.relative.unwrap().value, 0.5);
    let little = deterministic(&paired(&[(1_000_000.0, 1_010_000.0)]), margin);
    assert_eq!(little.verdict.word, Word::Equivalent);
    let same = deterministic(&paired(&[(7.0, 7.0)]), margin);
    assert_eq!(same.verdict.word, Word::Identical);
    // Without the declaration one pair says nothing.
    let undeclared = judged(DOWN, margin, &paired(&size));
    assert_eq!(undeclared.verdict.word, Word::Insufficient);
}

#[test]
fn a_unit_that_contradicts_itself_is_an_objection() {
    let mut records = paired(&[(10.0, 12.0), (10.0, 12.0)]);
    let mut again = measured(record(9, "train", "candidate", 100), &[("score", 13.0)]);
    again.trial.rollout = 1;
    records.push(again);
    let found = deterministic(&records, None);
    assert_eq!(found.verdict.word, Word::Inconclusive);
    let ObjectionKind::Contradiction { unit, values } = held_back(&found.verdict) else {
        panic!("{:?}", found.verdict)
    };
    assert_eq!(
        (unit.as_str(), *values),
        ("candidate · train · seed 100", [12.0, 13.0])
    );
}

#[test]
fn a_seeded_program_that_goes_by_its_seed_is_judged_as_a_sample() {
    let found = deterministic(&paired(&[(1.0, 2.0), (1.0, 0.9), (1.0, 1.1)]), None);
    assert_eq!(found.verdict.word, Word::Inconclusive);
    assert!(has(&found, |kind| *kind == ObjectionKind::VariesBySeed));
}

#[test]
fn a_constant_difference_is_judged_by_the_exact_test() {
    let margin = Some(Margin::Relative(0.05));
    let larger = |pairs: usize| {
        judged(
            DOWN,
            margin,
            &paired(&vec![(1_000_000.0, 1_500_000.0); pairs]),
        )
    };
    for pairs in [6, 9, 15] {
        let found = larger(pairs);
        assert_eq!(found.verdict.word, Word::Regressed, "{pairs} pairs");
        let effect = found.effect.unwrap();
        assert_eq!((effect.absolute.low, effect.absolute.high), (5e5, 5e5));
        let p = effect.p.unwrap();
        assert!((p - 0.5_f64.powi(pairs as i32 - 1)).abs() < 1e-12, "{p}");
    }
    let few = larger(5);
    assert_eq!(few.verdict.word, Word::Insufficient);
    assert!(matches!(
        held_back(&few.verdict),
        ObjectionKind::ConstantDifference(_)
    ));
    // Without pairs, the labels are exchanged: 2 of C(8, 4) arrangements are as extreme.
    let options = CompareOptions {
        pairing: Pairing::Unpaired,
        ..CompareOptions::default()
    };
    let data = dataset(DOWN, margin, &paired(&[(1.0, 2.0); 4]));
    let found = first(&data, &options);
    assert_eq!(found.verdict.word, Word::Regressed);
    assert!((found.effect.unwrap().p.unwrap() - 2.0 / 70.0).abs() < 1e-12);
}

#[test]
fn rounding_is_no_difference() {
    let found = judged(UP, None, &paired(&[(0.3, 0.1 + 0.2); 15]));
    assert_eq!(found.verdict.word, Word::Identical, "{found:?}");
    let large: Vec<(f64, f64)> = (0..15)
        .map(|i| (1e15 + f64::from(i) + 0.25, 1e15 + f64::from(i) + 0.375))
        .collect();
    assert_eq!(
        judged(UP, None, &paired(&large)).verdict.word,
        Word::Identical
    );
    // Counts are exact, however large.
    let counts: Vec<(f64, f64)> = (0..15)
        .map(|i| (1e15 + f64::from(i), 1e15 + f64::from(i) + 3.0))
        .collect();
    assert_eq!(
        judged(UP, None, &paired(&counts)).verdict.word,
        Word::Improved
    );
}

#[test]
fn a_worse_collapse_does_not_weaken_the_verdict() {
    let mut pairs: Vec<(f64, f64)> = (0..15)
        .map(|i| (10.0 + 0.1 * f64::from(i), 9.0 + 0.1 * f64::from(i % 4)))
        .collect();
    assert_eq!(
        judged(UP, None, &paired(&pairs)).verdict.word,
        Word::Regressed
    );
    pairs[3].1 = -500.0;
    let collapsed = judged(UP, None, &paired(&pairs));
    assert_eq!(collapsed.verdict.word, Word::Regressed, "{collapsed:?}");
    assert!(collapsed.effect.as_ref().unwrap().p.unwrap() < 1e-4);
    assert!(
        method(&collapsed).starts_with("sign-flip"),
        "{}",
        method(&collapsed)
    );
    assert!(has(&collapsed, |kind| matches!(
        kind,
        ObjectionKind::TDisagrees { .. }
    )));
    // Which t does not keep.
    let by_t = CompareOptions {
        method: Some(Method::T),
        ..CompareOptions::default()
    };
    let data = dataset(UP, None, &paired(&pairs));
    assert_eq!(first(&data, &by_t).verdict.word, Word::Inconclusive);
}

/// For paired data from ten pairs on, whatever they are: scores and timings, with a margin or without.
#[test]
fn moving_a_unit_in_the_verdicts_direction_never_takes_the_verdict_away() {
    let decided = |word: Word| matches!(word, Word::Improved | Word::Regressed);
    let mut seen = 0;
    for number in 0..120 {
        let mut stream = Stream::new(1, Purpose::new("monotone"), number);
        let n = 10 + stream.below(14);
        let shift = 1.2 * stream.normal();
        let pairs: Vec<(f64, f64)> = (0..n)
            .map(|_| {
                let shared = 20.0 + stream.normal();
                (shared, (shared + shift + stream.normal()).max(0.1))
            })
            .collect();
        let timing = number % 2 == 0;
        let word = |pairs: &[(f64, f64)]| {
            let margin = (number % 3 == 0).then_some(Margin::Absolute(0.2));
            let mut data = dataset(UP, margin, &paired(pairs));
            data.declared[0].unit = timing.then(|| "s".to_owned());
            first(&data, &CompareOptions::default()).verdict.word
        };
        let before = word(&pairs);
        if !decided(before) {
            continue;
        }
        for factor in [1.3, 10.0, 1e4] {
            let place = stream.below(n);
            let mut moved = pairs.clone();
            let value = &mut moved[place].1;
            *value = match (before, timing) {
                (Word::Improved, _) => *value * factor,
                (_, true) => *value / factor,
                (_, false) => *value - 20.0 * factor,
            };
            assert_eq!(word(&moved), before, "{number}: {pairs:?} and {moved:?}");
            seen += 1;
        }
    }
    assert!(seen > 100, "{seen} verdicts moved");
}

#[test]
fn a_declared_method_holds_and_an_option_goes_before_it() {
    let pairs: Vec<(f64, f64)> = (0..12)
        .map(|i| (f64::from(i), 1.0 + f64::from(i % 5)))
        .collect();
    let mut data = dataset(UP, None, &paired(&pairs));
    let named = |data: &Dataset, asked: Option<Method>| {
        let options = CompareOptions {
            method: asked,
            ..CompareOptions::default()
        };
        method(&first(data, &options)).to_owned()
    };
    assert!(named(&data, None).starts_with("sign-flip"));
    data.declared[0].method = Some(Method::T);
    assert_eq!(named(&data, None), "paired t");
    assert!(named(&data, Some(Method::SignFlip)).starts_with("sign-flip"));
}

/// 6 of 20 trials failed: no pairing makes a verdict of the rest.
#[test]
fn the_missing_data_rule_holds_in_every_pairing() {
    let pairs: Vec<(f64, f64)> = (0..20).map(|i| (1.0 + 0.01 * f64::from(i), 2.0)).collect();
    let mut records = paired(&pairs);
    for number in 0..6 {
        let place = 2 * number + 1;
        records[place].metrics.clear();
        records[place] = ended(records[place].clone(), Outcome::Failed);
    }
    let data = dataset(UP, None, &records);
    for pairing in [Pairing::Auto, Pairing::Paired, Pairing::Unpaired] {
        let options = CompareOptions {
            pairing,
            ..CompareOptions::default()
        };
        let found = first(&data, &options);
        assert_eq!(found.verdict.word, Word::Insufficient, "{pairing:?}");
    }
    let options = CompareOptions {
        pairing: Pairing::Unpaired,
        ..CompareOptions::default()
    };
    let found = first(&data, &options);
    let missing = ObjectionKind::MissingUnits {
        broken: 6,
        of: 20,
        candidate: true,
    };
    assert_eq!(*held_back(&found.verdict), missing);
}

#[test]
fn a_bootstrap_of_few_units_concludes_nothing() {
    let pairs: Vec<(f64, f64)> = (0..8)
        .map(|i| (f64::from(i), f64::from(i) + 1.0 + 0.1 * f64::from(i % 3)))
        .collect();
    let data = dataset(UP, None, &paired(&pairs));
    for asked in [Method::Bca, Method::Percentile] {
        let options = CompareOptions {
            method: Some(asked),
            ..CompareOptions::default()
        };
        let found = first(&data, &options);
        assert_eq!(found.verdict.word, Word::Inconclusive);
        assert!(matches!(
            held_back(&found.verdict),
            ObjectionKind::FewResampled {
                units: 8,
                enough: 30
            }
        ));
    }
}

#[test]
fn a_bootstrap_says_nothing_that_the_sign_flip_test_does_not_say() {
    let options = CompareOptions {
        method: Some(Method::Bca),
        ..CompareOptions::default()
    };
    let mut doubted = 0;
    for number in 0..50 {
        let mut stream = Stream::new(6, Purpose::new("bca"), number);
        let mut pairs = Vec::new();
        for _ in 0..30 {
            pairs.push((stream.normal().exp(), stream.normal().exp()));
        }
        let found = first(&dataset(UP, None, &paired(&pairs)), &options);
        let p = found.second_opinions.sign_flip.unwrap().p;
        let decided = matches!(found.verdict.word, Word::Improved | Word::Regressed);
        assert!(!decided || p <= 0.05, "{number}: {p}");
        let disagrees = |kind: &ObjectionKind| matches!(kind, ObjectionKind::SignsDisagree { .. });
        doubted += u32::from(has(&found, disagrees));
    }
    // BCa alone has 13 % false verdicts of such differences.
    assert!(doubted > 0);
}

#[test]
fn ranks_show_nothing_of_means() {
    // One collapse of the candidate: its mean says the contrary of the typical pair.
    let pairs: Vec<(f64, f64)> = (0..12)
        .map(|i| {
            (
                5.0,
                if i == 11 {
                    -500.0
                } else {
                    6.0 + 0.3 * f64::from(i % 4)
                },
            )
        })
        .collect();
    let options = CompareOptions {
        method: Some(Method::Rank),
        ..CompareOptions::default()
    };
    let found = first(&dataset(UP, None, &paired(&pairs)), &options);
    assert_eq!(found.verdict.word, Word::Improved);
    let effect = found.effect.unwrap();
    assert_eq!(
        (effect.relative, effect.control, effect.candidate),
        (None, 5.0, 6.3)
    );
    assert!(found.method.unwrap().medians);
    let beside = SecondOpinions {
        leave_one_out: found.second_opinions.leave_one_out.clone(),
        ..SecondOpinions::default()
    };
    assert_eq!(found.second_opinions, beside);
}

#[test]
fn advice_names_a_fresh_run_where_there_is_enough_to_plan_with() {
    let of = |differences: &[f64]| {
        let pairs: Vec<(f64, f64)> = differences.iter().map(|d| (5.0, 5.0 + d)).collect();
        let found = judged(UP, None, &paired(&pairs));
        assert_eq!(found.verdict.word, Word::Inconclusive);
        found.verdict.advice.unwrap().fresh
    };
    assert_eq!(
        of(&[0.9, -0.5, 0.8, -0.3, 0.7, -0.6, 0.5, 0.2, -0.1, 0.4]),
        Some(61)
    );
    assert_eq!(of(&[0.9, -0.5, 0.8, -0.3]), None);
    // More than anyone would run.
    assert_eq!(of(&[1.0, -1.0, 1.0, -1.0, 1.0, -1.0, 1.0, -0.9]), None);
}

/// Skewed groups of unlike sizes: Welch's t alone gives 14.7 % false verdicts.
#[test]
fn two_skewed_groups_need_the_permutation_test_too() {
    let mut wrong = 0;
    let comparisons = 400;
    for number in 0..comparisons {
        let mut stream = Stream::new(2, Purpose::new("skewed"), number);
        let control = (0..50).map(|seed| ("control", seed));
        let candidate = (100..105).map(|seed| ("candidate", seed));
        let records: Vec<Record> = (0..)
            .zip(control.chain(candidate))
            .map(|(index, (arm, seed))| {
                let value = stream.normal().exp();
                measured(record(index, "train", arm, seed), &[("score", value)])
            })
            .collect();
        let found = judged(UP, None, &records);
        wrong += u32::from(matches!(
            found.verdict.word,
            Word::Improved | Word::Regressed
        ));
    }
    let share = f64::from(wrong) / comparisons as f64;
    assert!(
        share <= 0.05 + 3.0 * (0.05_f64 * 0.95 / comparisons as f64).sqrt(),
        "{share}"
    );
}

/// Whatever holds the whole back holds each part back.
#[test]
fn what_is_withheld_for_the_whole_is_withheld_for_each_part() {
    let mut held = 0;
    for number in 0..300 {
        let mut stream = Stream::new(4, Purpose::new("parts"), number);
        let mut records = Vec::new();
        let (failing, units) = (0.35 * stream.unit(), 2 + stream.below(9) as u64);
        for task in ["a", "b", "c"].iter().take(2 + stream.below(2)) {
            for seed in 0..units {
                for arm in ["control", "candidate"] {
                    let shift = if arm == "control" { 0.0 } else { 3.0 };
                    let index = records.len() as u64;
                    let one = record(index, task, arm, seed);
                    records.push(if stream.unit() < failing {
                        ended(one, Outcome::Failed)
                    } else {
                        measured(one, &[("score", 5.0 + shift + stream.normal())])
                    });
                }
            }
        }
        let mut data = dataset(UP, None, &records);
        data.declared[0].unit = (number % 2 == 0).then(|| "s".to_owned());
        let choices = [Pairing::Auto, Pairing::Unpaired];
        let options = CompareOptions {
            pairing: choices[stream.below(2)],
            valid: (stream.unit() < 0.3).then_some(0.9),
            ..CompareOptions::default()
        };
        let found = run(&data, &options);
        let contrast = only_contrast(&found);
        let whole = &contrast.metrics[0].verdict;
        if !whole.is_held_back() {
            continue;
        }
        held += contrast.tasks.len();
        for task in &contrast.tasks {
            assert!(
                task.verdict.is_held_back(),
                "{number}: {whole:?} and {task:?}"
            );
            let withheld = whole.objections[0].effect == ObjectionEffect::Withholds;
            let word = if withheld {
                Word::Insufficient
            } else {
                Word::Inconclusive
            };
            let found = task.verdict.word;
            assert!(
                found == word || found == Word::Insufficient,
                "{number}: {found}"
            );
        }
    }
    assert!(held > 40, "{held} parts held back");
}

/// The two one-sided tests beside `equivalent`, against the t distribution's own numbers.
#[test]
fn equivalence_has_a_p_value_of_its_own() {
    let differences = [0.10, -0.20, 0.05, 0.15, -0.10, 0.20, -0.05, 0.10];
    let pairs: Vec<(f64, f64)> = differences.iter().map(|d| (5.0, 5.0 + d)).collect();
    let found = judged(UP, Some(Margin::Absolute(0.5)), &paired(&pairs));
    assert_eq!(found.verdict.word, Word::Equivalent);
    let n = differences.len() as f64;
    let mean = differences.iter().sum::<f64>() / n;
    let squares: f64 = differences.iter().map(|d| (d - mean).powi(2)).sum();
    let error = (squares / (n - 1.0) / n).sqrt();
    let expected = fairtrial_stats::dist::student_t::sf((0.5 - mean) / error, n - 1.0);
    let p = found.second_opinions.tost_p.unwrap();
    assert!((p / expected - 1.0).abs() < 1e-6, "{p} for {expected}");
    let without = judged(UP, None, &paired(&pairs));
    assert_eq!(without.second_opinions.tost_p, None);
}
