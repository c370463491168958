//! Tasks that only one side has, or none: no other task stands in for them.

use super::lab::{UP, dataset, held_back, judged, only_contrast, run};
use crate::common::{ended, measured, record};
use fairtrial_analysis::CompareOptions;
use fairtrial_analysis::compare::{
    Groups, MetricComparison, MissingKind, NotRanked, ObjectionKind, Pairing, Turned, WithoutValue,
    Word,
};
use fairtrial_model::{Outcome, Record};

/// Easy tasks and hard ones, four seeds each, of arms that do not differ; `has` says which arm has a trial of which task.
fn tasks(arms: &[&str], has: impl Fn(&str, u64) -> bool) -> Vec<Record> {
    let mut records = Vec::new();
    for task in 0..20_u64 {
        for seed in 0..4_u64 {
            for (place, arm) in arms.iter().enumerate() {
                let place = place as u64;
                let noise = ((task * 31 + seed * 17 + place * 7 + seed * place * 5) % 11) as f64;
                let level = if task < 14 { 0.9 } else { 0.1 };
                let one = record(records.len() as u64, &format!("t{task:02}"), arm, seed);
                if has(arm, task) {
                    records.push(measured(one, &[("score", level + noise * 0.004)]));
                }
            }
        }
    }
    records
}

fn unpaired(records: &[Record]) -> MetricComparison {
    let options = CompareOptions {
        pairing: Pairing::Unpaired,
        ..CompareOptions::default()
    };
    only_contrast(&run(&dataset(UP, None, records), &options)).metrics[0].clone()
}

fn left_out(found: &MetricComparison) -> Vec<String> {
    let mut objections = found.verdict.objections.iter();
    let tasks = objections.find_map(|objection| match &objection.kind {
        ObjectionKind::TasksLeftOut { tasks } => Some(tasks.clone()),
        _ => None,
    });
    tasks.unwrap_or_default()
}

#[test]
fn groups_are_compared_in_the_tasks_that_both_have() {
    let arms = ["control", "candidate"];
    let records = tasks(&arms, |arm, task| arm == "control" || task < 14);
    let found = judged(UP, None, &records);
    assert_eq!(found.verdict.word, Word::Insufficient);
    let missing = ObjectionKind::MissingPairs {
        broken: 24,
        of: 80,
        groups: Groups::SeveralTasks,
    };
    assert_eq!(held_back(&found.verdict), &missing);
    let found = unpaired(&records);
    assert_eq!(found.verdict.word, Word::Inconclusive, "{found:?}");
    let effect = found.effect.as_ref().unwrap();
    assert!(effect.absolute.value.abs() < 0.02, "{effect:?}");
    assert_eq!((found.count.control, found.count.candidate), (56, 56));
    assert_eq!(found.dropped.len(), 24);
    let hard: Vec<String> = (14..20).map(|task| format!("t{task}")).collect();
    assert_eq!(left_out(&found), hard);
    // One seed per task, so that tasks are the units.
    let one_seed: Vec<Record> = records
        .into_iter()
        .filter(|record| record.trial.seed == 0)
        .collect();
    let found = unpaired(&one_seed);
    assert_eq!((found.count.control, found.count.candidate), (14, 14));
    assert_eq!(left_out(&found), hard);
    // Nothing is left to compare where the sides share no task.
    let apart = tasks(&arms, |arm, task| (arm == "control") == (task < 10));
    let found = unpaired(&apart);
    assert_eq!(found.verdict.word, Word::Insufficient);
    let nothing = ObjectionKind::NoValue {
        whose: WithoutValue::SharedTask,
        groups: Groups::None,
    };
    assert_eq!(held_back(&found.verdict), &nothing);
}

#[test]
fn failing_in_the_hard_tasks_counts_where_groups_are_compared() {
    let mut records = tasks(&["control", "candidate"], |_, _| true);
    for record in &mut records {
        let number = record.metrics.get_mut("score").unwrap();
        if record.trial.arm.as_deref() == Some("candidate") {
            number.0 += 0.007;
            if record.trial.task.as_str() > "t15" {
                record.metrics.clear();
                record.outcome = Outcome::Failed;
            }
        }
    }
    let found = unpaired(&records);
    let turned = Turned {
        from: Word::Improved,
        becomes: Word::Inconclusive,
    };
    let missing = ObjectionKind::MissingData {
        missing: MissingKind::Failures,
        turned: Some(turned),
    };
    assert_eq!(held_back(&found.verdict), &missing);
}

