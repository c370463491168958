//! Takes the rollouts of a run in, arm by arm, and has the numbers made of them.

use super::describe::describe;
use super::gathered::{ANSWER_FACT, Gathered};
use super::result::RolloutSummary;
use super::tasks::{flaky, flips, identical};
use crate::validity::SCORE;
use fairtrial_journal::observation::Observation;
use fairtrial_model::{Outcome, Record};
use fairtrial_stats::Level;
use std::collections::BTreeMap;

/// The metric that says whether a rollout solved its task.
const SOLVED: &str = "solved";

/// Gathers rollouts.
#[derive(Debug, Default)]
pub(crate) struct RolloutGatherer {
    arms: BTreeMap<String, Gathered>,
}

impl RolloutGatherer {
    /// Takes in a trial of an agent task.
    pub(crate) fn add(&mut self, seen: &Observation<'_>) {
        let arm = seen.trial.arm.as_deref().unwrap_or_default().to_owned();
        let arm = self.arms.entry(arm).or_default();
        arm.rollouts += 1;
        let metric = |name: &str| seen.metrics.get(name);
        arm.spend(metric("cost_usd"), metric("tokens_total"));
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
        let solved = score.is_some_and(|score| {
            let said = seen.metrics.get(SOLVED);
            // Other tools give a score alone. Where scores are shares, the whole of it is a task that is solved.
            arm.beyond_shares |= said.is_none() && !(0.0..=1.0).contains(&score);
            said.map_or(score >= 1.0, |solved| solved == 1.0)
        });
        let task = seen.trial.task.to_string();
        // One that did nothing has no answer, and so is not the same as any other.
        let answer = seen.facts.get(ANSWER_FACT).cloned().unwrap_or_default();
        *arm.answers
            .entry(task.clone())
            .or_default()
            .entry(answer)
            .or_default() += 1;
        let place = (task.clone(), seen.trial.seed, seen.trial.rollout);
        arm.solved.insert(place, solved);
        arm.scores.push((task, score));
    }

    /// Takes in an attempt that another one took the place of.
    pub(crate) fn add_superseded(&mut self, record: &Record) {
        let arm = record.trial.arm.clone().unwrap_or_default();
        let arm = self.arms.entry(arm).or_default();
        arm.superseded += 1;
        let metric = |name: &str| record.metrics.get(name).map(|number| number.0);
        arm.spend(metric("cost_usd"), metric("tokens_total"));
        if record.outcome.is_arm_failure() {
            let trial = &record.trial;
            arm.retried
                .insert((trial.task.clone(), trial.seed, trial.rollout));
        }
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
        // Where scores are no shares, nothing says from which one on a task is solved, in no arm.
        let beyond_shares = arms.iter().any(|(_, arm)| arm.beyond_shares);
        for (_, arm) in &mut arms {
            arm.beyond_shares = beyond_shares;
        }
        let flips = match arms.split_first() {
            Some((control, others)) if !beyond_shares => {
                others.iter().map(|other| flips(control, other)).collect()
            }
            _ => Vec::new(),
        };
        let flaky = arms
            .iter()
            .filter(|_| !beyond_shares)
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
            beyond_shares,
            arms: described.collect(),
            flips,
            flaky,
            identical,
            judges: None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::RolloutGatherer;
    use fairtrial_journal::observation::Observation;
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
            "facts": { "answer_digest": if task == "easy" { "same".to_owned() } else { rollout.to_string() } },
        })
        .to_string();
        let observation: Observation<'_> = serde_json::from_str(&text).unwrap();
        all.add(&observation);
    }

    /// A score of another tool, which says nothing else.
    fn add_foreign(all: &mut RolloutGatherer, rollout: u32, score: f64) {
        let text = json!({
            "trial": { "index": 0, "task": "t", "arm": "a", "seed": 1, "rollout": rollout },
            "id": "x", "outcome": "ok", "metrics": { "score": score },
        })
        .to_string();
        all.add(&serde_json::from_str(&text).unwrap());
    }

    #[test]
    fn a_score_alone_says_what_is_solved_where_scores_are_shares() {
        let finished = |scores: [f64; 3]| {
            let mut all = RolloutGatherer::default();
            for (rollout, score) in (0..).zip(scores) {
                add_foreign(&mut all, rollout, score);
            }
            all.finish(&[], Level::TWO_SIDED_95, 0.95).unwrap()
        };
        let shares = finished([1.0, 0.0, 0.5]);
        let first = shares.arms[0].pass[0].any.as_ref().unwrap();
        assert!((first.estimate - 1.0 / 3.0).abs() < 1e-12);
        assert_eq!((shares.arms[0].solved, shares.flaky.len()), (1, 1));
        let marks = finished([1.0, 7.0, 10.0]);
        assert!(marks.beyond_shares);
        let arm = &marks.arms[0];
        assert_eq!((arm.tasks, arm.solved, arm.pass.len()), (1, 0, 0));
        assert!(marks.flaky.is_empty());
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
        // What is known is a bound, with how much is not.
        assert_eq!((b.cost_per_solved, b.cost_unknown), (Some(0.75), 1));
        assert_eq!((b.cost, b.attempts), (Some(1.5), 4));
        assert_eq!(a.cost_per_solved, Some(2.0 / 3.0));
        assert_eq!((b.tokens_per_solved, b.tokens_unknown), (Some(120.0), 2));
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
