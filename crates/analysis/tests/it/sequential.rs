//! Sequential runs: the order of completion changes nothing, a resumed run looks the same, and the error rate holds.

use crate::common::{ended, measured, metric, record, spec};
use crate::compare::lab::held_back;
use fairtrial_analysis::compare::{ObjectionKind, Word};
use fairtrial_analysis::sequential::{
    ArmReason, NoAnswer, SequentialPlan, SequentialRule, Stop, Trajectory, may_add_seeds,
    with_budget,
};
use fairtrial_model::{Direction, Margin, Outcome, Points, Record, Reference, documented_seeds};
use fairtrial_spec::{Spec, StopRule};
use fairtrial_stats::rng::{Purpose, Stream};
use std::collections::BTreeMap;

fn rule(min: u32, max: u32) -> StopRule {
    StopRule::decided(min, max)
}

fn budgeted(margin: Option<f64>, rule: &StopRule) -> Spec {
    let mut score = metric("score", Some(Direction::Up));
    score.margin = margin.map(Margin::Absolute);
    with_budget(&spec(&[score]), rule).unwrap()
}

fn started(margin: Option<f64>, min: u32, max: u32) -> SequentialRule {
    let rule = rule(min, max);
    let spec = budgeted(margin, &rule);
    SequentialRule::new(&spec, SequentialPlan::new(&spec, rule).unwrap()).unwrap()
}

/// Two records per pair, in plan order.
fn records(pairs: usize, effect: f64, seed: u64) -> Vec<Record> {
    let mut stream = Stream::new(seed, Purpose::new("sequential-test"), 0);
    let mut records = Vec::new();
    for pair in 0..pairs {
        let shared = 3.0 * stream.normal();
        for (arm, shift) in [("control", 0.0), ("candidate", effect)] {
            let value = 10.0 + shared + shift + std::f64::consts::FRAC_1_SQRT_2 * stream.normal();
            let made = record(records.len() as u64, "train", arm, documented_seeds(pair));
            records.push(measured(made, &[("score", value)]));
        }
    }
    records
}

/// Feeds until the rule stops; the records that came are those that a real run would have made.
fn feed(rule: &mut SequentialRule, records: &[Record]) -> Option<ArmReason> {
    let stopped = records.iter().any(|record| rule.settled(record));
    stopped.then(|| rule.trajectory().answers[0].reason.clone())?
}

/// What kept the first candidate from an answer.
fn no_answer(reason: &ArmReason) -> &ObjectionKind {
    match reason {
        ArmReason::Exhausted {
            why: Some(NoAnswer::Objection { by }),
            ..
        } => &by.kind,
        other => panic!("{other:?}"),
    }
}

fn improved(reason: &ArmReason) -> bool {
    let stop = Stop::Improved;
    matches!(reason, ArmReason::Answered { stop: found, .. } if *found == stop)
}

fn looks(trajectory: &Trajectory) -> Vec<usize> {
    trajectory.looks.iter().map(|look| look.n).collect()
}

#[test]
fn a_large_effect_stops_early_and_says_what_was_saved() {
    let mut rule = started(None, 5, 20);
    let reason = feed(&mut rule, &records(20, 3.0, 1)).unwrap();
    let trajectory = rule.trajectory();
    assert_eq!(trajectory.stop, Some(Stop::Improved));
    assert!(improved(&reason), "{reason:?}");
    assert!(
        trajectory.pairs < 10 && trajectory.trials_saved > 20,
        "{trajectory:?}"
    );
    assert_eq!(trajectory.trials_planned, 40);
    let last = trajectory.looks.last().unwrap().arms[0]
        .result
        .as_ref()
        .unwrap();
    assert!(last.interval.low > 0.0);
}