#[test]
fn an_arm_without_the_hard_tasks_is_not_the_best() {
    let arms = ["control", "candidate", "third"];
    let records = tasks(&arms, |arm, task| arm != "third" || task < 14);
    let comparison = run(&dataset(UP, None, &records), &CompareOptions::default());
    let last = &comparison.rankings[0].arms[2];
    assert_eq!(
        (last.arm.as_str(), last.standing.not_ranked),
        ("third", Some(NotRanked::LacksTasks { tasks: 6 }))
    );
}

#[test]
fn a_task_about_another_metric_is_not_left_out_and_one_that_the_machine_lost_is() {
    let with_third = |outcome: Outcome| {
        let mut records = tasks(&["control", "candidate"], |_, task| task < 2);
        for seed in 0..4_u64 {
            for arm in ["control", "candidate"] {
                let one = record(1000 + records.len() as u64, "third", arm, seed);
                records.push(match (outcome, arm, seed) {
                    // It reports another metric, and one of its trials failed.
                    (Outcome::Ok, "control", 0) => ended(one, Outcome::Failed),
                    (Outcome::Ok, ..) => measured(one, &[("loss", 1.0)]),
                    _ => ended(one, outcome),
                });
            }
        }
        left_out(&judged(UP, None, &records))
    };
    assert!(with_third(Outcome::Ok).is_empty());
    assert_eq!(with_third(Outcome::Failed), ["third"]);
    assert_eq!(with_third(Outcome::Infra), ["third"]);
}

/// Trials of one task that ended ok, the candidate's without a finite value where `missing` says so.
fn not_finite(task: &str, missing: impl Fn(u64) -> bool) -> Vec<Record> {
    let mut records = Vec::new();
    for seed in 0..10_u64 {
        for arm in ["control", "candidate"] {
            let value = if arm == "candidate" && missing(seed) {
                f64::NAN
            } else {
                seed as f64 + if arm == "candidate" { 20.0 } else { 0.0 } + (seed % 3) as f64
            };
            let one = record(records.len() as u64, task, arm, seed);
            records.push(measured(one, &[("score", value)]));
        }
    }
    records
}

#[test]
fn an_only_task_is_not_left_out_for_others() {
    let found = judged(UP, None, &not_finite("t", |_| true));
    assert_eq!(found.verdict.word, Word::Insufficient);
    let nothing = ObjectionKind::NoValue {
        whose: WithoutValue::Candidate,
        groups: Groups::None,
    };
    assert_eq!(held_back(&found.verdict), &nothing);
    assert_eq!(left_out(&found), [""; 0]);
    assert_eq!(found.dropped.len(), 10);
    // Two tasks of ten seeds are twenty pairs, also where all of them are broken.
    let mut two = not_finite("a", |_| true);
    two.extend(not_finite("b", |_| true));
    let found = judged(UP, None, &two);
    assert_eq!(found.verdict.word, Word::Insufficient);
    assert_eq!(left_out(&found), [""; 0]);
    assert_eq!(
        (found.dropped.len(), found.dropped[0].unit.as_str()),
        (20, "a · seed 0")
    );
}

#[test]
fn values_that_are_missing_in_a_group_are_named_and_are_no_failures() {
    let found = unpaired(&not_finite("t", |seed| seed > 1));
    assert_eq!((found.count.control, found.count.candidate), (10, 2));
    let units: Vec<&str> = found.dropped.iter().map(|one| one.unit.as_str()).collect();
    assert_eq!(units.len(), 8);
    assert_eq!(units[0], "candidate seed 2");
    assert_eq!(found.dropped[0].why, "no finite value");
    assert_eq!(found.verdict.word, Word::Insufficient);
    assert_eq!(
        *held_back(&found.verdict),
        ObjectionKind::MissingUnits {
            broken: 8,
            of: 10,
            candidate: true
        }
    );
}
