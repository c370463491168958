//! Which commit changed a metric: the answer in a few lines.

use crate::console::Terminal;
use crate::console::page::Page;
use crate::grid::Tone;
use fairtrial_analysis::bisect::Difference;
use fairtrial_text::count::counted;
use fairtrial_text::share;
use serde::Serialize;

/// A commit, as people know it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NamedCommit {
    /// Its hash.
    pub commit: String,
    /// The beginning of it.
    #[serde(skip)]
    pub short: String,
    /// The first line of its message.
    pub subject: String,
    /// Who wrote it.
    pub author: String,
    /// The day on which it was committed.
    pub date: String,
    /// Whether it merges others.
    pub merge: bool,
}

/// How a bisect ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum BisectEnd {
    /// Every change that was seen has its commit.
    Found,
    /// The ends do not differ.
    Same,
    /// More runs than allowed would be needed.
    Open,
    /// The user ended it.
    Interrupted,
}

/// A change, and the commits that may have made it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BisectChange {
    /// The commit; the last of those that may have made it.
    pub commit: NamedCommit,
    /// Commits before it that could not be measured, and may have made it as well.
    pub or: Vec<NamedCommit>,
    /// The last commit before it that was measured.
    pub before: NamedCommit,
    /// By how much it changed the metric.
    #[serde(flatten)]
    pub difference: Difference,
    /// The chance that this is right.
    pub probability: f64,
    /// What is known of the commits between the earlier end and it.
    pub earlier: Option<Difference>,
    /// What is known of the commits between it and the later end.
    pub later: Option<Difference>,
}

/// A part of the range of which something is not known, or in which nothing changed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BisectPart {
    /// The commit before it.
    pub from: NamedCommit,
    /// Its last commit.
    pub to: NamedCommit,
    /// Commits in it.
    pub commits: usize,
    /// How its ends differ.
    #[serde(flatten)]
    pub difference: Difference,
    /// The chance that a change lies in it; absent where it is not known whether there is one.
    pub probability: Option<f64>,
}

/// A commit that could not be measured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SkippedCommit {
    /// The commit.
    pub commit: NamedCommit,
    /// Why.
    pub why: String,
}

/// The answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BisectAnswer {
    /// How it ended.
    pub end: BisectEnd,
    /// What was compared, as people say it.
    pub metric: &'static str,
    /// The error chance of each claim.
    pub alpha: f64,
    /// The smallest difference that matters, as a share.
    pub margin: f64,
    /// The earlier end.
    pub good: NamedCommit,
    /// The later end.
    pub bad: NamedCommit,
    /// Commits after the earlier end, up to the later one.
    pub commits: usize,
    /// The changes, in the order of the range.
    pub changes: Vec<BisectChange>,
    /// Parts in which nothing changed that matters.
    pub same: Vec<BisectPart>,
    /// Parts that more runs would have to tell of.
    pub open: Vec<BisectPart>,
    /// Commits that could not be measured.
    pub skipped: Vec<SkippedCommit>,
    /// Commits that were built, or tried to be.
    pub builds: usize,
    /// Runs of the command that count.
    pub trials: usize,
    /// The runs that hold them.
    pub runs: Vec<String>,
}

/// The answer on a terminal.
pub fn console(answer: &BisectAnswer, terminal: Terminal) -> String {
    let mut page = Page::new(terminal);
    for (sentence, tone) in sentences(answer) {
        page.sentence(&sentence, tone);
    }
    page.sentence(&cost(answer), Tone::Faint);
    page.finish()
}

