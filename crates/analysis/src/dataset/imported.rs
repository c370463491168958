//! What is different about trials that another tool measured: iterations inside one process, seeds that are only numbers,
//! and facts that its files hold.

use super::column::is_progress;
use super::{Dataset, FactKind, Repeat, SeedsPair};
use crate::error::AnalysisError;
use crate::read;
use fairtrial_journal::observation::{Metrics, Observation};
use fairtrial_journal::{Import, ImportFactKind, RunDir, RunState};
use fairtrial_spec::{Spec, Work};
use std::borrow::Cow;

/// What an import says about all its trials; nothing for a run of ours.
#[derive(Clone, Copy)]
pub(super) struct Imported {
    pairs: bool,
    /// Whether rows are iterations; absent while no trial with any was seen.
    iterations: Option<bool>,
}

impl Imported {
    pub(super) fn of(spec: &Spec) -> Option<Self> {
        let Some(Work::Imported { pairs, .. }) = spec.tasks.first().map(|task| &task.work) else {
            return None;
        };
        Some(Self {
            pairs: *pairs,
            iterations: None,
        })
    }

    /// Of one process alone the iterations are what there is to compare; of several the processes are. All trials are looked
    /// at for that where one has iterations: most logs have none, and are read once.
    pub(super) fn look(
        &mut self,
        run: &RunDir,
        state: &RunState,
        observation: &Observation<'_>,
    ) -> Result<(), AnalysisError> {
        if self.iterations.is_some() || observation.samples.is_empty() {
            return Ok(());
        }
        let mut repeated = false;
        read::observations_from(run, state, |observation| {
            repeated |= observation.trial.seed > 0 || observation.trial.rollout > 0;
            Ok(())
        })?;
        self.iterations = Some(!repeated);
        Ok(())
    }

    /// The same of trials that are at hand.
    pub(super) fn of_trials(trials: &[Observation<'_>], pairs: bool) -> Self {
        let sampled = trials.iter().any(|trial| !trial.samples.is_empty());
        let repeated = |trial: &Observation<'_>| trial.trial.seed > 0 || trial.trial.rollout > 0;
        Self {
            pairs,
            iterations: Some(sampled && !trials.iter().any(repeated)),
        }
    }

    /// Says what rows and seeds are.
    pub(super) fn shape(self, data: &mut Dataset) {
        data.seeds_pair = SeedsPair::everywhere_if(self.pairs);
        if self.iterations == Some(true) {
            data.repeat = Repeat::Iteration;
        }
        let mut names = data.metric_names();
        names.retain(|name| is_progress(name));
        data.counters = names;
    }

    /// Takes in a trial, or each iteration inside it.
    pub(super) fn push(self, data: &mut Dataset, observation: &Observation<'_>) {
        let lengths = observation.samples.values().map(Vec::len);
        let count = lengths.max().unwrap_or(0);
        if self.iterations != Some(true) || count == 0 {
            data.push(observation);
            return;
        }
        for place in 0..count {
            let mut one = observation.clone();
            one.trial.rollout = u32::try_from(place).unwrap_or(u32::MAX);
            let inside = observation.samples.iter().filter_map(|(name, values)| {
                let value = values.get(place)?;
                Some((Cow::Owned(name.clone()), value.0))
            });
            // What was measured of the whole process stands with its first iteration.
            let whole =
                observation.metrics.0.iter().filter(|(name, _)| {
                    place == 0 && !observation.samples.contains_key(name.as_ref())
                });
            one.metrics = Metrics(whole.cloned().chain(inside).collect());
            data.push(&one);
        }
    }
}

/// What the files say about how they were made.
pub(super) fn facts(data: &mut Dataset, run: &RunDir) -> Result<(), AnalysisError> {
    let Some(import) = Import::of(run)? else {
        return Ok(());
    };
    for fact in import.facts {
        let kind = match fact.kind {
            ImportFactKind::Machine => FactKind::Machine,
            ImportFactKind::Source => FactKind::Source,
            ImportFactKind::Tool => FactKind::Parameters,
        };
        data.fact(kind, fact.name, fact.value);
    }
    data.problems.extend(import.notes);
    Ok(())
}
