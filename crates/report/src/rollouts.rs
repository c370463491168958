//! Rollouts of agent tasks as tables.

use crate::grid::{Column, Grid, Section};
use crate::judges;
use crate::rollout_words::{estimate, first};
use fairtrial_analysis::rollouts::{ArmRollouts, MeanScore, PassAt, RolloutSummary};
use fairtrial_stats::Interval;
use fairtrial_stats::passk::SuitePass;
use fairtrial_text::count::{counted, first_of};
use fairtrial_text::share::percent;
use fairtrial_text::significant::significant;

/// Tasks that a sentence names.
const NAMED: usize = 4;

/// What is to know where rows are not over the same tasks.
const UNEVEN: &str = "Tasks with fewer than k rollouts that count are left out: rows over other tasks are no trend over k.";

/// Why there are no tables of what was solved.
const NO_SHARES: &str =
    "Scores are not between 0 and 1, so nothing says which tasks were solved: there is no pass@k.";

/// The tables. Rollouts that another tool made are not run again.
pub(crate) fn sections(summary: &RolloutSummary, imported: bool) -> Vec<Section> {
    let mut sections = vec![scores(summary, imported)];
    sections.extend(summary.judges.iter().flat_map(judges::sections));
    if summary.beyond_shares {
        return sections;
    }
    sections.push(pass(summary));
    if !summary.flips.is_empty() {
        sections.push(flips(summary));
    }
    sections
}

fn scores(summary: &RolloutSummary, imported: bool) -> Section {
    let mut grid = Grid::new(vec![
        Column::words("arm"),
        Column::numbers("tasks"),
        Column::numbers("rollouts"),
        Column::numbers("scored"),
        Column::numbers("failed"),
        Column::words("excluded"),
        Column::numbers("over scored"),
        Column::numbers("over all"),
        Column::words("bounds").may_go(1),
        Column::numbers("$ per solved").may_go(2),
        Column::numbers("tokens per solved").may_go(3),
    ]);
    let score = |of: Option<&MeanScore>| {
        let found = of.map(|of| (of.mean, of.interval));
        match found {
            Some((mean, range)) if summary.beyond_shares => plain(mean, range),
            _ => estimate(found),
        }
    };
    for arm in &summary.arms {
        let cost = arm.cost_per_solved.map(|cost| format!("{cost:.4}"));
        let tokens = arm.tokens_per_solved.map(|tokens| format!("{tokens:.0}"));
        grid.push(vec![
            arm.arm.as_str().into(),
            arm.tasks.to_string().into(),
            arm.rollouts.to_string().into(),
            arm.scored.to_string().into(),
            arm.failed.to_string().into(),
            excluded(arm).into(),
            score(arm.over_scored.as_ref()).into(),
            score(arm.over_all.as_ref()).into(),
            bounds(arm).into(),
            or_unknown(cost, arm.cost_unknown).into(),
            or_unknown(tokens, arm.tokens_unknown).into(),
        ]);
    }
    let mut notes = vec![
        "Scores are means with intervals over tasks, rollouts nested in them. \"Over all\" counts a failed rollout as 0; what is excluded says nothing about the arm, and the bounds count it as 0 and as 1."
            .to_owned(),
    ];
    if summary.beyond_shares {
        notes.push(NO_SHARES.to_owned());
    }
    notes.extend(summary.arms.iter().filter_map(spent));
    notes.extend(summary.arms.iter().filter_map(retried));
    for arm in summary.arms.iter().filter(|arm| arm.below_validity_floor) {
        let again = if imported {
            ""
        } else {
            " `--resume` runs the others again; `valid` of [analysis] lowers the floor."
        };
        notes.push(format!(
            "No verdict: {} of {} rollouts of {} count, fewer than {}.{again}",
            arm.scored + arm.failed,
            arm.rollouts,
            or_all(&arm.arm),
            percent(summary.valid)
        ));
    }
    notes.extend(first(identical(summary), "tasks with identical rollouts"));
    let flaky = summary.flaky.iter().map(|task| {
        format!(
            "Flaky: {} solves {} in {} of {} rollouts.",
            or_all(&task.arm),
            task.task,
            task.solved,
            task.rollouts
        )
    });
    notes.extend(first(flaky, "flaky tasks"));
    Section {
        title: "rollouts".to_owned(),
        grid: grid.without_empty_columns(),
        notes,
    }
}

