//! A verdict where there is no difference is a bug: how often each default method gives one, over many synthetic
//! comparisons without any difference, and whether planned power is kept. Seeds are fixed, so the counts are too.

use crate::common::{measured, metric, record};
use fairtrial_analysis::compare::{CompareOptions, Inputs, Method, TaskRole, Word, compare};
use fairtrial_analysis::dataset::Origin;
use fairtrial_analysis::{Dataset, Observation};
use fairtrial_model::{Direction, Margin, Record};
use fairtrial_stats::Level;
use fairtrial_stats::planning::{TDesign, sample_size};
use fairtrial_stats::rng::{Purpose, Stream};

const ALPHA: f64 = 0.05;
const COMPARISONS: u64 = 1_000;

/// Three standard errors of a share above it: a correct method fails this less than once in 700 such tests.
fn at_most(share: f64, comparisons: u64) -> f64 {
    share + 3.0 * (share * (1.0 - share) / comparisons as f64).sqrt()
}

fn dataset(records: &[Record], unit: Option<&str>) -> Dataset {
    let mut data = Dataset::new("null", Origin::Records);
    let mut declared = metric("score", Some(Direction::Up));
    declared.unit = unit.map(str::to_owned);
    data.declared = vec![declared];
    data.arm_order = vec!["control".into()];
    for record in records {
        data.push(&Observation::from(record));
    }
    data
}

fn value(index: usize, task: &str, arm: &str, seed: u64, value: f64) -> Record {
    measured(record(index as u64, task, arm, seed), &[("score", value)])
}

/// Share of comparisons with a false verdict about any candidate.
fn false_verdicts(
    name: &str,
    comparisons: u64,
    unit: Option<&str>,
    make: impl Fn(&mut Stream) -> Vec<Record>,
) -> f64 {
    let mut wrong = 0;
    for number in 0..comparisons {
        let mut stream = Stream::new(20_261_116, Purpose::new(name), number);
        let data = dataset(&make(&mut stream), unit);
        let found = compare(Inputs::Arms(&data), &CompareOptions::default()).unwrap();
        let verdict = |word: Word| matches!(word, Word::Improved | Word::Regressed);
        wrong += u64::from(found.primary().any(|metric| verdict(metric.verdict.word)));
    }
    wrong as f64 / comparisons as f64
}

fn check(
    name: &str,
    comparisons: u64,
    unit: Option<&str>,
    make: impl Fn(&mut Stream) -> Vec<Record>,
) {
    let share = false_verdicts(name, comparisons, unit, make);
    assert!(
        share <= at_most(ALPHA, comparisons),
        "{name}: {share} false verdicts at alpha {ALPHA}"
    );
}

#[test]
fn pairs_by_seed() {
    check("pairs", COMPARISONS, None, |stream| {
        let mut records = Vec::new();
        for seed in 0..10 {
            let shared = 2.0 * stream.normal();
            for arm in ["control", "candidate"] {
                records.push(value(
                    records.len(),
                    "train",
                    arm,
                    seed,
                    5.0 + shared + stream.normal(),
                ));
            }
        }
        records
    });
}

#[test]
fn two_groups_of_unlike_spread() {
    check("groups", COMPARISONS, None, |stream| {
        let control = (0..8).map(|seed| (seed, "control", 1.0));
        let candidate = (100..115).map(|seed| (seed, "candidate", 3.0));
        let all = control.chain(candidate).enumerate();
        all.map(|(index, (seed, arm, sd))| value(index, "train", arm, seed, sd * stream.normal()))
            .collect()
    });
}

#[test]
fn one_rollout_per_task() {
    check("mcnemar", COMPARISONS, None, |stream| {
        let mut records = Vec::new();
        for task in 0..50 {
            let chance = stream.unit();
            for arm in ["control", "candidate"] {
                let pass = f64::from(u8::from(stream.unit() < chance));
                records.push(value(records.len(), &format!("task{task}"), arm, 1, pass));
            }
        }
        records
    });
}

/// Whether pass/fail values (control, candidate) end in a verdict; `shared` seeds make them pairs.
fn differ(values: &[(bool, bool)], shared: bool) -> bool {
    let mut records = Vec::new();
    for (seed, (control, candidate)) in (0..).zip(values) {
        for (arm, pass, apart) in [("control", control, 0), ("candidate", candidate, 1_000)] {
            let seed = if shared { seed } else { seed + apart };
            records.push(value(
                records.len(),
                "train",
                arm,
                seed,
                f64::from(u8::from(*pass)),
            ));
        }
    }
    let found = compare(
        Inputs::Arms(&dataset(&records, None)),
        &CompareOptions::default(),
    )
    .unwrap();
    let word = found.primary().next().unwrap().verdict.word;
    matches!(word, Word::Improved | Word::Regressed)
}

