//! What speaks against an answer that a look gives: pairs that are missing, and failures that could turn it. The same
//! two rules hold for a comparison that looks once.

use super::blocks::Blocks;
use super::look::{self, ArmLook, Stop};
use crate::compare::{Fill, Rule, Word};
use crate::validity::MOST_BROKEN;
use fairtrial_stats::sequential::TBoundaries;
use fairtrial_text::share::percent_to;

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
    let broken = too_broken(asked);
    broken.or_else(|| {
        let (against, with) = scenarios(asked);
        let fills = match answer {
            Stop::Improved => vec![against],
            Stop::Regressed => vec![with],
            _ => vec![against, with],
        };
        let mut answers = filled(asked, &fills).map(|look| look.answer);
        let turned = answers.find(|becomes| *becomes != Some(answer))?;
        Some(turned_into(
            answer.word(),
            turned.map_or("undecided", Stop::word),
        ))
    })
}

/// Why a gate must not read its word from a look, whatever the run itself makes of that look.
pub(super) fn doubt_held(asked: &Asked<'_>, word: Word) -> Option<String> {
    let (against, with) = scenarios(asked);
    let fills = match word {
        Word::Improved | Word::NotWorse => vec![against],
        Word::Regressed => vec![with],
        Word::Equivalent | Word::Identical => vec![against, with],
        Word::Inconclusive | Word::Insufficient => return None,
    };
    let broken = too_broken(asked);
    broken.or_else(|| {
        let becomes = |found: ArmLook| {
            let result = found.result.as_ref();
            result.map_or(Word::Insufficient, |result| {
                look::held_word(result, &asked.rule)
            })
        };
        let mut words = filled(asked, &fills).map(becomes);
        let turned = words.find(|becomes| !stands(word, *becomes))?;
        Some(turned_into(word.text(), turned.text()))
    })
}

/// Whether a word still holds where another one does.
fn stands(word: Word, where_holds: Word) -> bool {
    let at_least = matches!(where_holds, Word::Improved | Word::Equivalent);
    where_holds == word || (word == Word::NotWorse && at_least)
}

fn too_broken(asked: &Asked<'_>) -> Option<String> {
    let broken = asked.blocks.broken_share(asked.pairs, asked.candidate);
    (broken > MOST_BROKEN)
        .then(|| format!("{} of the pairs have a side missing", percent_to(broken, 0)))
}

/// The look again, with failures counted as given; none where nothing failed.
fn filled<'a>(asked: &'a Asked<'_>, fills: &'a [Fill]) -> impl Iterator<Item = ArmLook> + 'a {
    let differences = |fill: &Fill| asked.blocks.filled(asked.pairs, asked.candidate, *fill);
    let samples = fills.iter().filter_map(differences);
    samples.map(|sample| look::take(asked.boundaries, &sample, &asked.rule, ""))
}

/// Failures as bad for the candidate as values get, and as good for it.
fn scenarios(asked: &Asked<'_>) -> (Fill, Fill) {
    let seen = asked.blocks.extremes(asked.pairs, asked.candidate);
    Fill::extremes(asked.rule.direction, seen)
}

fn turned_into(word: &str, becomes: &str) -> String {
    format!("missing data: with failures counted against it, {word} would become {becomes}")
}
