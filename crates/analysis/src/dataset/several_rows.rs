//! Several rows that are one trial, as `export` writes them: a row for each iteration inside it, for each metric, or both.

use super::imported::Imported;
use super::sheet::Sheet;
use super::{Dataset, SeedsPair};
use fairtrial_journal::observation::{Metrics, Observation};
use fairtrial_model::{Number, Outcome};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// Task, arm, seed and rollout.
type Key = (String, Option<String>, u64, u32);
/// The place of a trial, the iteration and the metric.
type Cell<'a> = (usize, Option<&'a str>, Option<&'a str>);

/// Trials as their rows come.
#[derive(Default)]
pub(super) struct SeveralRows<'a> {
    /// The column that numbers iterations.
    iteration: Option<usize>,
    /// The column that names the metric whose value the row has.
    metric: Option<usize>,
    trials: Vec<Observation<'a>>,
    places: HashMap<Key, usize>,
    seen: HashSet<Cell<'a>>,
}

impl<'a> SeveralRows<'a> {
    /// For a table that has such rows; nothing for any other.
    pub(super) fn of(iteration: Option<usize>, metric: Option<usize>) -> Option<Self> {
        (iteration.is_some() || metric.is_some()).then(|| Self {
            iteration,
            metric,
            ..Self::default()
        })
    }

    /// Takes in a row, which is a part of a trial.
    pub(super) fn add(
        &mut self,
        (sheet, row): (&'a Sheet, usize),
        mut part: Observation<'a>,
    ) -> Result<(), String> {
        let metric = sheet.cell(row, self.metric);
        if self.metric.is_some() {
            let name = metric.map(Cow::Borrowed).into_iter();
            let values = part.metrics.0.iter().map(|(_, value)| *value);
            part.metrics = Metrics(name.zip(values).collect());
        }
        let key = (
            part.trial.task.to_string(),
            part.trial.arm.as_deref().map(str::to_owned),
            part.trial.seed,
            part.trial.rollout,
        );
        let next = self.trials.len();
        let place = *self.places.entry(key).or_insert(next);
        let iteration = sheet.cell(row, self.iteration);
        if !self.seen.insert((place, iteration, metric)) {
            return Err(
                "this task, arm, seed and rollout stands in the table twice, with the same iteration and metric".to_owned(),
            );
        }
        let values = std::mem::take(&mut part.metrics.0);
        if place == next {
            self.trials.push(part);
        } else if part.outcome != Outcome::Ok {
            self.trials[place].outcome = part.outcome;
        }
        let trial = &mut self.trials[place];
        if iteration.is_none() {
            trial.metrics.0.extend(values);
            return Ok(());
        }
        for (name, value) in values {
            let samples = trial.samples.entry(name.into_owned()).or_default();
            samples.push(Number(value));
        }
        Ok(())
    }

    /// The trials, in the order of their first rows. A metric of a trial is the mean of its iterations.
    pub(super) fn give(mut self, data: &mut Dataset) {
        for trial in &mut self.trials {
            let means = trial.samples.iter().map(|(name, values)| {
                let there = values.iter().filter(|value| !value.0.is_nan());
                let (sum, count) = there.fold((0.0, 0.0), |(sum, count), value| {
                    (sum + value.0, count + 1.0)
                });
                (Cow::Owned(name.clone()), sum / count)
            });
            let means: Vec<_> = means.collect();
            trial.metrics.0.extend(means);
        }
        let of_all = Imported::of_trials(&self.trials, data.seeds_pair != SeedsPair::Nowhere);
        of_all.shape(data);
        for (index, trial) in self.trials.iter_mut().enumerate() {
            trial.trial.index = index as u64;
            of_all.push(data, trial);
        }
    }
}