#[test]
fn the_order_in_which_trials_finish_changes_no_look() {
    let all = records(20, 0.6, 2);
    let mut in_order = started(Some(0.3), 5, 20);
    feed(&mut in_order, &all);
    for shuffle in 0..5 {
        let mut shuffled = all.clone();
        Stream::new(shuffle, Purpose::new("completion"), 0).shuffle(&mut shuffled);
        let mut rule = started(Some(0.3), 5, 20);
        for record in &shuffled {
            rule.settled(record);
        }
        assert_eq!(rule.trajectory().looks, in_order.trajectory().looks);
        assert_eq!(rule.trajectory().stop, in_order.trajectory().stop);
    }
}

#[test]
fn a_late_pair_is_waited_for_and_never_overtaken() {
    let all = records(12, 3.0, 3);
    let mut rule = started(None, 3, 12);
    // Everything but the first pair's candidate: no look can be taken.
    assert!(!all.iter().skip(2).any(|record| rule.settled(record)));
    assert!(!rule.settled(&all[0]));
    assert!(rule.trajectory().looks.is_empty());
    assert!(rule.settled(&all[1]));
    assert_eq!(looks(&rule.trajectory())[0], 3);
}

#[test]
fn a_resumed_run_makes_the_same_looks_and_none_twice() {
    let all = records(20, 0.5, 4);
    let mut whole = started(None, 5, 20);
    feed(&mut whole, &all);
    let mut resumed = started(None, 5, 20);
    // The first session's records come again, in index order, some of them even twice.
    for record in all[..20].iter().chain(&all[..6]) {
        resumed.settled(record);
    }
    feed(&mut resumed, &all[20..]);
    assert_eq!(resumed.trajectory().looks, whole.trajectory().looks);
    let looks = looks(&resumed.trajectory());
    assert!(looks.windows(2).all(|two| two[0] < two[1]), "{looks:?}");
}

#[test]
fn a_difference_inside_the_margin_is_equivalent() {
    let mut rule = started(Some(2.0), 5, 30);
    let reason = feed(&mut rule, &records(30, 0.0, 5)).unwrap();
    assert_eq!(rule.trajectory().stop, Some(Stop::Equivalent), "{reason:?}");
    assert!(rule.trajectory().pairs < 15);
}

#[test]
fn broken_pairs_take_no_part_and_are_counted() {
    let mut all = records(20, 3.0, 6);
    all[2] = ended(all[2].clone(), Outcome::Failed);
    let mut rule = started(None, 5, 20);
    feed(&mut rule, &all).unwrap();
    let trajectory = rule.trajectory();
    assert_eq!(trajectory.broken, 1);
    assert_eq!(trajectory.looks[0].n, 5);
}

#[test]
fn a_candidate_that_mostly_fails_is_not_improved_by_what_is_left_of_it() {
    let mut all = records(20, 3.0, 1);
    for pair in (0..20).filter(|pair| pair % 4 > 0) {
        all[2 * pair + 1] = ended(all[2 * pair + 1].clone(), Outcome::Failed);
    }
    let mut rule = started(None, 5, 20);
    let reason = feed(&mut rule, &all).unwrap();
    let trajectory = rule.trajectory();
    assert_eq!(trajectory.stop, Some(Stop::Exhausted), "{reason:?}");
    assert!(matches!(
        no_answer(&reason),
        ObjectionKind::MissingPairs { .. }
    ));
    assert_eq!(trajectory.answers[0].stop, None);
    let failed = |arm: usize| {
        let of = &trajectory.failures[arm];
        (of.arm.as_str(), of.count.failed, of.count.trials)
    };
    assert_eq!(failed(0), ("control", 0, 20));
    assert_eq!(failed(1), ("candidate", 15, 20));
}

