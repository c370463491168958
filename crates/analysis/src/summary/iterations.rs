//! The iterations inside trials: those of other tools stand in the records, those of registered experiments in the result
//! file that a trial leaves.

use super::gathered::Values;
use super::result::{IterationNumbers, MeanRange, MetricInfo, Unit};
use crate::dataset::result_json::iterations_of;
use fairtrial_journal::RunDir;
use fairtrial_journal::observation::Observation;
use fairtrial_stats::descriptive::{QuantileRule, quantile_sorted};
use fairtrial_stats::one_arm::mean_interval;
use fairtrial_stats::{Interval, Level};

/// How an interval is called that leaves out what processes differ by.
const ONE_PROCESS: &str =
    "t over the iterations of one process, which leaves out how processes differ";
/// What is added to a method whose interval would have begun below zero.
const LOG_SCALE: &str = ", on the log scale";

/// The iterations that the trial of an experiment left, by metric; none where its result file is gone.
pub(super) fn of_experiment(
    run: &RunDir,
    observation: &Observation<'_>,
) -> Vec<(String, Vec<f64>)> {
    let path = run.folder_of(&observation.dir);
    let text = std::fs::read_to_string(path.join("result.json"));
    text.map_or_else(|_| Vec::new(), |text| iterations_of(&text))
}

/// What the iterations of a cell come to; nothing where no trial has any.
pub(super) fn describe(
    values: &Values,
    info: &MetricInfo,
    level: Level,
) -> Option<IterationNumbers> {
    let mut all = values.iterations.clone();
    all.retain(|value| value.is_finite());
    all.sort_by(f64::total_cmp);
    let (min, max) = (*all.first()?, *all.last()?);
    let quantile = |p| quantile_sorted(&all, p, QuantileRule::Linear);
    let alone = values.finite.len() == 1;
    let range = mean_interval(&all, level).ok().filter(|_| alone);
    Some(IterationNumbers {
        n: all.len(),
        median: quantile(0.5),
        p95: quantile(0.95),
        min,
        max,
        interval: range.map(|found| {
            let range = MeanRange {
                interval: found.interval,
                method: ONE_PROCESS.to_owned(),
                unit: Unit::Iteration,
                units: found.n,
            };
            above_zero(range, info, (found.mean, min))
        }),
    })
}

/// The interval of a mean duration, which is never below zero where no value is.
pub(super) fn above_zero(
    range: MeanRange,
    info: &MetricInfo,
    (mean, min): (f64, f64),
) -> MeanRange {
    if !info.timing || range.interval.low > 0.0 || mean <= 0.0 || min < 0.0 {
        return range;
    }
    MeanRange {
        interval: Interval::on_log_scale(mean, range.interval),
        method: range.method + LOG_SCALE,
        ..range
    }
}
