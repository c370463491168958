//! What rollouts say task by task: which flip between two arms, which are flaky, and which are copies of each other.

use super::gathered::{Gathered, by_task};
use super::result::{FlakyTask, Flips, IdenticalTask};
use fairtrial_stats::binary::PairedCounts;
use fairtrial_stats::one_arm::Proportion;
use std::collections::BTreeMap;

pub(super) fn flips(control: &(String, Gathered), candidate: &(String, Gathered)) -> Flips {
    let pairs = control
        .1
        .solved
        .iter()
        .filter_map(|(place, control)| Some((*control, *candidate.1.solved.get(place)?)));
    let (before, after) = (by_task(&control.1), by_task(&candidate.1));
    let share = |counts: &Proportion| counts.successes as f64 / counts.trials as f64;
    let changed = |sign: f64| {
        let tasks = before.iter().filter(|(task, counts)| {
            let other = after.get(*task);
            other.is_some_and(|other| (share(other) - share(counts)) * sign > 0.0)
        });
        tasks.map(|(task, _)| (*task).to_owned()).collect()
    };
    Flips {
        control: control.0.clone(),
        candidate: candidate.0.clone(),
        counts: PairedCounts::from_pairs(pairs),
        gained: changed(1.0),
        lost: changed(-1.0),
    }
}

pub(super) fn flaky(name: &str, arm: &Gathered) -> Vec<FlakyTask> {
    let sometimes = |counts: &Proportion| (1..counts.trials).contains(&counts.successes);
    let tasks = by_task(arm).into_iter();
    tasks
        .filter(|(_, counts)| sometimes(counts))
        .map(|(task, counts)| FlakyTask {
            arm: name.to_owned(),
            task: task.to_owned(),
            solved: counts.successes,
            rollouts: counts.trials,
        })
        .collect()
}

pub(super) fn identical(name: &str, arm: &Gathered) -> Vec<IdenticalTask> {
    let same = |(task, answers): (&String, &BTreeMap<String, usize>)| {
        let rollouts: usize = answers.values().sum();
        let is_copied = answers.len() == 1 && rollouts > 1 && !answers.contains_key("");
        is_copied.then(|| IdenticalTask {
            arm: name.to_owned(),
            task: task.clone(),
            rollouts,
        })
    };
    arm.answers.iter().filter_map(same).collect()
}