#[test]
fn an_arm_that_fails_keeps_no_other_from_its_answer() {
    let rule = rule(5, 20);
    let mut spec = budgeted(None, &rule);
    let mut third = spec.arms[1].clone();
    third.name = "crashing".to_owned();
    spec.arms.push(third);
    let plan = SequentialPlan::new(&spec, rule).unwrap();
    let mut started = SequentialRule::new(&spec, plan).unwrap();
    for (pair, two) in records(20, 3.0, 1).chunks(2).enumerate() {
        let made = record(
            100 + pair as u64,
            "train",
            "crashing",
            documented_seeds(pair),
        );
        for one in two.iter().chain([&ended(made, Outcome::Failed)]) {
            started.settled(one);
        }
    }
    let trajectory = started.trajectory();
    assert_eq!(trajectory.stop, Some(Stop::Exhausted));
    assert_eq!(trajectory.answers[0].arm, "candidate");
    assert_eq!(trajectory.answers[0].stop, Some(Stop::Improved));
    assert_eq!(trajectory.answers[1].stop, None);
    assert_eq!(trajectory.failures[2].count.failed, 20);
    // The run's reason names the answer that there is, and every arm has its own.
    let pairs = trajectory.answers[0].pairs;
    assert!(pairs < 20);
    let answered = ArmReason::Answered {
        stop: Stop::Improved,
        pairs,
    };
    assert_eq!(trajectory.answers[0].reason, Some(answered));
    assert!(matches!(
        no_answer(trajectory.answers[1].reason.as_ref().unwrap()),
        ObjectionKind::MissingPairs {
            broken: 20,
            of: 20,
            ..
        }
    ));
    // Intervals hold at the share of the error rate that an arm has.
    assert_eq!((trajectory.alpha, trajectory.arm_alpha), (0.05, 0.025));
}

#[test]
fn a_timing_is_compared_by_ratio_and_must_clear_its_threshold() {
    let feed_ratio = |ratio: f64| {
        let rule = rule(5, 20);
        let mut time = metric("score", Some(Direction::Down));
        time.unit = Some("s".to_owned());
        let spec = with_budget(&spec(&[time]), &rule).unwrap();
        let plan = SequentialPlan::new(&spec, rule).unwrap();
        let mut started = SequentialRule::new(&spec, plan).unwrap();
        let mut stream = Stream::new(9, Purpose::new("timings"), 0);
        for pair in 0..20 {
            for (place, (arm, factor)) in
                [("control", 1.0), ("candidate", ratio)].iter().enumerate()
            {
                let seed = documented_seeds(pair);
                let made = record((2 * pair + place) as u64, "train", arm, seed);
                // Seeds differ by factors, which differences would drown in.
                let value = (pair as f64).exp() * factor * (0.002 * stream.normal()).exp();
                started.settled(&measured(made, &[("score", value)]));
            }
        }
        started.trajectory()
    };
    assert_eq!(feed_ratio(1.05).stop, Some(Stop::Regressed));
    assert_eq!(feed_ratio(0.95).stop, Some(Stop::Improved));
    assert_eq!(feed_ratio(1.002).stop, Some(Stop::Equivalent));
    // Surely slower, and not surely by more than the threshold of 1 %.
    let open = feed_ratio(1.01);
    assert_eq!(open.stop, Some(Stop::Exhausted), "{:?}", open.answers);
}

#[test]
fn failures_that_could_turn_an_answer_keep_it_open() {
    let without = {
        let mut rule = started(None, 5, 30);
        feed(&mut rule, &records(30, 3.0, 6)).unwrap();
        rule.trajectory().pairs
    };
    let mut all = records(30, 3.0, 6);
    all[3] = ended(all[3].clone(), Outcome::Timeout);
    let mut rule = started(None, 5, 30);
    let reason = feed(&mut rule, &all).unwrap();
    let trajectory = rule.trajectory();
    assert_eq!(trajectory.stop, Some(Stop::Improved), "{reason:?}");
    assert!(trajectory.pairs > without, "{} {without}", trajectory.pairs);
    let first = &trajectory.looks[0].arms[0];
    assert!(matches!(
        held_back(&first.verdict),
        ObjectionKind::MissingData { turned: Some(turned), .. } if turned.from == Word::Improved
    ));
    // What the machine broke is no failure of the arm.
    all[3].outcome = Outcome::Infra;
    let mut rule = started(None, 5, 30);
    feed(&mut rule, &all).unwrap();
    let trajectory = rule.trajectory();
    let mut arms = trajectory.looks.iter().flat_map(|look| &look.arms);
    assert!(arms.all(|arm| !arm.verdict.is_held_back()));
}