fn choose(n: usize, k: usize) -> f64 {
    (0..k).map(|i| (n - i) as f64 / (i + 1) as f64).product()
}

/// The largest value over rates from 0 to 1.
fn largest(chance: impl Fn(f64) -> f64) -> f64 {
    let rates = (0..=1_000).map(|step| f64::from(step) / 1_000.0);
    rates.map(chance).fold(0.0, f64::max)
}

/// Every table of two groups, counted: no sampling noise.
#[test]
fn pass_or_fail_of_two_groups_at_any_rate() {
    for (n, least) in [(2, 0.0), (4, 0.005), (8, 0.02)] {
        let passes = |k: usize| (0..n).map(move |i| i < k);
        let mut verdicts = Vec::new();
        for (a, b) in (0..=n).flat_map(|a| (0..=n).map(move |b| (a, b))) {
            let values: Vec<(bool, bool)> = passes(a).zip(passes(b)).collect();
            if differ(&values, false) {
                verdicts.push((a + b, choose(n, a) * choose(n, b)));
            }
        }
        let wrong = largest(|rate| {
            let chance = |(k, ways): &(usize, f64)| {
                ways * rate.powi(*k as i32) * (1.0 - rate).powi((2 * n - k) as i32)
            };
            verdicts.iter().map(chance).sum()
        });
        assert!(
            (least..=ALPHA).contains(&wrong),
            "{n} against {n}: {wrong} false verdicts"
        );
    }
}

/// Two fixed tasks of three pairs each, counted, at any two rates of disagreement.
#[test]
fn pass_or_fail_in_fixed_tasks_at_any_rate() {
    let tables: Vec<(usize, usize)> = (0..=3)
        .flat_map(|b| (0..=3 - b).map(move |c| (b, c)))
        .collect();
    let options = CompareOptions {
        tasks: TaskRole::Fixed,
        ..CompareOptions::default()
    };
    let mut verdicts = Vec::new();
    for (first, second) in tables
        .iter()
        .flat_map(|first| tables.iter().map(move |second| (first, second)))
    {
        let mut records = Vec::new();
        for (task, (b, c)) in [("a", first), ("b", second)] {
            for seed in 0..3 {
                let passes = [(*b..b + c).contains(&seed), seed < *b];
                for (arm, pass) in ["control", "candidate"].into_iter().zip(passes) {
                    let pass = f64::from(u8::from(pass));
                    records.push(value(records.len(), task, arm, seed as u64, pass));
                }
            }
        }
        let found = compare(Inputs::Arms(&dataset(&records, None)), &options).unwrap();
        let word = found.primary().next().unwrap().verdict.word;
        if matches!(word, Word::Improved | Word::Regressed) {
            verdicts.push((first, second));
        }
    }
    let chance = |(b, c): &(usize, usize), rate: f64| {
        let ways = choose(3, *b) * choose(3 - b, *c);
        ways * (rate / 2.0).powi((b + c) as i32) * (1.0 - rate).powi((3 - b - c) as i32)
    };
    for step in 0..=20 {
        let other = f64::from(step) / 20.0;
        let wrong = largest(|rate| {
            let both = verdicts.iter();
            both.map(|(first, second)| chance(first, rate) * chance(second, other))
                .sum()
        });
        assert!(wrong <= ALPHA, "{wrong} false verdicts");
    }
    assert!(!verdicts.is_empty());
}

/// Every table of pairs, counted, at any rate of disagreement.
#[test]
fn pass_or_fail_of_pairs_at_any_rate() {
    for (n, least) in [(5, 0.0), (10, 0.02), (20, 0.03)] {
        let mut verdicts = Vec::new();
        for (b, c) in (0..=n).flat_map(|b| (0..=n - b).map(move |c| (b, c))) {
            let pair = |i: usize| {
                (
                    i < c || i >= b + c && i.is_multiple_of(2),
                    i >= c && (i < b + c || i.is_multiple_of(2)),
                )
            };
            let values: Vec<(bool, bool)> = (0..n).map(pair).collect();
            if differ(&values, true) {
                verdicts.push((b + c, choose(n, b) * choose(n - b, c)));
            }
        }
        let wrong = largest(|rate| {
            let chance = |(m, ways): &(usize, f64)| {
                ways * (rate / 2.0).powi(*m as i32) * (1.0 - rate).powi((n - m) as i32)
            };
            verdicts.iter().map(chance).sum()
        });
        assert!(
            (least..=ALPHA).contains(&wrong),
            "{n} pairs: {wrong} false verdicts"
        );
    }
}

