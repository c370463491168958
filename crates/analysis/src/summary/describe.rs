//! The numbers of one metric in one cell: location, spread, interval, and the bound that failures put on them.

use super::gathered::{Gathered, Values};
use super::iterations;
use super::result::{MeanRange, MetricCell, MetricInfo, Missing, Numbers, Unit, WorstCase};
use crate::validity::Floor;
use fairtrial_model::Direction;
use fairtrial_stats::one_arm::{clustered_mean, clustered_share, mean_interval, share_interval};
use fairtrial_stats::{Level, Undefined, descriptive};
use std::collections::HashMap;

/// Whether all values of a metric are 0 or 1 (and there is one).
pub(super) fn is_binary<'a>(cells: impl Iterator<Item = &'a Values>) -> bool {
    let mut values = cells.flat_map(|values| &values.finite).peekable();
    values.peek().is_some() && values.all(|value| *value == 0.0 || *value == 1.0)
}

/// For every cell the metrics that its task reports. A metric that no trial of the task ever reported is not the
/// task's, unless it is declared and no task reports it: what was asked for and never came must be seen.
pub(super) fn metric_cells(
    cells: &[Gathered],
    metrics: &[MetricInfo],
    level: Level,
    floor: Option<&Floor>,
) -> Vec<Vec<MetricCell>> {
    let mut described: Vec<Vec<MetricCell>> = cells.iter().map(|_| Vec::new()).collect();
    let mut by_task: HashMap<&str, Vec<&Gathered>> = HashMap::new();
    for cell in cells {
        by_task.entry(&cell.task).or_default().push(cell);
    }
    for (metric, info) in metrics.iter().enumerate() {
        let is_reported = |metric: usize| {
            let mut of = cells.iter().map(|cell| &cell.metrics[metric]);
            of.any(|values| values.reported() > 0)
        };
        let mut family = metrics.iter().enumerate();
        let anywhere = is_reported(metric)
            || info.declared && family.any(|(of, other)| other.is_case_of(info) && is_reported(of));
        for (place, cell) in cells.iter().enumerate() {
            let task = || by_task[cell.task.as_str()].iter();
            let reported = task().any(|other| other.metrics[metric].reported() > 0);
            let silent = !anywhere && info.declared;
            if !reported && !silent {
                continue;
            }
            let worst = match floor {
                Some(floor) if floor.owes(&cell.task, &info.name) => Ok(0.0),
                _ => worst_value(task().map(|other| &other.metrics[metric]), info),
            };
            described[place].push(metric_cell(cell, metric, info, level, worst));
        }
    }
    described
}

fn metric_cell(
    cell: &Gathered,
    metric: usize,
    info: &MetricInfo,
    level: Level,
    worst: Result<f64, &'static str>,
) -> MetricCell {
    let values = &cell.metrics[metric];
    let missing = Missing {
        failed: cell.arm_failures(),
        absent: cell.ok().saturating_sub(values.reported()),
        nan: values.nan,
        infinite: values.infinite,
    };
    let numbers = Numbers::of(&values.finite);
    let lie = numbers.map_or((0.0, 0.0), |of| (of.mean, of.min));
    let (interval, no_interval) = match mean_range(values, info.binary, level) {
        Ok(range) => (Some(iterations::above_zero(range, info, lie)), None),
        Err(why) => (None, Some(why)),
    };
    MetricCell {
        metric: info.name.clone(),
        n: values.finite.len(),
        missing,
        numbers,
        interval,
        no_interval,
        iterations: iterations::describe(values, info, level),
        worst_case: (missing.total() > 0)
            .then(|| worst_case(&values.finite, missing.total(), worst)),
    }
}

/// The worst value that a trial of this task can be charged with: the far end of a 0/1 metric, else the worst seen in
/// any arm of the task, so that all arms are charged alike.
fn worst_value<'a>(
    of_task: impl Iterator<Item = &'a Values>,
    info: &MetricInfo,
) -> Result<f64, &'static str> {
    let direction = info
        .direction
        .ok_or("no direction is declared, so which value is worst is not known")?;
    if info.binary {
        return Ok(if direction == Direction::Up { 0.0 } else { 1.0 });
    }
    let seen = of_task.flat_map(|values| values.finite.iter().copied());
    let worst = match direction {
        Direction::Up => seen.reduce(f64::min),
        Direction::Down => seen.reduce(f64::max),
    };
    worst.ok_or("no trial of the task has a value")
}

fn worst_case(finite: &[f64], missing: usize, worst: Result<f64, &'static str>) -> WorstCase {
    let filled = worst.and_then(|value| {
        let filler = std::iter::repeat_n(value, missing);
        let all: Vec<f64> = finite.iter().copied().chain(filler).collect();
        let mean = descriptive::mean(&all).map_err(|_| "the values are too large to average")?;
        Ok((mean, value))
    });
    match filled {
        Ok((mean, value)) => WorstCase::Mean {
            mean,
            value,
            counted: missing,
        },
        Err(why) => WorstCase::Unknown { why },
    }
}

/// The interval of the mean by the kind of data: shares by Wilson, repetitions under a seed by the seed, the rest by t.
fn mean_range(values: &Values, binary: bool, level: Level) -> Result<MeanRange, String> {
    let xs = &values.finite;
    let (seeds, repeated) = values.seeds();
    let by_seed = repeated && seeds > 1;
    let range = match (binary, by_seed) {
        (true, true) => clustered_share(xs, &values.seeds, level).map(|share| MeanRange {
            interval: share.interval,
            method: format!("{}, seeds as units", share.method),
            unit: Unit::Seed,
            units: share.groups,
        }),
        (true, false) => share_interval(xs, level).map(|share| MeanRange {
            interval: share.interval,
            method: share.method.to_owned(),
            unit: unit(repeated),
            units: xs.len(),
        }),
        (false, true) => clustered_mean(xs, &values.seeds, level).map(|mean| MeanRange {
            interval: mean.interval,
            method: "t on the seeds' totals (cluster-robust)".to_owned(),
            unit: Unit::Seed,
            units: mean.clusters,
        }),
        (false, false) => mean_interval(xs, level).map(|mean| MeanRange {
            interval: mean.interval,
            method: mean.method.to_owned(),
            unit: unit(repeated),
            units: mean.n,
        }),
    };
    range.map_err(|why| reason(&why))
}

fn unit(repeated: bool) -> Unit {
    if repeated { Unit::Rollout } else { Unit::Seed }
}

fn reason(why: &Undefined) -> String {
    match why {
        Undefined::Empty { .. } => "no value".to_owned(),
        Undefined::TooFew { have: 1, .. } => "one value has no spread".to_owned(),
        Undefined::ZeroVariance { .. } => "the values do not vary".to_owned(),
        other => other.to_string(),
    }
}