#[test]
fn a_budget_without_an_answer_ends_inconclusive() {
    let mut all = records(6, 0.0, 7);
    for record in &mut all {
        *record = ended(record.clone(), Outcome::Failed);
    }
    let mut rule = started(None, 5, 6);
    let reason = feed(&mut rule, &all).unwrap();
    assert_eq!(rule.trajectory().stop, Some(Stop::Exhausted));
    assert!(matches!(reason, ArmReason::Exhausted { budget: 6, .. }));
}

#[test]
fn what_cannot_be_run_until_decided_is_refused_with_the_reason() {
    let rule = rule(5, 10);
    let score = metric("score", Some(Direction::Up));
    let mut no_arms = spec(std::slice::from_ref(&score));
    no_arms.arms.clear();
    let refused = |spec: &Spec| {
        SequentialPlan::new(spec, rule.clone())
            .unwrap_err()
            .to_string()
    };
    assert!(refused(&no_arms).contains("two arms"));
    assert!(refused(&spec(&[])).contains("declared metric"));
    let mut listed = spec(&[score]);
    listed.seeds = vec![7, 8];
    let error = with_budget(&listed, &rule).unwrap_err().to_string();
    assert!(error.contains("may need 10 seeds"), "{error}");
}

/// Without a difference, over all looks together, a verdict must be as rare as alpha says; the naive rule has 20 %.
#[test]
fn a_run_without_a_difference_is_rarely_decided() {
    let (experiments, alpha) = (1_000, 0.05);
    let rule = rule(4, 15);
    let spec = budgeted(None, &rule);
    let plan = SequentialPlan::new(&spec, rule).unwrap();
    let mut wrong = 0;
    let fresh = SequentialRule::new(&spec, plan).unwrap();
    for number in 0..experiments {
        let mut rule = fresh.clone();
        feed(&mut rule, &records(15, 0.0, 1_000 + number));
        let stop = rule.trajectory().stop.unwrap();
        wrong += u32::from(matches!(stop, Stop::Improved | Stop::Regressed));
    }
    let share = f64::from(wrong) / experiments as f64;
    let most = alpha + 3.0 * (alpha * (1.0 - alpha) / experiments as f64).sqrt();
    assert!(share <= most, "{share}");
    // And not because it never decides: a large effect is found.
    let mut found = 0;
    for number in 0..100 {
        let mut rule = fresh.clone();
        feed(&mut rule, &records(15, 1.2, 5_000 + number));
        found += u32::from(rule.trajectory().stop == Some(Stop::Improved));
    }
    assert!(found >= 90, "{found}");
}

#[test]
fn a_run_of_which_the_machine_broke_too_much_goes_on_and_ends_without_an_answer() {
    let rule = rule(5, 20);
    let mut spec = budgeted(None, &rule);
    spec.analysis.valid = Some(0.9);
    let plan = SequentialPlan::new(&spec, rule).unwrap();
    let mut all = records(20, 3.0, 1);
    let started = || SequentialRule::new(&spec, plan.clone()).unwrap();
    // One of the first eleven candidates is broken: less than nine of ten count until then.
    all[5].outcome = Outcome::Infra;
    let mut rule = started();
    assert!(
        feed(&mut rule, &all[..18]).is_none(),
        "eight of nine are too few"
    );
    let reason = feed(&mut rule, &all).unwrap();
    assert!(improved(&reason), "{reason:?}");
    // Where they stay too few, the budget is used up, whatever the values say.
    for broken in [9, 13, 21] {
        all[broken].outcome = Outcome::Infra;
    }
    let mut rule = started();
    let reason = feed(&mut rule, &all).unwrap();
    assert_eq!(rule.trajectory().stop, Some(Stop::Exhausted));
    // An answer that was taken back is none.
    assert_eq!(rule.trajectory().answers[0].stop, None);
    assert!(matches!(
        no_answer(&reason),
        ObjectionKind::TooFewCount { side, counted: 16, trials: 20, share, .. } if side == "candidate" && *share == 0.9
    ));
}