/// The tasks whose rollouts are copies of each other.
pub(crate) fn identical(summary: &RolloutSummary) -> impl ExactSizeIterator<Item = String> {
    summary.identical.iter().map(|task| {
        format!(
            "Identical: {} made the same change with the same effort in all {} rollouts of {}; answers from a cache are not independent, and the intervals would be too narrow.",
            or_all(&task.arm),
            task.rollouts,
            task.task
        )
    })
}

/// The same in a sentence for the arms of which the same tasks are meant.
pub(crate) fn identical_by_arm(summary: &RolloutSummary) -> impl Iterator<Item = String> {
    let mut alike: Vec<(Vec<&str>, Vec<&str>)> = Vec::new();
    for arm in &summary.arms {
        let tasks = summary.identical.iter().filter(|task| task.arm == arm.arm);
        let tasks: Vec<&str> = tasks.map(|task| task.task.as_str()).collect();
        match alike.iter_mut().find(|(_, known)| *known == tasks) {
            _ if tasks.is_empty() => {}
            Some((arms, _)) => arms.push(or_all(&arm.arm)),
            None => alike.push((vec![or_all(&arm.arm)], tasks)),
        }
    }
    alike.into_iter().map(|(arms, tasks)| {
        let (each, arms, tasks) = match arms.len() {
            1 => ("", arms[0].to_owned(), tasks),
            _ => (" each", first_of(&arms, NAMED), tasks),
        };
        format!(
            "Identical: {arms}{each} made the same change with the same effort in all rollouts of {}; answers from a cache are not independent, and the intervals would be too narrow.",
            first_of(&tasks, NAMED)
        )
    })
}

fn pass(summary: &RolloutSummary) -> Section {
    let mut grid = Grid::new(vec![
        Column::words("arm"),
        Column::numbers("k"),
        Column::words("tasks"),
        Column::numbers("pass@k"),
        Column::numbers("pass^k"),
    ]);
    let chance = |of: Option<&SuitePass>| of.map(|of| (of.estimate, of.interval));
    let covered = |at: &PassAt| at.any.as_ref().map_or(0, |any| any.tasks);
    let arms = summary.arms.iter();
    let uneven = arms
        .flat_map(|arm| arm.pass.iter().map(|at| (arm.tasks, covered(at))))
        .any(|(tasks, covered)| covered < tasks);
    for arm in &summary.arms {
        for at @ PassAt { k, any, all } in &arm.pass {
            let tasks = uneven.then(|| format!("{} of {}", covered(at), arm.tasks));
            grid.push(vec![
                arm.arm.as_str().into(),
                k.to_string().into(),
                tasks.unwrap_or_default().into(),
                estimate(chance(any.as_ref())).into(),
                estimate(chance(all.as_ref())).into(),
            ]);
        }
    }
    Section {
        title: "solved within k rollouts".to_owned(),
        grid: grid.without_empty_columns(),
        notes: uneven.then(|| UNEVEN.to_owned()).into_iter().collect(),
    }
}

fn flips(summary: &RolloutSummary) -> Section {
    let mut grid = Grid::new(vec![
        Column::words("from"),
        Column::words("to"),
        Column::numbers("both solved"),
        Column::numbers("gained"),
        Column::numbers("lost"),
        Column::numbers("neither"),
    ]);
    let mut notes = Vec::new();
    for flips in &summary.flips {
        let counts = &flips.counts;
        grid.push(vec![
            flips.control.as_str().into(),
            flips.candidate.as_str().into(),
            counts.both_pass.to_string().into(),
            counts.candidate_only.to_string().into(),
            counts.control_only.to_string().into(),
            counts.both_fail.to_string().into(),
        ]);
        for (word, tasks) in [("more", &flips.gained), ("fewer", &flips.lost)] {
            if !tasks.is_empty() {
                let named: Vec<&str> = tasks.iter().take(10).map(String::as_str).collect();
                notes.push(format!(
                    "{} solves {word} rollouts of {}{}.",
                    flips.candidate,
                    named.join(", "),
                    if tasks.len() > 10 { ", ..." } else { "" }
                ));
            }
        }
    }
    Section {
        title: "flips, rollout by rollout of the same task".to_owned(),
        grid,
        notes,
    }
}

