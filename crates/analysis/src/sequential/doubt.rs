//! What speaks against an answer that a look gives: pairs that are missing, and failures that could turn it. The same
//! two rules hold for a comparison that looks once.

use super::blocks::Blocks;
use super::look::{self, Stop};
use crate::compare::{Fill, Rule};
use crate::validity::MOST_BROKEN;
use fairtrial_stats::sequential::TBoundaries;

/// One candidate at one look.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asked<'a> {
    pub(super) boundaries: &'a TBoundaries,
    pub(super) blocks: &'a Blocks,
    pub(super) pairs: usize,
    pub(super) candidate: usize,
    /// What the interval is held against.
    pub(super) rule: Rule,
}

/// Why an answer does not count. It can only keep a run from stopping, so that no error rate is exceeded by it.
pub(super) fn doubt(asked: &Asked<'_>, answer: Stop) -> Option<String> {
    if !answer.is_verdict() {
        return None;
    }
    let broken = asked.blocks.broken_share(asked.pairs, asked.candidate);
    if broken > MOST_BROKEN {
        let percent = (100.0 * broken).round();
        return Some(format!("{percent} % of the pairs have a side missing"));
    }
    let differences = |fill: &Fill| asked.blocks.filled(asked.pairs, asked.candidate, *fill);
    let filled = scenarios(asked, answer);
    // The answers with failures counted as bad for it as values get; none where nothing failed.
    let mut answers = filled
        .iter()
        .filter_map(differences)
        .map(|differences| look::take(asked.boundaries, &differences, &asked.rule, "").answer);
    let turned = answers.find(|becomes| *becomes != Some(answer))?;
    let becomes = turned.map_or("undecided", Stop::word);
    Some(format!(
        "missing data: with failures counted against it, {} would become {becomes}",
        answer.word()
    ))
}

/// Failures as bad for the answer as values get.
fn scenarios(asked: &Asked<'_>, answer: Stop) -> Vec<Fill> {
    let seen = asked.blocks.extremes(asked.pairs, asked.candidate);
    let (against, with) = Fill::extremes(asked.rule.direction, seen);
    match answer {
        Stop::Improved => vec![against],
        Stop::Regressed => vec![with],
        _ => vec![against, with],
    }
}
