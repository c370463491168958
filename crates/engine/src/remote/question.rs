//! One question to a scheduler about everything of a run that is open, asked beside the taking of records: a scheduler
//! whose commands hang keeps no record back.

use super::contract::{Adopted, Engine, PlaceError, ProbedEngine, Sightings, Submitted};
use std::collections::{BTreeMap, BTreeSet};
use std::panic::resume_unwind;
use std::sync::Arc;
use std::thread::{Builder, JoinHandle};
use std::time::Instant;

/// What is to be asked.
pub(super) struct Question {
    /// Submissions of which it is not known whether, or as what, the scheduler has them, by number.
    pub(super) unconfirmed: BTreeMap<u64, Submitted>,
    /// The others, with the elements of which something is open.
    pub(super) batches: BTreeMap<u64, (Submitted, Vec<u64>)>,
}

/// What came of it.
pub(super) struct Answer {
    /// When it was asked: what was done to jobs after that is not in it.
    pub(super) asked_at: Instant,
    /// What was found of submissions that were looked for.
    pub(super) found: Vec<(u64, Result<Adopted, PlaceError>)>,
    /// The submissions whose jobs were asked for.
    pub(super) asked: BTreeSet<u64>,
    pub(super) seen: Result<Sightings, PlaceError>,
    /// Jobs that the queue does not show, and that no second source could be asked about.
    pub(super) unsure: BTreeSet<(String, u64)>,
    /// Whether what ended jobs left was brought here.
    pub(super) collected: Result<(), PlaceError>,
}

impl Question {
    /// Asks, for as long as it takes.
    fn ask(mut self, engine: &dyn Engine) -> Answer {
        let asked_at = Instant::now();
        let mut found = Vec::new();
        for (number, batch) in self.unconfirmed {
            let adopted = engine.adopt(&batch.key);
            if let Ok(Adopted::Handle(handle)) = &adopted {
                let handle = Some(handle.clone());
                let elements = (0..batch.elements).collect();
                let batch = Submitted { handle, ..batch };
                self.batches.insert(number, (batch, elements));
            }
            found.push((number, adopted));
        }
        let all: Vec<Submitted> = self
            .batches
            .values()
            .map(|(batch, _)| batch.clone())
            .collect();
        // First what is over, then what it left: the other way round a last record could be missed.
        let mut seen = engine.poll(&all);
        let mut unsure = BTreeSet::new();
        let mut collected = Ok(());
        if let Ok(seen) = &mut seen {
            unsure = look_again(engine, &self.batches, seen);
            collected = engine.collect(&all);
        }
        Answer {
            asked_at,
            found,
            asked: self.batches.into_keys().collect(),
            seen,
            unsure,
            collected,
        }
    }
}

/// Asks a second source for the open jobs that the first did not show; gives those of which it could not be asked.
fn look_again(
    engine: &dyn Engine,
    batches: &BTreeMap<u64, (Submitted, Vec<u64>)>,
    seen: &mut Sightings,
) -> BTreeSet<(String, u64)> {
    let mut missed = Vec::new();
    for (batch, elements) in batches.values() {
        let unseen = |element: &u64| !seen.contains_key(&(batch.key.clone(), *element));
        let elements: Vec<u64> = elements.iter().copied().filter(unseen).collect();
        if !elements.is_empty() {
            missed.push((batch, elements));
        }
    }
    if missed.is_empty() {
        return BTreeSet::new();
    }
    if let Ok(more) = engine.second_look(&missed) {
        for (place, state) in more {
            seen.entry(place).or_insert(state);
        }
        return BTreeSet::new();
    }
    let places = missed.iter().flat_map(|(batch, elements)| {
        let place = |element: &u64| (batch.key.clone(), *element);
        elements.iter().map(place)
    });
    places.collect()
}

/// Asks one question at a time, in a thread of its own. A question that hangs when the run is left ends with the process.
pub(super) struct Asker {
    engine: Arc<ProbedEngine>,
    asking: Option<JoinHandle<Answer>>,
}

impl Asker {
    pub(super) fn new(engine: &Arc<ProbedEngine>) -> Self {
        Self {
            engine: Arc::clone(engine),
            asking: None,
        }
    }

    /// Whether an answer is due.
    pub(super) fn is_asking(&self) -> bool {
        self.asking.is_some()
    }

    /// Begins to ask. A system without a thread to spare is tried again with the next question.
    pub(super) fn ask(&mut self, question: Question) {
        let engine = Arc::clone(&self.engine);
        let work = move || question.ask(engine.engine.as_ref());
        self.asking = Builder::new().spawn(work).ok();
    }

    /// The answer, once it is there.
    pub(super) fn answer(&mut self) -> Option<Answer> {
        let done = self.asking.take_if(|thread| thread.is_finished())?;
        Some(done.join().unwrap_or_else(|panic| resume_unwind(panic)))
    }
}
