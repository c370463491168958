//! How many trials of a side say anything about it. What the machine broke says nothing, and where that is too much of
//! a side, what is left may be the easy part of it: then nothing is concluded. This is the one place that decides that,
//! for comparisons, gates, sequential runs, sweeps and summaries alike.

use fairtrial_model::{Outcome, Record};
use fairtrial_spec::{Spec, Work};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The share of an agent task's rollouts that must count, where the spec does not say.
const ROLLOUT_FLOOR: f64 = 0.95;
/// The share of pairs with a side missing from which on nothing is concluded.
pub(crate) const MOST_BROKEN: f64 = 0.2;
/// The metric without which a rollout that ended well says nothing.
pub(crate) const SCORE: &str = "score";
/// Metrics of a rollout of which a failed one has 0: it was asked, and did not do it.
const OWED: [&str; 2] = [SCORE, "solved"];
/// Shares are sums of few trials: a rounding is no broken trial.
const ROUNDING: f64 = 1e-9;

/// How much of a side must count for a verdict.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Floor {
    /// The share of its trials.
    pub share: f64,
    /// The tasks whose trials are rollouts, which must have a score to count.
    pub rollouts: BTreeSet<String>,
    /// Whose trials it holds for.
    pub holds_for: HoldsFor,
    /// Whether what is missing can be run again: not where another tool measured it.
    #[serde(default)]
    pub can_resume: bool,
}

/// Whose trials a floor holds for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HoldsFor {
    /// Rollouts of agent tasks.
    Rollouts,
    /// Every trial, because the spec says so.
    All,
}

impl Floor {
    /// The floor of a spec: what it says (`analysis.valid`), else that of agent tasks where it has one.
    pub fn of(spec: &Spec) -> Option<Self> {
        let agents = spec.tasks.iter();
        let agents = agents.filter(|task| task.work.is_answered());
        let rollouts: BTreeSet<String> = agents.map(|task| task.id.clone()).collect();
        let can_resume = !spec
            .tasks
            .iter()
            .any(|task| matches!(task.work, Work::Imported { .. }));
        match spec.analysis.valid {
            Some(share) => Some(Self {
                share,
                rollouts,
                holds_for: HoldsFor::All,
                can_resume,
            }),
            None if rollouts.is_empty() => None,
            None => Some(Self {
                share: ROLLOUT_FLOOR,
                rollouts,
                holds_for: HoldsFor::Rollouts,
                can_resume,
            }),
        }
    }

    /// Whether a trial of this task that failed has 0 by this metric, instead of nothing.
    pub(crate) fn owes(&self, task: &str, metric: &str) -> bool {
        OWED.contains(&metric) && self.rollouts.contains(task)
    }

    /// The same with another share, for every trial.
    pub(crate) fn with(floor: Option<&Self>, share: f64) -> Self {
        Self {
            share,
            rollouts: floor
                .map(|floor| floor.rollouts.clone())
                .unwrap_or_default(),
            holds_for: HoldsFor::All,
            can_resume: floor.is_some_and(|floor| floor.can_resume),
        }
    }

    /// Counts trials: the task of each, how it ended, and its score.
    pub(crate) fn count<'a>(
        &self,
        trials: impl IntoIterator<Item = (&'a str, Outcome, Option<f64>)>,
    ) -> Validity {
        let mut found = Validity {
            counted: 0,
            trials: 0,
            share: self.share,
            can_resume: self.can_resume,
        };
        for (task, outcome, score) in trials {
            let is_rollout = self.rollouts.contains(task);
            if !is_rollout && self.holds_for == HoldsFor::Rollouts {
                continue;
            }
            let answered = outcome == Outcome::Ok && (!is_rollout || score.is_some());
            found.trials += 1;
            found.counted += usize::from(answered || outcome.is_arm_failure());
        }
        found
    }
}

/// How many trials of a side count.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Validity {
    /// Those that count: they have their answer, or the arm failed.
    pub counted: usize,
    /// All that the floor holds for.
    pub trials: usize,
    /// The share that must count.
    pub share: f64,
    /// Whether what is missing can be run again.
    pub can_resume: bool,
}

impl Validity {
    /// Whether enough count for a verdict.
    pub fn is_enough(&self) -> bool {
        self.counted as f64 + ROUNDING >= self.share * self.trials as f64
    }

    /// Why there is no verdict, and what to do.
    pub fn why(&self, side: &str) -> String {
        let percent = (1e4 * self.share).round() / 100.0;
        let again = if self.can_resume {
            "; `--resume` runs the others again, and `valid` of [analysis] lowers the floor"
        } else {
            ""
        };
        format!(
            "only {} of {} trials of {side} count, fewer than {percent} %: nothing is concluded{again}",
            self.counted, self.trials
        )
    }
}

/// Counts what becomes known record by record, arm by arm.
#[derive(Debug, Clone)]
pub(crate) struct ValidityByArm {
    floor: Option<Floor>,
    arms: BTreeMap<String, Validity>,
}

impl ValidityByArm {
    pub(crate) fn new(floor: Option<Floor>) -> Self {
        Self {
            floor,
            arms: BTreeMap::new(),
        }
    }

    /// Takes in a trial's final record; each trial once.
    pub(crate) fn take(&mut self, record: &Record) {
        let Some(floor) = &self.floor else { return };
        let score = record.metrics.get(SCORE).map(|score| score.0);
        let one = floor.count([(record.trial.task.as_str(), record.outcome, score)]);
        let arm = record.trial.arm.clone().unwrap_or_default();
        let sum = self.arms.entry(arm).or_insert(Validity {
            counted: 0,
            trials: 0,
            ..one
        });
        sum.counted += one.counted;
        sum.trials += one.trials;
    }

    /// An arm of which too few trials count for a verdict, and how many do.
    pub(crate) fn too_few(&self) -> Option<(&str, Validity)> {
        let short = self.arms.iter().find(|(_, of)| !of.is_enough());
        short.map(|(arm, of)| (arm.as_str(), *of))
    }
}

#[cfg(test)]
mod tests {
    use super::{Floor, HoldsFor};
    use fairtrial_model::Outcome;

    fn floor(share: f64, holds_for: HoldsFor) -> Floor {
        Floor {
            share,
            rollouts: ["agent".to_owned()].into(),
            holds_for,
            can_resume: true,
        }
    }

    #[test]
    fn what_the_machine_broke_does_not_count_and_failures_do() {
        let trials = [
            ("agent", Outcome::Ok, Some(0.5)),
            ("agent", Outcome::Ok, None),
            ("agent", Outcome::Failed, None),
            ("agent", Outcome::Oom, None),
            ("agent", Outcome::Infra, None),
            ("other", Outcome::Ok, None),
            ("other", Outcome::Infra, None),
        ];
        let rollouts = floor(0.6, HoldsFor::Rollouts).count(trials);
        assert_eq!((rollouts.counted, rollouts.trials), (3, 5));
        assert!(rollouts.is_enough(), "exactly the floor is enough");
        let all = floor(0.6, HoldsFor::All).count(trials);
        assert_eq!((all.counted, all.trials), (4, 7));
        assert!(!all.is_enough());
        assert!(
            all.why("b")
                .starts_with("only 4 of 7 trials of b count, fewer than 60 %")
        );
        assert!(floor(1.0, HoldsFor::All).count([]).is_enough());
        assert!(
            floor(0.1 * 3.0, HoldsFor::All)
                .count([("other", Outcome::Ok, None); 3])
                .is_enough()
        );
    }
}
