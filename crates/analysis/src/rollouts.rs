//! Rollouts of agent tasks in numbers: tasks are the unit, rollouts are nested in them. Per arm the score over what was
//! scored and over everything, pass@k and pass^k, what a solved task costs; between arms which tasks flip; and which
//! tasks are flaky.

use crate::observation::Observation;
use crate::validity::{SCORE, Validity};
use fairtrial_model::Outcome;
use fairtrial_stats::binary::PairedCounts;
use fairtrial_stats::one_arm::{Proportion, clustered_mean, clustered_share};
use fairtrial_stats::passk::{Attempts, SuitePass, suite};
use fairtrial_stats::{Interval, Level};
use serde::Serialize;
use std::collections::BTreeMap;

/// The rollouts of a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RolloutSummary {
    /// The share of an arm's rollouts that must count (be scored, or failed by the agent) for a verdict.
    pub valid: f64,
    /// Each arm, in the spec's order.
    pub arms: Vec<ArmRollouts>,
    /// Each pair of arms: the first one against every other.
    pub flips: Vec<Flips>,
    /// Tasks that an arm solves sometimes.
    pub flaky: Vec<FlakyTask>,
    /// Tasks whose rollouts all said the same.
    pub identical: Vec<IdenticalTask>,
}

/// The fact with the hash of what an agent said.
const OUTPUT_FACT: &str = "output_digest";

/// One arm.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ArmRollouts {
    /// Its name; empty where the spec compares nothing.
    pub arm: String,
    /// Tasks with a rollout that counts.
    pub tasks: usize,
    /// Rollouts.
    pub rollouts: usize,
    /// Those with a score that ended well.
    pub scored: usize,
    /// Those that the agent failed; each counts as a score of 0 in `over_all`.
    pub failed: usize,
    /// Those that say nothing about the arm (infra, cancelled, skipped), by outcome.
    pub excluded: BTreeMap<&'static str, usize>,
    /// Whether fewer rollouts count than a verdict needs.
    pub below_validity_floor: bool,
    /// The mean score over the scored rollouts.
    pub over_scored: Option<MeanScore>,
    /// The mean score with failures as 0.
    pub over_all: Option<MeanScore>,
    /// The mean score if everything excluded had scored 0, and 1.
    pub bounds: Option<[f64; 2]>,
    /// The chance to solve a task in k rollouts.
    pub pass: Vec<PassAt>,
    /// Rollouts that solved their task.
    pub solved: usize,
    /// Dollars per solved rollout; absent where nothing is solved or a cost is unknown.
    pub cost_per_solved: Option<f64>,
    /// Rollouts whose cost nobody knows.
    pub cost_unknown: usize,
    /// Tokens per solved rollout; absent where nothing is solved or a count is unknown.
    pub tokens_per_solved: Option<f64>,
    /// Rollouts whose tokens nobody counted.
    pub tokens_unknown: usize,
}

/// A mean and its interval over tasks.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MeanScore {
    /// The mean.
    pub mean: f64,
    /// Its interval, rollouts clustered by task.
    pub interval: Option<Interval>,
    /// Why there is none.
    pub no_interval: Option<String>,
}

/// Chances over k rollouts of a task.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PassAt {
    /// How many rollouts.
    pub k: u64,
    /// pass@k: at least one solves it.
    pub any: Option<SuitePass>,
    /// pass^k: all solve it.
    pub all: Option<SuitePass>,
}

/// Two arms on the same tasks and rollouts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Flips {
    /// The arm compared with.
    pub control: String,
    /// The other.
    pub candidate: String,
    /// Pairs of rollouts by who solved.
    pub counts: PairedCounts,
    /// Tasks of which the candidate solves more rollouts.
    pub gained: Vec<String>,
    /// Tasks of which it solves fewer.
    pub lost: Vec<String>,
}

/// A task that is solved sometimes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FlakyTask {
    /// The arm.
    pub arm: String,
    /// The task.
    pub task: String,
    /// Rollouts that solved it.
    pub solved: u64,
    /// Rollouts that count.
    pub rollouts: u64,
}

