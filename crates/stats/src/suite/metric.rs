//! The summary numbers of a suite.

use serde::Serialize;

use super::scores::Scores;
use crate::bootstrap::{interquartile_mean, plain_mean, quantile_type7};
use crate::sample::representable;
use crate::{Outcome, Undefined};

/// What a suite is summed up by.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(tag = "metric", rename_all = "snake_case")]
pub enum Metric {
    /// The mean of the task means.
    Mean,
    /// The median of the task means.
    Median,
    /// The mean of the middle half of all scores.
    Iqm,
    /// How far the scores, capped at `target`, fall short of it on average.
    OptimalityGap {
        /// The score that counts as solved.
        target: f64,
    },
}

impl Metric {
    /// The name a report shows.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mean => "mean of the task means",
            Self::Median => "median of the task means",
            Self::Iqm => "interquartile mean",
            Self::OptimalityGap { .. } => "optimality gap",
        }
    }

    /// Refuses what the metric cannot say anything about.
    pub(super) fn checked(self, scores: &Scores<'_>) -> Outcome<()> {
        match self {
            Self::Iqm if scores.is_pass_fail() => Err(Undefined::NoSolution(
                "the interquartile mean of 0/1 scores is 0 below 25 % success and 1 above 75 %: use the mean".into(),
            )),
            Self::OptimalityGap { target } if !target.is_finite() => Err(Undefined::BadArgument {
                name: "target".into(),
                value: target,
                expected: "a finite score".into(),
            }),
            _ => Ok(()),
        }
    }
}

/// The value of a metric.
pub fn point(scores: &Scores<'_>, metric: Metric) -> Outcome<f64> {
    metric.checked(scores)?;
    let mut means: Vec<f64> = scores.tasks().iter().map(|runs| plain_mean(runs)).collect();
    let value = match metric {
        Metric::Mean => plain_mean(&means),
        Metric::Median => quantile_type7(&mut means, 0.5),
        Metric::Iqm => interquartile_mean(
            &mut scores
                .tasks()
                .iter()
                .flatten()
                .copied()
                .collect::<Vec<f64>>(),
        ),
        Metric::OptimalityGap { target } => target - plain_mean(&capped_means(scores, target)),
    };
    representable(metric.name(), value)
}

fn capped_means(scores: &Scores<'_>, target: f64) -> Vec<f64> {
    let capped =
        |runs: &Vec<f64>| runs.iter().map(|x| x.min(target)).sum::<f64>() / runs.len() as f64;
    scores.tasks().iter().map(capped).collect()
}
