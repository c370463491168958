//! The rollouts of one arm as they were taken in.

use fairtrial_stats::one_arm::Proportion;
use std::collections::{BTreeMap, BTreeSet};

/// The fact with the hash of what an agent did and what that took.
pub(super) const ANSWER_FACT: &str = "answer_digest";

/// The rollouts of one arm.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    pub(super) rollouts: usize,
    pub(super) failed: usize,
    pub(super) excluded: BTreeMap<&'static str, usize>,
    /// Task and score of what was scored, failures as absent.
    pub(super) scores: Vec<(String, Option<f64>)>,
    /// By task, seed and rollout: whether it was solved.
    pub(super) solved: BTreeMap<(String, u64, u32), bool>,
    /// Whether a score that stands alone is below 0 or above 1: then nobody knows what is solved.
    pub(super) beyond_shares: bool,
    /// By task: the hashes of what the agent did, with how often; empty for one that did nothing.
    pub(super) answers: BTreeMap<String, BTreeMap<String, usize>>,
    pub(super) cost: f64,
    pub(super) cost_unknown: usize,
    pub(super) tokens: f64,
    pub(super) tokens_unknown: usize,
    /// Attempts that others took the place of; what they spent is spent.
    pub(super) superseded: usize,
    /// By task, seed and rollout: those that the agent failed before.
    pub(super) retried: BTreeSet<(String, u64, u32)>,
}

impl Gathered {
    pub(super) fn spend(&mut self, cost: Option<f64>, tokens: Option<f64>) {
        match cost {
            Some(cost) => self.cost += cost,
            None => self.cost_unknown += 1,
        }
        match tokens {
            Some(tokens) => self.tokens += tokens,
            None => self.tokens_unknown += 1,
        }
    }
}

/// How many rollouts of each task count, and how many of them solved it in the first attempt that the agent ended.
pub(super) fn by_task(arm: &Gathered) -> BTreeMap<&str, Proportion> {
    let mut tasks: BTreeMap<&str, Proportion> = BTreeMap::new();
    for (place, solved) in &arm.solved {
        let (task, solved) = (&place.0, *solved && !arm.retried.contains(place));
        let none = Proportion {
            successes: 0,
            trials: 0,
        };
        let counts = tasks.entry(task).or_insert(none);
        counts.trials += 1;
        counts.successes += u64::from(solved);
    }
    tasks
}