/// Lower is better, and one task counts in thousands: on one scale the other one decides.
#[test]
fn several_tasks_are_looked_at_between_their_reference_points() {
    let rule = rule(5, 20);
    let mut spec = budgeted(None, &rule);
    spec.metrics[0].direction = Some(Direction::Down);
    let mut large = spec.tasks[0].clone();
    large.id = "large".into();
    spec.tasks.push(large);
    let mut stream = Stream::new(7, Purpose::new("sequential-suite"), 0);
    let mut all = Vec::new();
    for pair in 0..20 {
        for (arm, shift) in [("control", 0.0), ("candidate", -1.0)] {
            for (task, value) in [
                ("train", 10.0 + shift + 0.1 * stream.normal()),
                ("large", 9000.0 + 3000.0 * stream.normal()),
            ] {
                let made = record(all.len() as u64, task, arm, documented_seeds(pair));
                all.push(measured(made, &[("score", value)]));
            }
        }
    }
    let stopped = |spec: &Spec| {
        let plan = SequentialPlan::new(spec, rule.clone()).unwrap();
        let mut looking = SequentialRule::new(spec, plan).unwrap();
        feed(&mut looking, &all);
        looking.trajectory()
    };
    assert_ne!(stopped(&spec).stop, Some(Stop::Improved));
    let points = |zero, one| Points::new(zero, one).unwrap();
    let mut by_task = BTreeMap::from([("train".to_owned(), points(12.0, 8.0))]);
    spec.metrics[0].reference = Some(Reference::ByTask(by_task.clone()));
    let refused = SequentialPlan::new(&spec, rule.clone()).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "a run until decided needs reference points for every task, or for none"
    );
    by_task.insert("large".to_owned(), points(100_000.0, 0.0));
    spec.metrics[0].reference = Some(Reference::ByTask(by_task));
    let found = stopped(&spec);
    assert_eq!(found.stop, Some(Stop::Improved));
    assert_eq!(
        (found.direction, found.unit.as_deref()),
        (Some(Direction::Up), Some("normalised"))
    );
    let last = found.looks.last().unwrap().arms[0].result.as_ref().unwrap();
    // A quarter of the scale in one of two tasks.
    assert!((last.estimate - 0.125).abs() < 0.03, "{}", last.estimate);
}

/// A task about another metric, or one that need not report this one, is no side that is missing.
#[test]
fn a_task_without_the_metric_breaks_no_pairs() {
    let rule = rule(5, 20);
    let mut spec = budgeted(None, &rule);
    let mut other = spec.tasks[0].clone();
    other.id = "other".into();
    spec.tasks.push(other);
    let with_other = |reports_from: usize| -> Vec<Record> {
        let pairs = records(20, 3.0, 1);
        let both = pairs.iter().enumerate().flat_map(|(place, made)| {
            let mut beside = made.clone();
            beside.trial.task = "other".into();
            beside.trial.index += 1_000;
            if place / 2 < reports_from {
                beside.metrics.clear();
            }
            [made.clone(), beside]
        });
        both.collect()
    };
    let stopped = |spec: &Spec, records: &[Record]| {
        let plan = SequentialPlan::new(spec, rule.clone()).unwrap();
        let mut looking = SequentialRule::new(spec, plan).unwrap();
        feed(&mut looking, records);
        looking.trajectory()
    };
    spec.metrics[0].required = false;
    let found = stopped(&spec, &with_other(20));
    assert_eq!((found.stop, found.broken), (Some(Stop::Improved), 0));
    // It reports from the third pair on: the first two lack it then.
    assert_eq!(stopped(&spec, &with_other(2)).broken, 2);
    // Where every trial must report it and none does, the task says nothing about the difference.
    spec.metrics[0].required = true;
    let found = stopped(&spec, &with_other(20));
    assert_eq!((found.stop, found.broken), (Some(Stop::Improved), 0));
}

