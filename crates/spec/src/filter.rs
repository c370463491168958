//! The filter language of `--only`: which trials of a plan are meant.
//!
//! `task=train and arm=cand*, seed=1072|2043, lr=0.001`, a bare word (a task or an arm), or places in the plan
//! (`0,3,5:8`). The reference page is `docs/reference/filters.md`.

mod error;
mod text;

pub use error::{FILTER_GRAMMAR, FilterError};
pub use text::filter_word;

use crate::episodes::{EpisodeSet, Place};
use fairtrial_model::{ParamValue, Params, TrialKey};
use fairtrial_text::glob::{Glob, Piece};
use text::{Sign, signs, split, split_at_and, split_once, text, trimmed};

/// A parsed filter.
#[derive(Debug, Clone, PartialEq)]
pub struct Filter {
    written: String,
    conditions: Vec<Condition>,
    places: Vec<(String, Place)>,
}

#[derive(Debug, Clone, PartialEq)]
struct Condition {
    /// Absent for a bare word.
    key: Option<String>,
    alternatives: Vec<Pattern>,
}

#[derive(Debug, Clone, PartialEq)]
struct Pattern {
    glob: Glob,
    number: Option<f64>,
}

impl Filter {
    /// Reads a filter.
    pub fn parse(written: &str) -> Result<Self, FilterError> {
        let signs = signs(written)?;
        let clauses = split(&signs, ',').flat_map(split_at_and).map(trimmed);
        let clauses: Vec<&[Sign]> = clauses.collect();
        if clauses.iter().all(|clause| clause.is_empty()) {
            return Err(FilterError::Empty);
        }
        let mut filter = Self {
            written: written.to_owned(),
            conditions: Vec::new(),
            places: Vec::new(),
        };
        // `1,,2` is the episode grammar; between other conditions a gap is more likely a slip.
        let only_places = clauses
            .iter()
            .all(|clause| clause.is_empty() || is_places(clause));
        for clause in clauses {
            if clause.is_empty() && only_places {
                continue;
            }
            filter.add(clause, written)?;
        }
        Ok(filter)
    }

    fn add(&mut self, clause: &[Sign], written: &str) -> Result<(), FilterError> {
        if clause.is_empty() {
            return Err(FilterError::MissingCondition(written.to_owned()));
        }
        if is_places(clause) {
            let clause = text(clause);
            let place = Place::parse(&clause)?;
            self.places.push((clause, place));
            return Ok(());
        }
        let condition = Condition::parse(clause)?;
        let same_key = |known: &&mut Condition| known.key.is_some() && known.key == condition.key;
        // A trial has one value per key: two conditions on one key can only be meant as alternatives.
        match self.conditions.iter_mut().find(same_key) {
            Some(known) => known.alternatives.extend(condition.alternatives),
            None => self.conditions.push(condition),
        }
        Ok(())
    }

    /// As the user wrote it.
    pub fn written(&self) -> &str {
        &self.written
    }

    /// Whether a trial is meant; `params` are all its parameters (task, arm and sweep together).
    pub fn matches(&self, trial: &TrialKey, params: &Params) -> bool {
        let place = self.places.is_empty()
            || self
                .places
                .iter()
                .any(|(_, place)| place.contains(trial.index));
        place
            && self
                .conditions
                .iter()
                .all(|condition| condition.holds(trial, params))
    }

    /// Checks the places against the size of the plan: a place beyond its end is a mistake, not an empty selection.
    pub fn check_places(&self, total: u64) -> Result<(), FilterError> {
        for (text, _) in &self.places {
            EpisodeSet::parse(text, total)?;
        }
        Ok(())
    }

    /// The parameter names that the filter asks for, for a check against those of the plan.
    pub fn parameter_names(&self) -> impl Iterator<Item = &str> {
        let keys = self
            .conditions
            .iter()
            .filter_map(|condition| condition.key.as_deref());
        keys.filter(|key| !matches!(*key, "task" | "arm" | "seed" | "rollout"))
    }
}

impl Condition {
    fn parse(clause: &[Sign]) -> Result<Self, FilterError> {
        let bad = || FilterError::Condition(text(clause));
        let (key, value) = match split_once(clause, '=') {
            Some((key, value)) => (Some(text(trimmed(key))), value),
            None => (None, clause),
        };
        let alternatives: Vec<&[Sign]> = split(value, '|').map(trimmed).collect();
        if key.as_deref() == Some("") || alternatives.iter().any(|one| one.is_empty()) {
            return Err(bad());
        }
        if let Some(key @ ("seed" | "rollout")) = key.as_deref() {
            check_whole_numbers(key, &alternatives)?;
        }
        let alternatives = alternatives.into_iter().map(Pattern::new).collect();
        Ok(Self { key, alternatives })
    }

    fn holds(&self, trial: &TrialKey, params: &Params) -> bool {
        let arm = trial.arm.as_deref();
        match self.key.as_deref() {
            None => self.accepts(&trial.task) || arm.is_some_and(|arm| self.accepts(arm)),
            Some("task") => self.accepts(&trial.task),
            Some("arm") => arm.is_some_and(|arm| self.accepts(arm)),
            Some("seed") => self.accepts(&trial.seed.to_string()),
            Some("rollout") => self.accepts(&trial.rollout.to_string()),
            Some(key) => {
                let value = params.get(key).or_else(|| trial.point.get(key));
                value.is_some_and(|value| self.accepts_value(value))
            }
        }
    }

    fn accepts(&self, text: &str) -> bool {
        self.alternatives
            .iter()
            .any(|pattern| pattern.glob.matches(text))
    }

    fn accepts_value(&self, value: &ParamValue) -> bool {
        let same_number =
            |pattern: &Pattern| pattern.number.is_some() && pattern.number == value.as_f64();
        self.alternatives.iter().any(same_number) || self.accepts(&Params::display(value))
    }
}

impl Pattern {
    fn new(signs: &[Sign]) -> Self {
        let pieces = signs.iter().filter_map(|sign| match sign.c? {
            '*' if !sign.quoted => Some(Piece::Any),
            '?' if !sign.quoted => Some(Piece::One),
            c => Some(Piece::Letter(c)),
        });
        Self {
            glob: Glob::pieces(pieces),
            number: text(signs).parse().ok(),
        }
    }
}

fn check_whole_numbers(key: &str, values: &[&[Sign]]) -> Result<(), FilterError> {
    let mut values = values.iter().map(|value| text(value));
    match values.find(|value| value.parse::<u64>().is_err()) {
        Some(value) => Err(FilterError::Number {
            key: key.to_owned(),
            value,
        }),
        None => Ok(()),
    }
}

fn is_places(clause: &[Sign]) -> bool {
    let quoted = clause.iter().any(|sign| sign.quoted);
    let clause = text(clause);
    let numeric = clause
        .bytes()
        .all(|b| b.is_ascii_digit() || b == b':' || b == b' ');
    !quoted && !clause.is_empty() && (numeric || clause.eq_ignore_ascii_case("all"))
}
