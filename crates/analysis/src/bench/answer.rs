//! The answer about one command against the first, by the looks of the run's stopping rule.

use crate::compare::result::{Comparison, Contrast};
use crate::compare::word::Word;
use crate::sequential::{Stop, Trajectory};
use serde::Serialize;
use std::time::Duration;

/// Why a bench ended before it had its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum BenchEnd {
    /// A command failed.
    Failed,
    /// The time is up.
    TimeLimit,
    /// The mean of the one command is known well enough.
    Precise,
    /// The user asked for the end.
    Interrupted,
}

/// What is known about a command against the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Finding {
    /// It is faster.
    Faster,
    /// It is slower.
    Slower,
    /// It differs by less than what matters, either way.
    Equivalent,
    /// It cannot be told yet.
    Open,
}

/// One command against the first.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CommandAnswer {
    /// The first command.
    pub reference: String,
    /// The command.
    pub command: String,
    /// What is known.
    pub finding: Finding,
    /// The typical time of the command over that of the first: the Hodges-Lehmann estimate over the pairs.
    pub ratio: Option<f64>,
    /// Its interval, valid at every look.
    pub interval: Option<[f64; 2]>,
    /// One minus the confidence of the interval.
    pub alpha: f64,
    /// Pairs that it rests on.
    pub pairs: usize,
    /// Where it is open: about how many more seconds would tell.
    pub needs_s: Option<f64>,
}

impl CommandAnswer {
    /// Every command but the first, by what was counted once: nothing is left to chance.
    pub fn exact(comparison: &Comparison) -> Vec<Self> {
        let of = |contrast: &Contrast| {
            let metric = contrast.metrics.first()?;
            let ratio = metric.candidate.as_ref()?.mean / metric.control.as_ref()?.mean;
            Some(Self {
                reference: contrast.control.arm.clone()?,
                command: contrast.candidate.arm.clone()?,
                finding: match metric.verdict.word {
                    Word::Improved => Finding::Faster,
                    Word::Regressed => Finding::Slower,
                    Word::Equivalent | Word::Identical => Finding::Equivalent,
                    _ => Finding::Open,
                },
                ratio: Some(ratio),
                interval: Some([ratio, ratio]),
                alpha: comparison.alpha,
                pairs: metric.count.control,
                needs_s: None,
            })
        };
        comparison.contrasts.iter().filter_map(of).collect()
    }

    /// Every command but the first; `took` is how long all pairs took.
    pub fn all(trajectory: &Trajectory, took: Duration) -> Vec<Self> {
        let each = trajectory.answers.iter();
        each.map(|answer| {
            let look = trajectory.last_look(&answer.arm);
            let result = look.and_then(|look| look.result.as_ref());
            let finding = match answer.stop {
                Some(Stop::Improved) => Finding::Faster,
                Some(Stop::Regressed) => Finding::Slower,
                Some(Stop::Equivalent | Stop::Identical) => Finding::Equivalent,
                _ => Finding::Open,
            };
            let bounded = result
                .filter(|found| found.interval.low.is_finite() && found.interval.high.is_finite());
            let margin = look.and_then(|look| look.margin);
            let needs_s = bounded
                .zip(margin)
                .filter(|_| finding == Finding::Open)
                .and_then(|(found, margin)| {
                    let half = 0.5 * (found.interval.high - found.interval.low);
                    more_seconds(
                        (found.estimate, half),
                        margin,
                        (found.n, took.as_secs_f64()),
                    )
                });
            Self {
                reference: trajectory.control.clone(),
                command: answer.arm.clone(),
                finding,
                ratio: result.map(|found| found.estimate.exp()),
                interval: bounded
                    .map(|found| [found.interval.low.exp(), found.interval.high.exp()]),
                alpha: trajectory.arm_alpha,
                pairs: result.map_or(0, |found| found.n),
                needs_s,
            }
        })
        .collect()
    }
}

/// Seconds until the interval is so narrow that it excludes no difference, or every difference that matters, if the
/// estimate stays where it is: its width goes with the root of the pairs.
fn more_seconds(
    (estimate, half): (f64, f64),
    margin: f64,
    (pairs, took): (usize, f64),
) -> Option<f64> {
    let wanted = estimate.abs().max(margin - estimate.abs());
    let pairs = pairs as f64;
    let more = pairs * (half / wanted).powi(2) - pairs;
    let seconds = more * took / pairs;
    (seconds.is_finite() && seconds > 0.0).then_some(seconds)
}

#[cfg(test)]
mod tests {
    use super::more_seconds;

    #[test]
    fn a_quarter_of_the_width_takes_sixteen_times_the_pairs() {
        let needs = more_seconds((0.02, 0.08), 0.01, (100, 10.0));
        assert!((needs.unwrap() - 150.0).abs() < 1e-9);
        assert_eq!(more_seconds((0.02, 0.01), 0.01, (100, 10.0)), None);
    }
}
