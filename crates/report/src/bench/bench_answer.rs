//! What a bench came to, for those who show it.

use fairtrial_analysis::bench::{BenchEnd, CommandAnswer, NoticedIn, Timing};
use serde::Serialize;
use std::time::Duration;

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
    /// Whether they are counts of one run each, and no times.
    #[serde(skip)]
    pub counted: bool,
    /// The smallest difference that matters, as a share.
    pub margin: f64,
    /// Seconds of an empty shell, which are taken off.
    pub shell_s: Option<f64>,
    /// How long it took.
    pub took: Duration,
}