/// A task whose rollouts are copies of each other: repeats that a cache answered are not independent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct IdenticalTask {
    /// The arm.
    pub arm: String,
    /// The task.
    pub task: String,
    /// Rollouts that said the same, which are all.
    pub rollouts: usize,
}

/// Gathers rollouts.
#[derive(Debug, Default)]
pub(crate) struct RolloutGatherer {
    arms: BTreeMap<String, Gathered>,
}

#[derive(Debug, Default)]
struct Gathered {
    rollouts: usize,
    failed: usize,
    excluded: BTreeMap<&'static str, usize>,
    /// Task and score of what was scored, failures as absent.
    scores: Vec<(String, Option<f64>)>,
    /// By task, seed and rollout: whether it was solved.
    solved: BTreeMap<(String, u64, u32), bool>,
    /// By task: the hashes of what the agent said, with how often.
    said: BTreeMap<String, BTreeMap<String, usize>>,
    cost: f64,
    cost_unknown: usize,
    tokens: f64,
    tokens_unknown: usize,
}

impl RolloutGatherer {
    /// Takes in a trial of an agent task.
    pub(crate) fn add(&mut self, seen: &Observation<'_>) {
        let arm = seen.trial.arm.as_deref().unwrap_or_default().to_owned();
        let arm = self.arms.entry(arm).or_default();
        arm.rollouts += 1;
        match seen.metrics.get("cost_usd") {
            Some(cost) => arm.cost += cost,
            None => arm.cost_unknown += 1,
        }
        match seen.metrics.get("tokens_total") {
            Some(tokens) => arm.tokens += tokens,
            None => arm.tokens_unknown += 1,
        }
        if let Some(digest) = seen.facts.get(OUTPUT_FACT) {
            let said = arm.said.entry(seen.trial.task.to_string()).or_default();
            *said.entry(digest.clone()).or_default() += 1;
        }
        let score = seen.metrics.get(SCORE);
        let score = match (seen.outcome, score) {
            (Outcome::Ok, Some(score)) => Some(score),
            (outcome, _) if outcome.is_arm_failure() => {
                arm.failed += 1;
                None
            }
            (outcome, _) => {
                let word = if outcome == Outcome::Ok {
                    "without a score"
                } else {
                    outcome.word()
                };
                *arm.excluded.entry(word).or_default() += 1;
                return;
            }
        };
        let solved = score.is_some() && seen.metrics.get("solved") == Some(1.0);
        let task = seen.trial.task.to_string();
        let place = (task.clone(), seen.trial.seed, seen.trial.rollout);
        arm.solved.insert(place, solved);
        arm.scores.push((task, score));
    }

    /// The numbers; `order` is the spec's order of arms.
    /// `share` of the rollouts must count for a verdict.
    pub(crate) fn finish(
        self,
        order: &[String],
        level: Level,
        share: f64,
    ) -> Option<RolloutSummary> {
        let mut arms: Vec<(String, Gathered)> = self.arms.into_iter().collect();
        if arms.is_empty() {
            return None;
        }
        let place = |name: &String| order.iter().position(|arm| arm == name);
        arms.sort_by_key(|(name, _)| place(name).unwrap_or(usize::MAX));
        let flips = match arms.split_first() {
            Some((control, others)) => others.iter().map(|other| flips(control, other)).collect(),
            None => Vec::new(),
        };
        let flaky = arms
            .iter()
            .flat_map(|(name, arm)| flaky(name, arm))
            .collect();
        let identical = arms
            .iter()
            .flat_map(|(name, arm)| identical(name, arm))
            .collect();
        let described = arms
            .iter()
            .map(|(name, arm)| describe(name, arm, level, share));
        Some(RolloutSummary {
            valid: share,
            arms: described.collect(),
            flips,
            flaky,
            identical,
        })
    }
}

/// How many rollouts of each task count, and how many of them solved it.
fn by_task(arm: &Gathered) -> BTreeMap<&str, Proportion> {
    let mut tasks: BTreeMap<&str, Proportion> = BTreeMap::new();
    for ((task, ..), solved) in &arm.solved {
        let none = Proportion {
            successes: 0,
            trials: 0,
        };
        let counts = tasks.entry(task).or_insert(none);
        counts.trials += 1;
        counts.successes += u64::from(*solved);
    }
    tasks
}

