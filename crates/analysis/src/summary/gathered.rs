//! A cell and its values while they are being filled.

use fairtrial_journal::OutcomeCounts;
use fairtrial_journal::observation::Observation;
use fairtrial_model::{Outcome, Params};
use std::collections::BTreeSet;

/// A cell while it is being filled.
#[derive(Debug)]
pub(super) struct Gathered {
    pub(super) task: String,
    pub(super) arm: Option<String>,
    pub(super) point: Params,
    pub(super) trials: Vec<u64>,
    pub(super) seeds: BTreeSet<u64>,
    pub(super) outcomes: OutcomeCounts,
    pub(super) walls: Vec<f64>,
    /// By metric number; shorter than the list of names where the last ones were never seen here.
    pub(super) metrics: Vec<Values>,
}

impl Gathered {
    pub(super) fn new(observation: &Observation<'_>) -> Self {
        Self {
            task: observation.trial.task.clone().into_owned(),
            arm: observation.trial.arm.as_deref().map(str::to_owned),
            point: observation.trial.point.clone(),
            trials: Vec::new(),
            seeds: BTreeSet::new(),
            outcomes: OutcomeCounts::default(),
            walls: Vec::new(),
            metrics: Vec::new(),
        }
    }

    pub(super) fn values(&mut self, metric: usize) -> &mut Values {
        if self.metrics.len() <= metric {
            self.metrics.resize_with(metric + 1, Values::default);
        }
        &mut self.metrics[metric]
    }

    /// Trials that ended failed, timeout or oom.
    pub(super) fn arm_failures(&self) -> usize {
        let failures = Outcome::ALL
            .into_iter()
            .filter(|outcome| outcome.is_arm_failure());
        failures
            .map(|outcome| self.outcomes.get(outcome) as usize)
            .sum()
    }

    pub(super) fn ok(&self) -> usize {
        self.outcomes.ok as usize
    }
}

/// The values of one metric in one cell, finite ones with their seed.
#[derive(Debug, Clone, Default)]
pub(super) struct Values {
    pub(super) finite: Vec<f64>,
    pub(super) seeds: Vec<u64>,
    /// The values of the iterations inside the trials.
    pub(super) iterations: Vec<f64>,
    pub(super) nan: usize,
    pub(super) infinite: usize,
}

impl Values {
    pub(super) fn push(&mut self, seed: u64, value: f64) {
        if value.is_nan() {
            self.nan += 1;
        } else if value.is_infinite() {
            self.infinite += 1;
        } else {
            self.finite.push(value);
            self.seeds.push(seed);
        }
    }

    pub(super) fn reported(&self) -> usize {
        self.finite.len() + self.nan + self.infinite
    }

    /// Whether some seed has more than one value, and how many seeds there are.
    pub(super) fn seeds(&self) -> (usize, bool) {
        let mut seeds = self.seeds.clone();
        seeds.sort_unstable();
        seeds.dedup();
        (seeds.len(), seeds.len() < self.seeds.len())
    }
}