fn or_all(arm: &str) -> &str {
    if arm.is_empty() { "the agent" } else { arm }
}

fn excluded(arm: &ArmRollouts) -> String {
    let parts = arm.excluded.iter().map(|(word, n)| format!("{n} {word}"));
    parts.collect::<Vec<_>>().join(", ")
}

/// A mean of scores that are no shares, with its interval.
fn plain(mean: f64, interval: Option<Interval>) -> String {
    let range = interval.map(|range| {
        let [low, high] = [range.low, range.high].map(|end| significant(end, 3));
        format!(" [{low}, {high}]")
    });
    format!("{}{}", significant(mean, 3), range.unwrap_or_default())
}

fn bounds(arm: &ArmRollouts) -> String {
    arm.bounds.map_or(String::new(), |[low, high]| {
        format!("{} to {}", percent(low), percent(high))
    })
}

/// What a solved rollout takes; unknown where that of a rollout is.
/// What an arm cost over all attempts, where that is not plain from the table.
fn spent(arm: &ArmRollouts) -> Option<String> {
    let cost = arm.cost?;
    let unknown = match arm.cost_unknown {
        0 => String::new(),
        unknown => format!(", at least: the cost of {unknown} is unknown"),
    };
    let attempts = counted(arm.attempts, "attempt");
    let name = or_all(&arm.arm);
    Some(format!(
        "Spent: {name} ${cost:.4} over {attempts}{unknown}."
    ))
}

/// How many rollouts needed more than one attempt.
fn retried(arm: &ArmRollouts) -> Option<String> {
    let rollouts = counted(arm.retried, "rollout");
    let words = format!(
        "Retried: {rollouts} of {} failed before the attempt that counts; pass@k and pass^k count the first.",
        or_all(&arm.arm)
    );
    (arm.retried > 0).then_some(words)
}

fn or_unknown(per_solved: Option<String>, unknown: usize) -> String {
    match (per_solved, unknown) {
        (Some(per_solved), 0) => per_solved,
        (Some(per_solved), _) => format!("≥ {per_solved}"),
        (None, 0) => String::new(),
        (None, _) => "unknown".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{ArmRollouts, PassAt, RolloutSummary, UNEVEN, pass};
    use fairtrial_stats::Level;
    use fairtrial_stats::one_arm::Proportion;
    use fairtrial_stats::passk::{Attempts, suite};
    use std::collections::BTreeMap;

    fn summary(trials: [u64; 2]) -> RolloutSummary {
        let counts = trials.map(|trials| Proportion {
            successes: 1,
            trials,
        });
        let level = Level::TWO_SIDED_95;
        let at = |k| PassAt {
            k,
            any: suite(&counts, k, Attempts::AnyOf, level).ok(),
            all: suite(&counts, k, Attempts::AllOf, level).ok(),
        };
        RolloutSummary {
            valid: 0.95,
            beyond_shares: false,
            arms: vec![ArmRollouts {
                arm: "m".to_owned(),
                tasks: 2,
                rollouts: 0,
                scored: 0,
                failed: 0,
                excluded: BTreeMap::new(),
                below_validity_floor: false,
                over_scored: None,
                over_all: None,
                bounds: None,
                pass: vec![at(1), at(2), at(3)],
                solved: 2,
                attempts: 0,
                retried: 0,
                cost: None,
                cost_per_solved: None,
                cost_unknown: 0,
                tokens_per_solved: None,
                tokens_unknown: 0,
            }],
            flips: Vec::new(),
            flaky: Vec::new(),
            identical: Vec::new(),
            judges: None,
        }
    }

    #[test]
    fn rows_over_fewer_tasks_say_so() {
        let even = pass(&summary([3, 3]));
        assert!(even.notes.is_empty());
        assert!(!format!("{:?}", even.grid).contains("2 of 2"));
        let uneven = pass(&summary([3, 2]));
        assert_eq!(uneven.notes, [UNEVEN]);
        let shown = format!("{:?}", uneven.grid);
        assert_eq!(shown.matches("2 of 2").count(), 2, "{shown}");
        assert_eq!(shown.matches("1 of 2").count(), 1, "{shown}");
    }
}
