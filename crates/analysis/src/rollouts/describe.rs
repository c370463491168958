//! One arm's rollouts in numbers.

use super::gathered::{Gathered, by_task};
use super::mean_score::MeanScore;
use super::result::{ArmRollouts, PassAt};
use crate::validity::Validity;
use fairtrial_stats::Level;
use fairtrial_stats::one_arm::{Proportion, clustered_mean, clustered_share};
use fairtrial_stats::passk::{Attempts, suite};

pub(super) fn describe(name: &str, arm: &Gathered, level: Level, share: f64) -> ArmRollouts {
    let validity = Validity {
        counted: arm.scores.len(),
        trials: arm.rollouts,
        share,
        can_resume: true,
    };
    let tasks = by_task(arm);
    let counts: Vec<Proportion> = tasks.values().copied().collect();
    let shares = !arm.beyond_shares;
    let solved = arm.solved.values().filter(|solved| shares && **solved);
    let solved = solved.count();
    let most = counts.iter().map(|task| task.trials).max().unwrap_or(0);
    let pass = [1, 2, 3, 5, 10, 20, 50, 100]
        .into_iter()
        .filter(|k| shares && *k <= most)
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
        bounds: (shares && excluded > 0 && counted > 0).then(|| {
            let low = total / counted as f64;
            [low, low + excluded as f64 / counted as f64]
        }),
        pass: pass.collect(),
        solved,
        attempts: arm.rollouts + arm.superseded,
        retried: arm.retried.len(),
        cost: (arm.cost_unknown < arm.rollouts + arm.superseded).then_some(arm.cost),
        cost_per_solved: per_solved(arm.cost)
            .filter(|_| arm.cost_unknown < arm.rollouts + arm.superseded),
        cost_unknown: arm.cost_unknown,
        tokens_per_solved: per_solved(arm.tokens)
            .filter(|_| arm.tokens_unknown < arm.rollouts + arm.superseded),
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