/// A candidate whose values are those of the control, one of which may be gone.
fn copied(pairs: usize, failed: Option<usize>) -> Vec<Record> {
    let mut all = records(pairs, 0.0, 9);
    for pair in 0..pairs {
        all[2 * pair + 1].metrics = all[2 * pair].metrics.clone();
    }
    if let Some(pair) = failed {
        all[2 * pair + 1] = ended(all[2 * pair + 1].clone(), Outcome::Failed);
    }
    all
}

#[test]
fn an_arm_that_never_differs_is_identical_when_the_budget_is_used_up() {
    for margin in [None, Some(0.3)] {
        let mut rule = started(margin, 3, 8);
        assert!(feed(&mut rule, &copied(7, None)).is_none());
        let mut rule = started(margin, 3, 8);
        let reason = feed(&mut rule, &copied(8, None)).unwrap();
        let (stop, pairs) = (Stop::Identical, 8);
        assert_eq!(reason, ArmReason::Answered { stop, pairs });
        assert_eq!(rule.trajectory().stop, Some(Stop::Identical));
    }
    // As in a comparison that looks once, not where a trial failed: nine pairs hold eight whole ones.
    let mut rule = started(Some(0.3), 3, 9);
    let reason = feed(&mut rule, &copied(9, Some(2))).unwrap();
    assert_eq!(rule.trajectory().stop, Some(Stop::Exhausted), "{reason:?}");
}

/// Two records per pair with these values (control, candidate).
fn valued(pairs: &[(f64, f64)]) -> Vec<Record> {
    let mut records = Vec::new();
    for (pair, (control, candidate)) in pairs.iter().enumerate() {
        for (arm, value) in [("control", control), ("candidate", candidate)] {
            let made = record(records.len() as u64, "train", arm, documented_seeds(pair));
            records.push(measured(made, &[("score", *value)]));
        }
    }
    records
}

fn of_metric(change: impl FnOnce(&mut fairtrial_model::MetricDeclaration)) -> SequentialRule {
    let rule = rule(5, 20);
    let mut spec = budgeted(None, &rule);
    change(&mut spec.metrics[0]);
    SequentialRule::new(&spec, SequentialPlan::new(&spec, rule).unwrap()).unwrap()
}

#[test]
fn a_deterministic_metric_is_decided_by_its_first_pairs() {
    let mut rule = of_metric(|metric| {
        metric.deterministic = true;
        metric.direction = Some(Direction::Down);
        metric.margin = Some(Margin::Relative(0.05));
    });
    feed(&mut rule, &valued(&[(1_000_000.0, 1_500_000.0); 20])).unwrap();
    let trajectory = rule.trajectory();
    assert_eq!(trajectory.stop, Some(Stop::Regressed));
    assert_eq!(trajectory.pairs, 2);
    assert_eq!(trajectory.trials_saved, 36);
}

#[test]
fn a_constant_difference_does_not_take_the_whole_budget() {
    let mut rule = of_metric(|_| {});
    let reason = feed(&mut rule, &valued(&[(1.0, 1.5); 20])).unwrap();
    assert!(improved(&reason), "{reason:?}");
    let trajectory = rule.trajectory();
    assert!(trajectory.pairs < 15, "{}", trajectory.pairs);
    let last = trajectory.last_look("candidate").unwrap();
    let interval = last.result.as_ref().unwrap().interval;
    assert_eq!((interval.low, interval.high), (0.5, 0.5));
}

