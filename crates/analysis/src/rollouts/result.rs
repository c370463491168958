//! The rollouts of a run in numbers.

use super::judges::JudgeSummary;
use super::mean_score::MeanScore;
use fairtrial_stats::binary::PairedCounts;
use fairtrial_stats::passk::SuitePass;
use serde::Serialize;
use std::collections::BTreeMap;

/// The rollouts of a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RolloutSummary {
    /// The share of an arm's rollouts that must count (be scored, or failed by the agent) for a verdict.
    pub valid: f64,
    /// Whether scores are no shares of 1, so that nothing says when a task is solved: then there are no pass@k and no flips.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub beyond_shares: bool,
    /// Each arm, in the spec's order.
    pub arms: Vec<ArmRollouts>,
    /// Each pair of arms: the first one against every other.
    pub flips: Vec<Flips>,
    /// Tasks that an arm solves sometimes.
    pub flaky: Vec<FlakyTask>,
    /// Tasks whose rollouts all said the same.
    pub identical: Vec<IdenticalTask>,
    /// What judges said, where some were asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub judges: Option<JudgeSummary>,
}

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
    /// Attempts, those included that others took the place of.
    pub attempts: usize,
    /// Rollouts that the agent failed before the attempt that counts; for pass@k they are not solved.
    pub retried: usize,
    /// Dollars over all attempts, at least: see `cost_unknown`. Absent where no cost is known.
    pub cost: Option<f64>,
    /// Dollars of all attempts per solved rollout, at least: see `cost_unknown`. Absent where nothing is solved or no cost
    /// is known.
    pub cost_per_solved: Option<f64>,
    /// Attempts whose cost nobody knows.
    pub cost_unknown: usize,
    /// Tokens of all attempts per solved rollout, at least: see `tokens_unknown`.
    pub tokens_per_solved: Option<f64>,
    /// Attempts whose tokens nobody counted.
    pub tokens_unknown: usize,
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