#[test]
fn rollouts_in_tasks_that_prefer_one_arm() {
    check("task means", COMPARISONS, None, |stream| {
        let mut records = Vec::new();
        for task in 0..12 {
            // Each task likes one arm more, but no arm is better over the tasks.
            for arm in ["control", "candidate"] {
                let chance = 1.0 / (1.0 + (-stream.normal()).exp());
                for rollout in 0..4 {
                    let pass = f64::from(u8::from(stream.unit() < chance));
                    let mut one = value(records.len(), &format!("task{task}"), arm, 1, pass);
                    one.trial.rollout = rollout;
                    records.push(one);
                }
            }
        }
        records
    });
}

#[test]
fn timings_with_a_threshold() {
    check("timings", COMPARISONS, Some("s"), |stream| {
        let mut records = Vec::new();
        for seed in 0..10 {
            let block = 0.05 * stream.normal();
            for arm in ["control", "candidate"] {
                let seconds = (block + 0.02 * stream.normal()).exp();
                records.push(value(records.len(), "train", arm, seed, seconds));
            }
        }
        records
    });
}

#[test]
fn skewed_timings_by_ratio() {
    let mut wrong = 0;
    for number in 0..COMPARISONS {
        let mut stream = Stream::new(20_261_116, Purpose::new("ratios"), number);
        let mut records = Vec::new();
        for seed in 0..12 {
            for arm in ["control", "candidate"] {
                let seconds = (0.4 * stream.normal()).exp();
                records.push(value(records.len(), "train", arm, seed, seconds));
            }
        }
        let options = CompareOptions {
            method: Some(Method::LogRatio),
            ..CompareOptions::default()
        };
        let found = compare(Inputs::Arms(&dataset(&records, None)), &options).unwrap();
        let word = found.primary().next().unwrap().verdict.word;
        wrong += u64::from(matches!(word, Word::Improved | Word::Regressed));
    }
    let share = wrong as f64 / COMPARISONS as f64;
    assert!(
        share <= at_most(ALPHA, COMPARISONS),
        "{share} false verdicts"
    );
}

#[test]
fn seeds_in_fixed_tasks() {
    check("strata", COMPARISONS, None, |stream| {
        let mut records = Vec::new();
        for (task, spread) in [("a", 1.0), ("b", 4.0), ("c", 0.5)] {
            for seed in 0..6 {
                for arm in ["control", "candidate"] {
                    records.push(value(
                        records.len(),
                        task,
                        arm,
                        seed,
                        spread * stream.normal(),
                    ));
                }
            }
        }
        records
    });
}

#[test]
fn three_candidates_share_one_error_rate() {
    check("holm", 400, None, |stream| {
        let mut records = Vec::new();
        for seed in 0..8 {
            for arm in ["control", "a", "b", "c"] {
                records.push(value(records.len(), "train", arm, seed, stream.normal()));
            }
        }
        records
    });
}

#[test]
fn the_planned_number_of_pairs_has_the_promised_power() {
    let margin = 0.4;
    let effect = 2.0 * margin;
    let plan = sample_size(TDesign::Paired, effect, 0.8, Level::two_sided(ALPHA)).unwrap();
    let mut improved = 0;
    for number in 0..COMPARISONS {
        let mut stream = Stream::new(7, Purpose::new("promised power"), number);
        let mut records = Vec::new();
        for seed in 0..plan.n {
            let shared = 3.0 * stream.normal();
            // The differences have a standard deviation of 1.
            records.push(value(records.len(), "train", "control", seed, shared));
            records.push(value(
                records.len(),
                "train",
                "candidate",
                seed,
                shared + effect + stream.normal(),
            ));
        }
        let mut data = dataset(&records, None);
        data.declared[0].margin = Some(Margin::Absolute(margin));
        let found = compare(Inputs::Arms(&data), &CompareOptions::default()).unwrap();
        improved += u64::from(
            found
                .primary()
                .any(|metric| metric.verdict.word == Word::Improved),
        );
    }
    let share = improved as f64 / COMPARISONS as f64;
    let slack =
        3.0 * (plan.achieved_power * (1.0 - plan.achieved_power) / COMPARISONS as f64).sqrt();
    assert!(
        (share - plan.achieved_power).abs() <= slack,
        "{share} improved, {} promised",
        plan.achieved_power
    );
}
