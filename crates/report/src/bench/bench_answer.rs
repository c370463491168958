//! What a bench came to, for those who show it.

use fairtrial_analysis::bench::{BenchEnd, CommandAnswer, NoticedIn, Timing};
use serde::Serialize;
use std::time::Duration;

/// What kind of numbers are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BenchNumbers {
    /// Times.
    Times,
    /// Counts, measured in each run.
    Counts,
    /// Counts of one run each, which another run would give again.
    Exact,
}

/// What a bench came to.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct BenchAnswer<'a> {
    /// Each command but the first against the first.
    pub answers: &'a [CommandAnswer],
    /// The numbers of each command.
    pub commands: &'a [Timing],
    /// What a reader should know.
    pub noticed: &'a [NoticedIn],
    /// Why it ended before its answer, where it did.
    pub end: Option<BenchEnd>,
    /// What was compared, as people say it.
    pub metric: &'static str,
    /// What kind of numbers they are.
    #[serde(skip)]
    pub numbers: BenchNumbers,
    /// The smallest difference that matters, as a share.
    pub margin: f64,
    /// Seconds of an empty shell, which are taken off.
    pub shell_s: Option<f64>,
    /// How long it took.
    pub took: Duration,
}
