//! The trials of one task and arm together, for formats that hold statistics of each.

use super::outgoing::Outgoing;
use fairtrial_model::{Outcome, Record};

/// Trials of one task and arm.
pub(super) struct Group<'a> {
    pub(super) task: &'a str,
    pub(super) arm: Option<&'a str>,
    pub(super) records: Vec<&'a Record>,
}

/// A mean with its spread.
pub(super) struct Moments {
    pub(super) count: usize,
    pub(super) mean: f64,
    /// The standard deviation; absent for one value.
    pub(super) deviation: Option<f64>,
    /// Median.
    pub(super) median: f64,
    /// Smallest.
    pub(super) min: f64,
    /// Largest.
    pub(super) max: f64,
}

/// The values of a metric of one trial: of its iterations where they are kept, else its own.
pub(super) fn values_of(record: &Record, metric: &str) -> Vec<f64> {
    let own = || record.metrics.get(metric).map(std::slice::from_ref);
    let kept = record.samples.get(metric).map(Vec::as_slice);
    let values = kept.or_else(own).unwrap_or_default();
    values.iter().map(|value| value.0).collect()
}

impl Moments {
    /// Of finite values; nothing where there are none.
    pub(super) fn of(mut values: Vec<f64>) -> Option<Self> {
        values.retain(|value| value.is_finite());
        values.sort_by(f64::total_cmp);
        let count = values.len();
        let (min, max) = (*values.first()?, *values.last()?);
        let mean = values.iter().sum::<f64>() / count as f64;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        Some(Self {
            count,
            mean,
            deviation: (count > 1).then(|| (squares / (count - 1) as f64).sqrt()),
            median: f64::midpoint(values[(count - 1) / 2], values[count / 2]),
            min,
            max,
        })
    }
}

impl Group<'_> {
    /// What tells it from others.
    pub(super) fn name(&self) -> String {
        match self.arm {
            Some(arm) => format!("{} · {arm}", self.task),
            None => self.task.to_owned(),
        }
    }

    /// The values of a metric: of iterations where they are kept, else of trials.
    pub(super) fn values(&self, metric: &str) -> Vec<f64> {
        let ok = self.records.iter();
        let ok = ok.filter(|record| record.outcome == Outcome::Ok);
        ok.flat_map(|record| values_of(record, metric)).collect()
    }

    /// The mean of a metric over finite values; nothing where there are none.
    pub(super) fn moments(&self, metric: &str) -> Option<Moments> {
        Moments::of(self.values(metric))
    }

    /// The metrics that some trial has, in the order of their names.
    pub(super) fn metrics(&self) -> Vec<&str> {
        let names = self.records.iter().flat_map(|record| record.metrics.keys());
        let mut names: Vec<&str> = names.map(String::as_str).collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}

/// The groups of a run, in the order in which they come.
pub(super) fn groups<'a>(run: &Outgoing<'a>) -> Vec<Group<'a>> {
    let mut found: Vec<Group<'a>> = Vec::new();
    let mut places = std::collections::HashMap::new();
    for record in run.records {
        let (task, arm) = (record.trial.task.as_str(), record.trial.arm.as_deref());
        let place = *places.entry((task, arm)).or_insert(found.len());
        if place == found.len() {
            found.push(Group {
                task,
                arm,
                records: Vec::new(),
            });
        }
        found[place].records.push(record);
    }
    found
}
