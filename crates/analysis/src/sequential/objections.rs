//! What speaks against an answer that a look gives: pairs that are missing, failures that could turn it, code that is mixed.
//! The same rules hold for a comparison that looks once.

use super::blocks::Blocks;
use super::judged_by::JudgedBy;
use super::look::{Seen, Stop, see};
use super::looking::Looking;
use crate::compare::data::dropped::MissingKind;
use crate::compare::data::fill::Fill;
use crate::compare::objections::curve_parts;
use crate::compare::objections::objection::{Groups, Objection, ObjectionKind, Turned};
use crate::compare::rule::Rule;
use crate::compare::verdict::unopposed;
use crate::compare::word::Word;
use crate::validity::MOST_BROKEN;
use fairtrial_model::MetricDeclaration;

/// One candidate at one look.
#[derive(Debug, Clone)]
pub(super) struct CandidateLook<'a> {
    pub(super) looking: &'a Looking,
    pub(super) blocks: &'a Blocks,
    pub(super) pairs: usize,
    pub(super) candidate: usize,
    /// What the interval is held against.
    pub(super) rule: Rule,
    pub(super) by: JudgedBy,
    pub(super) metric: &'a MetricDeclaration,
    /// Its trials ran different code.
    pub(super) mixed: Option<Objection>,
}

impl CandidateLook<'_> {
    /// What speaks against an answer of the run. It can only keep a run from stopping, so that no error rate is exceeded
    /// by it.
    pub(super) fn against_answer(&self, seen: &Seen) -> Vec<Objection> {
        let Some(answer) = seen.answer.filter(|answer| answer.is_verdict()) else {
            return Vec::new();
        };
        let (against, with) = self.scenarios();
        let fills = match answer {
            Stop::Improved => vec![against],
            Stop::Regressed => vec![with],
            _ => vec![against, with],
        };
        let turned = || {
            let mut filled = self.filled(&fills);
            let other = filled.find(|seen| seen.answer != Some(answer))?;
            Some(Turned {
                from: unopposed(&seen.evidence, &self.rule),
                becomes: unopposed(&other.evidence, &self.rule),
            })
        };
        self.found(turned)
    }

    /// What speaks against the word that a gate reads from a look, whatever the run itself makes of that look.
    pub(super) fn against_gate(&self, seen: &Seen) -> Vec<Objection> {
        let rule = self.rule.at_a_gate();
        let word = unopposed(&seen.evidence, &rule);
        let (against, with) = self.scenarios();
        let fills = match word {
            Word::Improved | Word::NotWorse => vec![against],
            Word::Regressed => vec![with],
            Word::Equivalent | Word::Identical => vec![against, with],
            Word::Inconclusive | Word::Insufficient => return Vec::new(),
        };
        let turned = || {
            let words = self.filled(&fills);
            let mut words = words.map(|seen| unopposed(&seen.evidence, &rule));
            let becomes = words.find(|becomes| !stands(word, *becomes))?;
            Some(Turned {
                from: word,
                becomes,
            })
        };
        self.found(turned)
    }

    /// Broken pairs, else failures that could turn the answer; curves of which the sides' numbers are about other parts; tasks
    /// that fail everywhere.
    fn found(&self, turned: impl FnOnce() -> Option<Turned>) -> Vec<Objection> {
        let objection = self.missing_pairs().or_else(|| {
            let turned = Some(turned()?);
            Some(Objection::caps(ObjectionKind::MissingData {
                missing: MissingKind::Failures,
                turned,
            }))
        });
        let steps = self.blocks.steps_until(self.pairs, self.candidate);
        let parts = curve_parts::of_steps(&steps, self.metric);
        let silent = self.blocks.silent_tasks(self.pairs, self.candidate);
        let silent = (!silent.is_empty()).then(|| {
            let tasks = silent;
            Objection::noted(ObjectionKind::TasksLeftOut { tasks })
        });
        let mixed = self.mixed.clone();
        let found = objection.into_iter().chain(mixed);
        found.chain(parts).chain(silent).collect()
    }

    fn missing_pairs(&self) -> Option<Objection> {
        let (broken, of) = self.blocks.broken_until(self.pairs, self.candidate);
        (broken as f64 > MOST_BROKEN * of as f64).then(|| {
            Objection::withholds(ObjectionKind::MissingPairs {
                broken,
                of,
                groups: Groups::None,
            })
        })
    }

    /// The look again, with failures counted as given; none where nothing failed.
    fn filled<'a>(&'a self, fills: &'a [Fill]) -> impl Iterator<Item = Seen> + 'a {
        let differences = |fill: &Fill| self.blocks.filled(self.pairs, self.candidate, *fill);
        let samples = fills.iter().filter_map(differences);
        samples.map(|sample| see(self.looking, &sample, &self.rule, self.by))
    }

    /// Failures as bad for the candidate as values get, and as good for it.
    fn scenarios(&self) -> (Fill, Fill) {
        let seen = self.blocks.extremes(self.pairs, self.candidate);
        Fill::extremes(self.rule.direction, seen)
    }
}

/// Whether a word still holds where another one does.
fn stands(word: Word, where_holds: Word) -> bool {
    let at_least = matches!(where_holds, Word::Improved | Word::Equivalent);
    where_holds == word || (word == Word::NotWorse && at_least)
}