/// One collapse among losses: the t interval of the last look would include 0.
#[test]
fn a_worse_collapse_does_not_keep_a_sequential_run_from_its_answer() {
    let mut pairs: Vec<(f64, f64)> = (0..20)
        .map(|i| (10.0, 9.0 + 0.1 * f64::from(i % 7)))
        .collect();
    pairs[2].1 = -800.0;
    let mut rule = of_metric(|_| {});
    feed(&mut rule, &valued(&pairs)).unwrap();
    assert_eq!(rule.trajectory().stop, Some(Stop::Regressed));
    let last = rule.trajectory().last_look("candidate").unwrap().clone();
    let result = last.result.unwrap();
    assert_eq!(result.method, "group-sequential sign-flip test");
    assert!(result.interval.high < 0.0);
}

#[test]
fn pass_or_fail_keeps_the_error_rate_over_all_looks() {
    let experiments = 600;
    let fresh = of_metric(|_| {});
    let mut wrong = 0;
    for number in 0..experiments {
        let mut stream = Stream::new(9, Purpose::new("passes"), number);
        let mut pass = || f64::from(u8::from(stream.unit() < 0.5));
        let pairs: Vec<(f64, f64)> = (0..20).map(|_| (pass(), pass())).collect();
        let mut rule = fresh.clone();
        feed(&mut rule, &valued(&pairs));
        let stop = rule.trajectory().stop;
        wrong += u32::from(matches!(stop, Some(Stop::Improved | Stop::Regressed)));
    }
    let share = f64::from(wrong) / experiments as f64;
    assert!(share <= 0.05, "{share}");
}

#[test]
fn a_task_that_fails_everywhere_breaks_no_pairs() {
    let rule = rule(5, 12);
    let mut spec = budgeted(None, &rule);
    spec.metrics[0].required = true;
    let mut other = spec.tasks[0].clone();
    other.id = "broken".into();
    spec.tasks.push(other);
    let plan = SequentialPlan::new(&spec, rule).unwrap();
    let mut rule = SequentialRule::new(&spec, plan).unwrap();
    let mut all = Vec::new();
    for (place, one) in records(12, 3.0, 1).into_iter().enumerate() {
        let index = 100 + place as u64;
        let (arm, seed) = (one.trial.arm.clone().unwrap(), one.trial.seed);
        all.push(one);
        all.push(ended(record(index, "broken", &arm, seed), Outcome::Failed));
    }
    let reason = feed(&mut rule, &all).unwrap();
    assert!(improved(&reason), "{reason:?}");
    let last = rule.trajectory().last_look("candidate").unwrap().clone();
    let left_out = ObjectionKind::TasksLeftOut {
        tasks: vec!["broken".to_owned()],
    };
    let mut objections = last.verdict.objections.iter();
    assert!(objections.any(|objection| objection.kind == left_out));
}

#[test]
fn numbers_from_other_parts_of_curves_end_in_no_answer() {
    let with_steps = |last: fn(&str) -> f64| {
        let mut all = records(20, 3.0, 1);
        for one in &mut all {
            let arm = one.trial.arm.clone().unwrap();
            let series = fairtrial_model::SeriesInfo {
                sha256: None,
                step: None,
                file: "metrics.jsonl".into(),
                points: 10,
                first_step: fairtrial_model::Number(0.0),
                last_step: fairtrial_model::Number(last(&arm)),
                summary: "mean".into(),
                not_reached: false,
            };
            one.series.insert("score".into(), series);
        }
        let mut rule = of_metric(|metric| {
            metric.summary = Some(fairtrial_model::SeriesSummary {
                kind: fairtrial_model::SummaryKind::Mean,
                percent: None,
                n: None,
                step_min: None,
                step_max: None,
                step: None,
                threshold: None,
            });
        });
        feed(&mut rule, &all).unwrap();
        rule.trajectory()
    };
    let alike = with_steps(|_| 1_000.0);
    assert_eq!(alike.stop, Some(Stop::Improved));
    let apart = with_steps(|arm| if arm == "control" { 1_000.0 } else { 2_000.0 });
    assert_eq!(apart.stop, Some(Stop::Exhausted));
    let last = apart.last_look("candidate").unwrap();
    assert!(matches!(
        held_back(&last.verdict),
        ObjectionKind::OtherParts { .. }
    ));
}