fn describe(name: &str, arm: &Gathered, level: Level, share: f64) -> ArmRollouts {
    let validity = Validity {
        counted: arm.scores.len(),
        trials: arm.rollouts,
        share,
    };
    let tasks = by_task(arm);
    let counts: Vec<Proportion> = tasks.values().copied().collect();
    let solved = counts.iter().map(|task| task.successes as usize).sum();
    let most = counts.iter().map(|task| task.trials).max().unwrap_or(0);
    let pass = [1, 2, 3, 5, 10, 20, 50, 100]
        .into_iter()
        .filter(|k| *k <= most)
        .map(|k| PassAt {
            k,
            any: suite(&counts, k, Attempts::AnyOf, level).ok(),
            all: suite(&counts, k, Attempts::AllOf, level).ok(),
        });
    let per_solved = |total: f64| (solved > 0).then(|| total / solved as f64);
    let excluded: usize = arm.excluded.values().sum();
    let total: f64 = arm.scores.iter().filter_map(|(_, score)| *score).sum();
    let counted = arm.scores.len() + excluded;
    ArmRollouts {
        arm: name.to_owned(),
        tasks: tasks.len(),
        rollouts: arm.rollouts,
        scored: arm
            .scores
            .iter()
            .filter(|(_, score)| score.is_some())
            .count(),
        failed: arm.failed,
        below_validity_floor: !validity.is_enough(),
        excluded: arm.excluded.clone(),
        over_scored: mean(
            arm.scores
                .iter()
                .filter_map(|(task, score)| Some((task, (*score)?))),
            level,
        ),
        over_all: mean(
            arm.scores
                .iter()
                .map(|(task, score)| (task, score.unwrap_or(0.0))),
            level,
        ),
        bounds: (excluded > 0 && counted > 0).then(|| {
            let low = total / counted as f64;
            [low, low + excluded as f64 / counted as f64]
        }),
        pass: pass.collect(),
        solved,
        cost_per_solved: per_solved(arm.cost).filter(|_| arm.cost_unknown == 0),
        cost_unknown: arm.cost_unknown,
        tokens_per_solved: per_solved(arm.tokens).filter(|_| arm.tokens_unknown == 0),
        tokens_unknown: arm.tokens_unknown,
    }
}

fn mean<'a>(scores: impl Iterator<Item = (&'a String, f64)>, level: Level) -> Option<MeanScore> {
    let (tasks, values): (Vec<&String>, Vec<f64>) = scores.unzip();
    if values.is_empty() {
        return None;
    }
    let pass_or_fail = values.iter().all(|value| *value == 0.0 || *value == 1.0);
    let found = if pass_or_fail {
        clustered_share(&values, &tasks, level).map(|share| (share.estimate, share.interval))
    } else {
        clustered_mean(&values, &tasks, level).map(|mean| (mean.mean, mean.interval))
    };
    Some(match found {
        Ok((mean, interval)) => MeanScore {
            mean,
            interval: Some(interval),
            no_interval: None,
        },
        Err(why) => MeanScore {
            mean: values.iter().sum::<f64>() / values.len() as f64,
            interval: None,
            no_interval: Some(why.to_string()),
        },
    })
}

