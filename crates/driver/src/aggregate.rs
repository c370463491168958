//! From samples to one description per metric: every number that an iteration reports, not only its duration.

use fairtrial_experiment::protocol::Sample;
use fairtrial_stats::descriptive::{QuantileRule, describe, quantile_sorted};
use fairtrial_stats::one_arm::mean_interval;
use fairtrial_stats::{Level, Side};
use serde::Serialize;
use serde_json::{Map, Value};

/// Name of the wall time per iteration, as the original calls it.
pub(crate) const DURATION: &str = "duration_s";
/// Name of the CPU time per iteration.
pub(crate) const CPU: &str = "cpu_s";

/// One metric over the samples of a trial.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Aggregate {
    /// Samples with a finite value.
    pub n: usize,
    /// Arithmetic mean.
    pub mean: f64,
    /// Sample standard deviation; from two samples on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sd: Option<f64>,
    /// Smallest value.
    pub min: f64,
    /// Largest value.
    pub max: f64,
    /// Median.
    pub median: f64,
    /// The median again, under the name that the original gives it.
    pub p50: f64,
    /// Quantiles, by linear interpolation between order statistics (type 7).
    pub p90: f64,
    /// See `p90`.
    pub p95: f64,
    /// See `p90`.
    pub p99: f64,
    /// Student t interval of the mean at 95 %; from two samples that differ on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ci95: Option<Interval95>,
    /// Samples whose value is not finite.
    #[serde(skip_serializing_if = "is_zero")]
    pub dropped: usize,
}

/// An interval of the mean.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Interval95 {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// The numbers of one sample by name; those inside tables by their path, truth values as 0 and 1. The duration is what
/// the worker measured, unless the experiment itself reports one.
pub(crate) fn numbers_of(sample: &Sample) -> Vec<(String, f64)> {
    let mut found = Vec::new();
    numbers(&mut found, "", &sample.metrics);
    if !found.iter().any(|(name, _)| name == DURATION) {
        found.insert(0, (DURATION.to_owned(), sample.wall_ns as f64 / 1e9));
    }
    if let Some(cpu) = sample.cpu_ns
        && !found.iter().any(|(name, _)| name == CPU)
    {
        found.push((CPU.to_owned(), cpu as f64 / 1e9));
    }
    numbers(&mut found, "", &sample.instruments);
    found
}

/// Adds every number of a table under its path.
pub(crate) fn numbers(found: &mut Vec<(String, f64)>, path: &str, table: &Map<String, Value>) {
    for (name, value) in table {
        let name = if path.is_empty() {
            name.clone()
        } else {
            format!("{path}.{name}")
        };
        match value {
            Value::Number(number) => found.extend(number.as_f64().map(|number| (name, number))),
            Value::Bool(truth) => found.push((name, f64::from(u8::from(*truth)))),
            Value::String(text) if text == "NaN" => found.push((name, f64::NAN)),
            Value::String(text) if text == "Infinity" => found.push((name, f64::INFINITY)),
            Value::String(text) if text == "-Infinity" => found.push((name, f64::NEG_INFINITY)),
            Value::Object(inner) => numbers(found, &name, inner),
            _ => {}
        }
    }
}

/// Describes every metric, in the order in which the samples first name them.
pub(crate) fn aggregates(samples: &[Sample]) -> Vec<(String, Aggregate)> {
    let mut columns: Vec<(String, Vec<f64>)> = Vec::new();
    for sample in samples {
        for (place, (name, value)) in numbers_of(sample).into_iter().enumerate() {
            // Samples mostly name the same metrics in the same order.
            let at = match columns.get(place) {
                Some((known, _)) if *known == name => Some(place),
                _ => columns.iter().position(|(known, _)| *known == name),
            };
            match at {
                Some(at) => columns[at].1.push(value),
                None => columns.push((name, vec![value])),
            }
        }
    }
    columns
        .into_iter()
        .filter_map(|(name, values)| Some((name, aggregate(&values)?)))
        .collect()
}

/// Describes one metric; nothing where no value is finite.
pub fn aggregate(values: &[f64]) -> Option<Aggregate> {
    let mut finite: Vec<f64> = values.iter().copied().filter(|x| x.is_finite()).collect();
    let summary = describe(&finite).ok()?;
    let level = Level {
        alpha: 0.05,
        side: Side::TwoSided,
    };
    let interval = mean_interval(&finite, level).ok();
    finite.sort_by(f64::total_cmp);
    let quantile = |p| quantile_sorted(&finite, p, QuantileRule::Linear);
    Some(Aggregate {
        n: finite.len(),
        mean: summary.mean,
        sd: summary.sd,
        min: summary.min,
        max: summary.max,
        median: summary.median,
        p50: summary.median,
        p90: quantile(0.90),
        p95: quantile(0.95),
        p99: quantile(0.99),
        ci95: interval.map(|found| Interval95 {
            low: found.interval.low,
            high: found.interval.high,
        }),
        dropped: values.len() - finite.len(),
    })
}
