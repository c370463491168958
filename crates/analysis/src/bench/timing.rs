//! The numbers of each command.

use crate::error::AnalysisError;
use fairtrial_journal::{RunDir, RunState, effective_records};
use fairtrial_model::{Exit, MemorySource, Outcome, Params, Record};
use fairtrial_spec::Spec;
use fairtrial_stats::descriptive::{describe, median};
use fairtrial_stats::one_arm::mean_interval;
use fairtrial_stats::{Interval, Level};
use serde::Serialize;
use std::collections::BTreeMap;

/// One command's numbers. Times are in seconds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Timing {
    /// Its name.
    pub name: String,
    /// The parameters whose values stand in it.
    #[serde(skip_serializing_if = "Params::is_empty")]
    pub parameters: Params,
    /// Runs that count.
    pub runs: usize,
    /// Runs that ended with another exit code than 0.
    pub failures: usize,
    /// Mean.
    pub mean: f64,
    /// Its 95 % interval; from two different values on.
    pub interval: Option<Interval>,
    /// Sample standard deviation.
    pub sd: Option<f64>,
    /// Median.
    pub median: f64,
    /// Smallest.
    pub min: f64,
    /// Largest.
    pub max: f64,
    /// Mean user CPU seconds.
    pub user: f64,
    /// Mean system CPU seconds.
    pub system: f64,
    /// Median of the peaks of memory, in bytes.
    pub memory: Option<u64>,
    /// Whether all that is known of the memory is that it is not more.
    pub memory_is_bound: bool,
    /// The share of the wall time that was spent waiting for a CPU, where that is known.
    pub waited: Option<f64>,
    /// The values, in the order of time.
    pub values: Vec<f64>,
    /// The exit codes, in the same order; a signal has none.
    pub exit_codes: Vec<Option<i32>>,
    /// The seed of each value, which pairs it with the other commands' values.
    #[serde(skip)]
    pub seeds: Vec<u64>,
}

/// The numbers of every command of a bench, in the order of the commands; those without a value are left out.
pub fn timings(run: &RunDir, spec: &Spec) -> Result<Vec<Timing>, AnalysisError> {
    let state = RunState::read(&run.journal())?;
    let mut by_arm: BTreeMap<Option<String>, Vec<Record>> = BTreeMap::new();
    effective_records(&run.journal(), &state, |record| {
        if record.outcome == Outcome::Ok {
            by_arm
                .entry(record.trial.arm.clone())
                .or_default()
                .push(record);
        }
        Ok::<(), AnalysisError>(())
    })?;
    let metric = spec.primary_metric().unwrap_or("wall");
    let found = spec.tasks.iter().filter_map(|task| {
        let name = task.arm.as_ref().unwrap_or(&task.id);
        let timing = of_records(name, by_arm.remove(&task.arm)?, metric)?;
        Some(Timing {
            parameters: spec.command_parameters(task).clone(),
            ..timing
        })
    });
    Ok(found.collect())
}

fn of_records(name: &str, mut records: Vec<Record>, metric: &str) -> Option<Timing> {
    records.sort_by_key(|record| record.started_at);
    records.retain(|record| record.metrics.contains_key(metric));
    let values: Vec<f64> = records
        .iter()
        .map(|record| record.metrics[metric].0)
        .collect();
    let summary = describe(&values).ok()?;
    let interval = mean_interval(&values, Level::TWO_SIDED_95);
    let mean_of = |field: fn(&Record) -> Option<f64>| {
        let known: Vec<f64> = records.iter().filter_map(field).collect();
        known.iter().sum::<f64>() / known.len().max(1) as f64
    };
    let memory: Vec<f64> = (records.iter())
        .filter_map(|record| record.resources.peak_memory_bytes)
        .map(|bytes| bytes as f64)
        .collect();
    let is_bound =
        |record: &Record| record.resources.peak_memory_source == Some(MemorySource::RusageFloor);
    Some(Timing {
        name: name.to_owned(),
        parameters: Params::new(),
        runs: values.len(),
        failures: (records.iter())
            .filter(|record| record.exit != Some(Exit::Code(0)))
            .count(),
        mean: summary.mean,
        interval: interval.ok().map(|found| found.interval),
        sd: summary.sd,
        median: summary.median,
        min: summary.min,
        max: summary.max,
        user: mean_of(|record| record.resources.user),
        system: mean_of(|record| record.resources.sys),
        memory: median(&memory).ok().map(|bytes| bytes as u64),
        memory_is_bound: records.iter().any(is_bound),
        waited: waited(&records),
        exit_codes: records
            .iter()
            .map(|record| match record.exit {
                Some(Exit::Code(code)) => Some(code),
                _ => None,
            })
            .collect(),
        seeds: records.iter().map(|record| record.trial.seed).collect(),
        values,
    })
}

/// Short runs are not asked how long they waited; they count as not having waited.
fn waited(records: &[Record]) -> Option<f64> {
    let delays: Vec<f64> = (records.iter())
        .filter_map(|record| record.resources.run_queue_delay)
        .collect();
    let wall: f64 = records
        .iter()
        .filter_map(|record| record.resources.wall)
        .sum();
    (wall > 0.0 && !delays.is_empty()).then(|| delays.iter().sum::<f64>() / wall)
}