fn flips(control: &(String, Gathered), candidate: &(String, Gathered)) -> Flips {
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

fn flaky(name: &str, arm: &Gathered) -> Vec<FlakyTask> {
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

fn identical(name: &str, arm: &Gathered) -> Vec<IdenticalTask> {
    let same = |(task, said): (&String, &BTreeMap<String, usize>)| {
        let rollouts: usize = said.values().sum();
        (said.len() == 1 && rollouts > 1).then(|| IdenticalTask {
            arm: name.to_owned(),
            task: task.clone(),
            rollouts,
        })
    };
    arm.said.iter().filter_map(same).collect()
}

#[cfg(test)]
mod tests {
    use super::RolloutGatherer;
    use crate::observation::Observation;
    use fairtrial_stats::Level;
    use serde_json::json;

    fn add(
        all: &mut RolloutGatherer,
        arm: &str,
        task: &str,
        rollout: u32,
        outcome: &str,
        score: Option<f64>,
    ) {
        let mut metrics = serde_json::Map::new();
        if let Some(score) = score {
            metrics.insert("score".into(), score.into());
            metrics.insert("solved".into(), f64::from(u8::from(score >= 1.0)).into());
            metrics.insert("cost_usd".into(), 0.5.into());
            if task == "easy" || arm == "a" {
                metrics.insert("tokens_total".into(), 120.into());
            }
        }
        let text = json!({
            "trial": { "index": 0, "task": task, "arm": arm, "seed": 1, "rollout": rollout },
            "id": "x", "outcome": outcome, "metrics": metrics,
            "facts": { "output_digest": if task == "easy" { "same".to_owned() } else { rollout.to_string() } },
        })
        .to_string();
        let observation: Observation<'_> = serde_json::from_str(&text).unwrap();
        all.add(&observation);
    }

    #[test]
    fn failures_count_exclusions_bound_and_tasks_flip() {
        let mut all = RolloutGatherer::default();
        for (task, scores) in [("easy", [1.0, 1.0]), ("hard", [0.0, 1.0])] {
            for (rollout, score) in (0..).zip(scores) {
                add(&mut all, "a", task, rollout, "ok", Some(score));
            }
        }
        add(&mut all, "b", "easy", 0, "ok", Some(1.0));
        add(&mut all, "b", "easy", 1, "failed", Some(1.0));
        add(&mut all, "b", "hard", 0, "ok", Some(1.0));
        add(&mut all, "b", "hard", 1, "infra", None);
        let order = ["b", "a"].map(str::to_owned);
        let summary = all.finish(&order, Level::TWO_SIDED_95, 0.95).unwrap();
        let [b, a] = summary.arms.as_slice() else {
            panic!()
        };
        assert_eq!(
            (b.arm.as_str(), b.scored, b.failed, b.rollouts),
            ("b", 2, 1, 4)
        );
        assert_eq!(b.over_scored.as_ref().unwrap().mean, 1.0);
        assert!((b.over_all.as_ref().unwrap().mean - 2.0 / 3.0).abs() < 1e-12);
        assert_eq!(b.bounds, Some([0.5, 0.75]));
        assert_eq!(b.excluded["infra"], 1);
        assert_eq!(
            (b.below_validity_floor, a.below_validity_floor),
            (true, false)
        );
        let same: Vec<_> = summary
            .identical
            .iter()
            .map(|same| (same.arm.as_str(), same.task.as_str(), same.rollouts))
            .collect();
        assert_eq!(same, [("b", "easy", 2), ("a", "easy", 2)]);
        assert_eq!((b.cost_per_solved, b.cost_unknown), (None, 1));
        assert_eq!(a.cost_per_solved, Some(2.0 / 3.0));
        // A count that is missing is not 0.
        assert_eq!((b.tokens_per_solved, b.tokens_unknown), (None, 2));
        assert_eq!((a.tokens_per_solved, a.tokens_unknown), (Some(160.0), 0));
        // All passed, and still the interval has a width, inside of 0 to 1.
        let interval = b.over_scored.as_ref().unwrap().interval.unwrap();
        assert!(interval.low < 0.5 && interval.high == 1.0, "{interval:?}");
        let two = &a.pass[1];
        assert_eq!(two.k, 2);
        assert_eq!(two.any.as_ref().unwrap().estimate, 1.0);
        assert_eq!(two.all.as_ref().unwrap().estimate, 0.5);
        let flips = &summary.flips[0];
        assert_eq!(
            (
                flips.control.as_str(),
                flips.counts.candidate_only,
                flips.counts.control_only
            ),
            ("b", 1, 1)
        );
        assert_eq!(
            (flips.gained.as_slice(), flips.lost.as_slice()),
            (&["easy".to_owned()][..], &["hard".to_owned()][..])
        );
        let names: Vec<_> = summary
            .flaky
            .iter()
            .map(|task| (task.arm.as_str(), task.task.as_str()))
            .collect();
        assert_eq!(names, [("b", "easy"), ("a", "hard")]);
    }
}