fn started_by(rule: &StopRule) -> SequentialRule {
    let spec = budgeted(None, rule);
    let plan = SequentialPlan::new(&spec, rule.clone()).unwrap();
    SequentialRule::new(&spec, plan).unwrap()
}

#[test]
fn looks_are_taken_where_they_are_listed_and_nowhere_else() {
    let rule = rule(5, 30).looking_at(vec![5, 10, 20]);
    assert_eq!((rule.min, rule.max), (5, 20));
    let mut open = started_by(&rule);
    feed(&mut open, &records(20, 0.1, 31));
    let trajectory = open.trajectory();
    assert_eq!(trajectory.planned, [5, 10, 20]);
    assert_eq!(trajectory.trials_planned, 40);
    assert!(looks(&trajectory).iter().all(|n| [5, 10, 20].contains(n)));
    // Fewer looks have less to share the error rate with, so that the last one is nearly that of a run that looks once.
    let last = trajectory.looks.last().unwrap();
    let last = last.arms[0].result.as_ref().unwrap();
    assert!(last.n == 20 && last.critical < 2.3, "{last:?}");
}

#[test]
fn looks_at_any_time_go_on_where_seeds_are_added() {
    let rule = StopRule::decided(5, 12).at_any_time();
    let all = records(40, 0.7, 3);
    let mut first = started_by(&rule);
    let reason = feed(&mut first, &all[..24]);
    assert!(
        matches!(reason, Some(ArmReason::Exhausted { budget: 12, .. })),
        "{reason:?}"
    );
    assert!(first.trajectory().is_anytime());
    // The same records under a larger budget give the same looks, and then more.
    let mut second = started_by(&StopRule::decided(5, 40).at_any_time());
    let reason = feed(&mut second, &all).unwrap();
    assert!(improved(&reason), "{reason:?}");
    let (before, after) = (first.trajectory(), second.trajectory());
    assert_eq!(looks(&after)[..before.looks.len()], looks(&before)[..]);
    let interval = |of: &Trajectory| of.looks[4].arms[0].result.as_ref().unwrap().interval;
    assert_eq!(interval(&before), interval(&after));
}

#[test]
fn seeds_are_added_only_behind_those_that_were_looked_at_at_any_time() {
    let with = |rule: StopRule| {
        let mut spec = budgeted(None, &rule);
        spec.analysis.stop = Some(rule);
        spec
    };
    let short = with(StopRule::decided(5, 12).at_any_time());
    let long = with(StopRule::decided(5, 40).at_any_time());
    assert!(may_add_seeds(&short, &long));
    assert!(!may_add_seeds(&long, &short));
    let mut turned = long.clone();
    turned.seeds.reverse();
    assert!(!may_add_seeds(&short, &turned));
    // Planned looks keep their budget.
    assert!(!may_add_seeds(&with(StopRule::decided(5, 12)), &long));
    assert!(!may_add_seeds(&short, &with(StopRule::decided(5, 40))));
}

#[test]
fn looks_at_any_time_keep_the_error_rate() {
    let rule = started_by(&StopRule::decided(5, 30).at_any_time());
    let runs = 300;
    let wrong = (0..runs)
        .filter(|seed| {
            let mut rule = rule.clone();
            feed(&mut rule, &records(30, 0.0, 1_000 + seed));
            rule.trajectory().stop != Some(Stop::Exhausted)
        })
        .count();
    assert!((wrong as f64) < 0.05 * runs as f64, "{wrong}");
}
