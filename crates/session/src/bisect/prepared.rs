//! A question whose range is one.

use super::question::BisectQuestion;
use super::range::Range;
use crate::bench::{BenchQuestion, Runs};
use fairtrial_analysis::bisect::BisectRules;
use std::time::Duration;

/// Longer than anybody waits: a step ends by what it found, or by its number of blocks.
const NO_LIMIT: Duration = Duration::from_hours(24 * 365);

/// A bisect that can be made: the range is one, and the question makes sense.
#[derive(Debug)]
pub struct PreparedBisect {
    pub(super) question: BisectQuestion,
    pub(super) range: Range,
}

impl PreparedBisect {
    /// By what rules a change is looked for.
    pub(super) fn rules(&self) -> BisectRules {
        BisectRules {
            alpha: self.question.alpha,
            margin: self.question.bench.margin.ln_1p(),
            most: self.question.most as usize,
            exact: self.question.bench.counter.is_some(),
        }
    }

    /// The bench of some commits, after so many blocks of them.
    pub(super) fn bench_of(&self, arms: &[usize], blocks: usize) -> BenchQuestion {
        let left = (self.question.most as usize).saturating_sub(blocks).max(2);
        let commits = &self.range.commits;
        BenchQuestion {
            revisions: arms.iter().map(|it| commits[*it].commit.clone()).collect(),
            warmup: Some(1),
            runs: Runs {
                least: None,
                most: Some(left as u32),
                limit: NO_LIMIT,
            },
            saves: true,
            ..self.question.bench.clone()
        }
    }
}