fn sentences(answer: &BisectAnswer) -> Vec<(String, Tone)> {
    let mut all = Vec::new();
    if answer.end == BisectEnd::Interrupted {
        let said = "interrupted; the same command resumes it".to_owned();
        all.push((said, Tone::Caution));
    }
    if answer.changes.len() > 1 {
        let changes = counted(answer.changes.len(), "change");
        all.push((
            format!("{changes} in this range, from the earliest:"),
            Tone::Plain,
        ));
    }
    for change in &answer.changes {
        all.extend(of_change(answer, change));
    }
    all.extend(
        answer
            .open
            .iter()
            .map(|part| (open(answer, part), Tone::Caution)),
    );
    all.extend(
        answer
            .same
            .iter()
            .map(|part| (same(answer, part), Tone::Plain)),
    );
    for SkippedCommit { commit, why } in &answer.skipped {
        let why = why.lines().next().unwrap_or_default();
        all.push((format!("skipped {}: {why}", named(commit)), Tone::Caution));
    }
    all
}

/// Commit, size, chance; then what may be it as well, and what else the range may hold.
fn of_change(answer: &BisectAnswer, change: &BisectChange) -> Vec<(String, Tone)> {
    let commit = &change.commit;
    let tone = match change.difference.ratio {
        Some(ratio) if ratio > 1.0 => Tone::Bad,
        _ => Tone::Good,
    };
    let mut all = vec![(
        format!(
            "{} changed the {} by {}",
            named(commit),
            answer.metric,
            size(&change.difference, answer.alpha)
        ),
        tone,
    )];
    let merge = if commit.merge { ", a merge" } else { "" };
    all.push((
        format!(
            "by {}, {}{merge}; probability {}",
            commit.author,
            commit.date,
            share::chance(change.probability, 1)
        ),
        Tone::Plain,
    ));
    if !change.or.is_empty() {
        let others: Vec<String> = change.or.iter().map(named).collect();
        let said = format!("or a skipped commit before it: {}", others.join(", "));
        all.push((said, Tone::Caution));
    }
    for (where_, rest) in [("before", change.earlier), ("after", change.later)] {
        let Some([low, high]) = rest.and_then(|rest| rest.interval) else {
            continue;
        };
        let range = between(low, high);
        all.push((
            format!("all other commits {where_} it: {range}"),
            Tone::Faint,
        ));
    }
    all
}

fn open(answer: &BisectAnswer, part: &BisectPart) -> String {
    let commits = counted(part.commits, "commit");
    let runs = "--max-blocks allows more runs; the same command resumes it";
    let (from, to) = (named(&part.from), named(&part.to));
    match part.probability {
        None => format!(
            "undecided: whether the {} changed between {from} and {to} ({}) cannot be told by {}; {runs}",
            answer.metric,
            size(&part.difference, answer.alpha),
            counted(part.difference.blocks, "block")
        ),
        Some(chance) => format!(
            "undecided: the change is one of the {commits} after {from} up to {to} (probability {}); {runs}",
            share::chance(chance, 1)
        ),
    }
}

fn same(answer: &BisectAnswer, part: &BisectPart) -> String {
    format!(
        "the {} of {} and {} does not differ by {} or more: {}",
        answer.metric,
        named(&part.from),
        named(&part.to),
        share::percent(answer.margin),
        size(&part.difference, answer.alpha)
    )
}

/// A change in percent with its interval.
fn size(difference: &Difference, alpha: f64) -> String {
    let Some(ratio) = difference.ratio else {
        return "nothing was measured".to_owned();
    };
    let change = share::change(ratio - 1.0);
    match difference.interval {
        Some([low, high]) if low < high => {
            format!("{change} [{}, {}]", between(low, high), share::level(alpha))
        }
        Some(_) => format!("{change} (counted)"),
        None => change,
    }
}

fn between(low: f64, high: f64) -> String {
    format!(
        "{} to {}",
        share::change(low - 1.0),
        share::change(high - 1.0)
    )
}

fn named(commit: &NamedCommit) -> String {
    format!("{} ({})", commit.short, commit.subject)
}

fn cost(answer: &BisectAnswer) -> String {
    format!(
        "{} in the range, {}, {} in {}",
        counted(answer.commits, "commit"),
        counted(answer.builds, "build"),
        counted(answer.trials, "run"),
        counted(answer.runs.len(), "step")
    )
}
