//! One metric of all trials: its values, and the series behind them.

use super::Dataset;
use super::horizon::Horizon;
use fairtrial_journal::observation::Behind;

impl Dataset {
    /// The series behind a metric's value for every trial; absent where it is of none.
    pub(crate) fn series(&self, metric: &str) -> Vec<Option<Behind>> {
        let mut series = vec![None; self.trials.len()];
        if let Some(column) = self.by_metric.get(metric) {
            for (place, behind) in &self.columns[*column].series {
                series[*place as usize] = Some(*behind);
            }
        }
        series
    }

    /// What every trial reported of a metric; absent where it reported none. Of steps to a threshold that was not reached,
    /// the last one.
    pub(crate) fn reported(&self, metric: &str) -> Vec<Option<f64>> {
        let mut values = vec![None; self.trials.len()];
        if let Some(column) = self.by_metric.get(metric) {
            for (place, value) in &self.columns[*column].values {
                values[*place as usize] = Some(*value);
            }
        }
        values
    }

    /// The value of a metric for every trial, with steps counted up to one horizon of all arms and points.
    pub(crate) fn values(&self, metric: &str) -> Vec<Option<f64>> {
        let mut values = self.reported(metric);
        if let Some(column) = self.by_metric.get(metric) {
            let not_reached = self.columns[*column].series.iter();
            let not_reached = not_reached.filter(|(_, behind)| behind.not_reached);
            let places: Vec<usize> = not_reached.map(|(place, _)| *place as usize).collect();
            let horizon = Horizon::of(
                places
                    .into_iter()
                    .filter_map(|place| Some((self.trials[place].task, values[place]?))),
            );
            for (trial, value) in self.trials.iter().zip(&mut values) {
                *value = value.map(|value| horizon.counted(trial.task, value));
            }
        }
        values
    }

    /// Whether some trial has a value of a metric.
    pub(crate) fn has_values(&self, metric: &str) -> bool {
        self.by_metric.contains_key(metric)
    }
}
