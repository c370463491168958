//! What ends a step of a bisect: when what is to be measured next is something else.

use super::kept::Kept;
use crate::error::SessionError;
use fairtrial_analysis::bisect::{BisectRules, Next, is_look, next};
use fairtrial_engine::{OtherCode, StopRule};
use fairtrial_journal::RunDir;
use fairtrial_model::{Outcome, Record};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

/// The rule at work; clones share one state.
#[derive(Debug, Clone)]
pub(super) struct StepRule(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    kept: Kept,
    arms: Vec<usize>,
    /// The place of each arm's name.
    names: HashMap<String, usize>,
    rules: BisectRules,
    run: String,
    /// Blocks that are not whole, by their seed.
    begun: HashMap<u64, BTreeMap<usize, f64>>,
    /// Why it ended without an answer.
    error: Option<SessionError>,
}

impl StepRule {
    pub(super) fn new(
        kept: &Kept,
        (arms, names): (&[usize], Vec<String>),
        rules: BisectRules,
    ) -> Self {
        Self(Arc::new(Mutex::new(State {
            kept: kept.clone(),
            arms: arms.to_vec(),
            names: names.into_iter().zip(arms.iter().copied()).collect(),
            rules,
            run: String::new(),
            begun: HashMap::new(),
            error: None,
        })))
    }

    /// What was kept before and what this step added.
    pub(super) fn into_kept(self) -> Result<Kept, SessionError> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match state.error.take() {
            Some(error) => Err(error),
            None => Ok(state.kept.clone()),
        }
    }
}

impl State {
    /// Takes a record; says why the step ends, where it does.
    fn take(&mut self, record: &Record) -> Result<Option<&'static str>, SessionError> {
        let arm = record.trial.arm.as_deref();
        let place = arm.and_then(|arm| self.names.get(arm).copied());
        let metric = record.metrics.values().next().map(|value| value.0);
        let (Outcome::Ok, Some(place), Some(value)) = (record.outcome, place, metric) else {
            return Ok(None);
        };
        // `not above`, and not `at most`: no number is above nothing either.
        if !value.is_finite() || value <= 0.0 {
            return Err(SessionError::Input(format!(
                "a run of {} was measured as {value}, of which there is no ratio: let the command do more work, or measure \
                 another --metric",
                arm.unwrap_or_default()
            )));
        }
        let block = self.begun.entry(record.trial.seed).or_default();
        block.insert(place, value);
        if block.len() < self.arms.len() {
            return Ok(None);
        }
        let block = self.begun.remove(&record.trial.seed).unwrap_or_default();
        self.kept.block(&self.run, &block)?;
        if !is_look(self.kept.blocks_of(&self.arms)) {
            return Ok(None);
        }
        let goes_on = next(&self.kept.evidence, &self.rules) == Next::Measure(self.arms.clone());
        Ok((!goes_on).then_some("the bisect goes on with other commits"))
    }
}

impl StopRule for StepRule {
    fn begins(&mut self, run: &RunDir, _other: OtherCode) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.run = format!("{}/{}", run.name(), run.stamp());
    }

    fn settled(&mut self, record: &Record) -> Option<String> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match state.take(record) {
            Ok(why) => why.map(str::to_owned),
            Err(error) => {
                let why = error.to_string();
                state.error = Some(error);
                Some(why)
            }
        }
    }
}
