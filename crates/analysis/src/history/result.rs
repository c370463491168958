//! What a benchmark's history holds; its JSON form is what `history --json` prints.

use fairtrial_model::{Direction, Params};
use serde::Serialize;

/// Version of the history's JSON form.
pub(super) const SCHEMA: u32 = 1;

/// The history of a benchmark.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BenchmarkHistory {
    /// The version of this form.
    pub schema: u32,
    /// The benchmark, or the table's file.
    pub name: String,
    /// The share of unchanged lines that would show a change.
    pub alpha: f64,
    /// The fewest runs of a line in which a change can be found.
    pub fewest: usize,
    /// One per metric, task, arm and point, and per way in which it was measured; those with changes first.
    pub lines: Vec<HistoryLine>,
    /// Runs that have no point, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOutRun>,
    /// The answer to "changed since X", where that was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<SinceAnswer>,
}

/// One metric of one task, arm and point, as long as it was measured alike.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HistoryLine {
    /// The metric.
    pub metric: String,
    /// Its unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// Which way is better.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub direction: Option<Direction>,
    /// The task.
    pub task: String,
    /// The arm.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arm: Option<String>,
    /// The sweep point.
    #[serde(skip_serializing_if = "Params::is_empty")]
    pub point: Params,
    /// In what this line was measured unlike the one before it; empty for the first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub began_because: Vec<MeasuredUnlike>,
    /// The runs, in order.
    pub runs: Vec<HistoryRun>,
    /// Where the level changed, in order.
    pub changes: Vec<LevelChange>,
}

/// A fact that two lines do not share.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MeasuredUnlike {
    /// What.
    pub what: String,
    /// In the line before.
    pub before: Option<String>,
    /// In this line.
    pub now: Option<String>,
}

/// One run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HistoryRun {
    /// Its stamp; of a table, the revision.
    pub run: String,
    /// The commit that was measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Whether the files differed from the commit.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub dirty: bool,
    /// Whether its trials ran different versions of the code.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub mixed: bool,
    /// The mean.
    pub mean: f64,
    /// Its interval, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<[f64; 2]>,
    /// Values behind it.
    pub n: usize,
    /// Trials without a value.
    pub missing: usize,
}

/// What a change of level is for whoever reads it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// For the worse.
    Regressed,
    /// For the better.
    Improved,
    /// Nobody said which way is better.
    Changed,
}

/// A change of level.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LevelChange {
    /// For better or worse.
    pub kind: ChangeKind,
    /// The first run of the new level, from 0.
    pub first: usize,
    /// The mean of the runs before, back to the last change.
    pub before: f64,
    /// The mean of the runs from there to the next change.
    pub after: f64,
    /// The change as a share of the level before; absent where that is zero.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relative: Option<f64>,
    /// How often runs in a random order look changed as much.
    pub p: f64,
    /// The commit of the last run before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit_before: Option<String>,
    /// The commit of the first run after.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit_after: Option<String>,
    /// Commits from the one to the other, where the repository knows both.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commits: Option<u64>,
}

/// A run without a point.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LeftOutRun {
    /// The run.
    pub run: String,
    /// Why.
    pub why: String,
}

/// Whether anything changed since a revision, a run or a day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SinceAnswer {
    /// Since what.
    pub since: String,
    /// The answer.
    pub word: SinceWord,
    /// Changes whose new level began since then.
    pub changes: usize,
    /// Lines with too few runs since then to see a change.
    pub blind: usize,
}

/// The answer to "changed since X".
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SinceWord {
    /// Something is worse, or changed and nobody said which way is better.
    Regressed,
    /// Something is better, and nothing worse.
    Improved,
    /// No change is seen.
    Unchanged,
    /// No line has runs enough since then, so that a change could not be seen.
    TooFewRuns,
}

impl BenchmarkHistory {
    /// Every change with its line: regressions first, the largest first.
    pub fn changes(&self) -> Vec<(&HistoryLine, &LevelChange)> {
        let of_line = |line| HistoryLine::changes_of(line);
        let mut all: Vec<_> = self.lines.iter().flat_map(of_line).collect();
        let size = |change: &LevelChange| change.relative.map_or(f64::INFINITY, f64::abs);
        all.sort_by(|(_, a), (_, b)| a.kind.cmp(&b.kind).then(size(b).total_cmp(&size(a))));
        all
    }
}

impl HistoryLine {
    fn changes_of(&self) -> impl Iterator<Item = (&Self, &LevelChange)> {
        self.changes.iter().map(move |change| (self, change))
    }
}
