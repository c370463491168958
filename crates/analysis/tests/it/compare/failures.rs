//! Trials without a value: what they do to a verdict.

use super::lab::{GAIN, UP, dataset, held_back, judged, objects, only_contrast, paired, run};
use crate::common::{ended, measured, record};
use fairtrial_analysis::CompareOptions;
use fairtrial_analysis::compare::{Groups, MissingKind, ObjectionKind, WithoutValue, Word};
use fairtrial_analysis::validity::{Floor, HoldsFor};
use fairtrial_model::{Outcome, Record};

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
    assert!(matches!(
        held_back(&found.verdict),
        ObjectionKind::MissingData { .. }
    ));
    // More trials that fail as often would not settle it, nor does it hang on a unit that is there.
    assert_eq!(found.verdict.advice, None);
    assert!(found.second_opinions.leave_one_out.is_none());
    // The machine's fault is not the arm's.
    records[15].outcome = Outcome::Infra;
    assert_eq!(judged(UP, None, &records).verdict.word, Word::Improved);
}

#[test]
fn a_side_without_any_value_is_called_by_its_name() {
    for broken in ["control", "candidate"] {
        let mut records = paired(&GAIN);
        for record in &mut records {
            if record.trial.arm.as_deref() == Some(broken) {
                record.metrics.clear();
            }
        }
        let found = judged(UP, None, &records);
        assert_eq!(found.verdict.word, Word::Insufficient);
        let whose = match broken {
            "control" => WithoutValue::Control,
            _ => WithoutValue::Candidate,
        };
        let groups = Groups::None;
        let nothing = ObjectionKind::NoValue { whose, groups };
        assert_eq!(held_back(&found.verdict), &nothing);
    }
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
    assert!(matches!(
        held_back(&found.verdict),
        ObjectionKind::MissingPairs {
            broken: 2,
            of: 8,
            ..
        }
    ));
}

#[test]
fn equal_values_are_not_identical_where_trials_failed() {
    let mut records = paired(&[(2.0, 2.0); 10]);
    let word = |records: &[Record]| judged(UP, None, records).verdict;
    assert_eq!(word(&records).word, Word::Identical);
    let fail = |record: &mut Record| {
        record.outcome = Outcome::Failed;
        record.metrics.clear();
    };
    fail(&mut records[1]);
    let found = word(&records);
    assert_eq!(found.word, Word::Inconclusive);
    let missing = ObjectionKind::MissingData {
        missing: MissingKind::Failures,
        turned: None,
    };
    assert_eq!(held_back(&found), &missing);
    for place in [3, 5] {
        fail(&mut records[place]);
    }
    let found = word(&records);
    assert_eq!(found.word, Word::Insufficient);
    assert!(matches!(
        held_back(&found),
        ObjectionKind::MissingPairs {
            broken: 3,
            of: 10,
            ..
        }
    ));
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
fn a_rollout_that_failed_has_scored_nothing() {
    // What is left of the candidate is better than the control; with its failures it is worse.
    let pairs: Vec<(f64, f64)> = (0..12)
        .map(|i| (0.65 + f64::from(i % 3) / 50.0, 1.0))
        .collect();
    let mut records = paired(&pairs);
    for pair in (0..12).filter(|pair| pair % 2 == 0) {
        let failed = &mut records[2 * pair + 1];
        *failed = ended(failed.clone(), Outcome::Failed);
        failed.metrics.clear();
    }
    let mut data = dataset(UP, None, &records);
    data.floor = Some(Floor {
        share: 0.95,
        rollouts: ["train".to_owned()].into(),
        holds_for: HoldsFor::Rollouts,
        can_resume: true,
    });
    let comparison = run(&data, &CompareOptions::default());
    let found = &only_contrast(&comparison).metrics[0];
    assert_eq!(found.dropped.len(), 0);
    assert_eq!(found.candidate.as_ref().unwrap().mean, 0.5);
    assert_ne!(found.verdict.word, Word::Improved);
    // Of other trials, a value that is not there is missing.
    data.floor = None;
    let comparison = run(&data, &CompareOptions::default());
    assert_eq!(only_contrast(&comparison).metrics[0].dropped.len(), 6);
}

#[test]
fn a_task_that_failed_everywhere_is_named() {
    let mut records = paired(&GAIN);
    let broken: Vec<Record> = records
        .iter()
        .map(|record| {
            let mut broken = ended(record.clone(), Outcome::Failed);
            broken.trial.index += 100;
            broken.trial.task = "broken".into();
            broken.metrics.clear();
            broken
        })
        .collect();
    let flag = ObjectionKind::TasksLeftOut {
        tasks: vec!["broken".into()],
    };
    assert!(!objects(&judged(UP, None, &records).verdict, &flag));
    records.extend(broken);
    let found = judged(UP, None, &records);
    assert!(objects(&found.verdict, &flag), "{:?}", found.verdict);
    // One that merely does not report the metric is not about it.
    for record in &mut records {
        record.outcome = Outcome::Ok;
    }
    let found = judged(UP, None, &records);
    assert!(!objects(&found.verdict, &flag), "{:?}", found.verdict);
}

/// Two tasks of other sizes, 20 seeds each; the last arm is better in both and fails once, in the larger one.
fn other_sizes(arms: &[&str]) -> Vec<Record> {
    let mut records = Vec::new();
    for (task, size) in [("large", 1000.0), ("small", 1.0)] {
        for seed in 0..20_u64 {
            for (place, arm) in (0_u64..).zip(arms) {
                let one = record(records.len() as u64, task, arm, seed);
                let last = place as usize == arms.len() - 1;
                if last && task == "large" && seed == 7 {
                    records.push(ended(one, Outcome::Failed));
                    continue;
                }
                let noise = ((seed * 7 + place * 3 + seed * place * 5) % 10) as f64 * 0.001;
                let lift = if last { 0.03 } else { 0.0 };
                records.push(measured(one, &[("score", size * (1.0 + lift + noise))]));
            }
        }
    }
    records
}

#[test]
fn a_failure_is_as_bad_as_values_of_its_task_get() {
    let found = judged(UP, None, &other_sizes(&["control", "candidate"]));
    // A run of the large task never scores 1, as the small one does.
    assert_eq!(found.verdict.word, Word::Improved, "{:?}", found.verdict);
    let records = other_sizes(&["control", "candidate", "third"]);
    let ranking = &run(&dataset(UP, None, &records), &CompareOptions::default()).rankings[0];
    let best = &ranking.arms[0];
    assert_eq!((best.arm.as_str(), best.standing.failed), ("third", 1));
    // Of its 20 runs of the large task one counts as the worst of all arms, 1000.
    let apart = best.standing.mean - best.standing.worst_case.unwrap();
    assert!((0.5..1.5).contains(&apart), "{apart}");
}
