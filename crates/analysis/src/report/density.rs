//! How the times of a metric are spread, arm over arm: of single iterations where trials have several.

use super::distribution::{MetricDistribution, ValueGroup};
use super::evidence::Evidence;
use fairtrial_experiment::protocol::{SAMPLES_FILE, Sample};
use fairtrial_model::{Outcome, Record};
use fairtrial_spec::{Task, Work};
use fairtrial_stats::descriptive::{Density, QuantileRule, median, quantile_sorted};
use serde::Serialize;
use std::collections::HashMap;
use std::path::Path;

/// Times that a curve needs: the shape of fewer is mostly chance.
const FEWEST: usize = 20;
/// Times that a curve is made of; more are thinned evenly by rank, which gives the same picture.
const MOST: usize = 2000;
/// Points of a curve.
const POINTS: usize = 160;
/// Interquartile ranges beyond the quartiles that are drawn: one long pause is not to flatten the rest.
const DRAWN: f64 = 3.0;
/// Bandwidths that a curve runs out over.
const RUN_OUT: f64 = 3.0;

/// One metric.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MetricDensity {
    /// The metric.
    pub metric: String,
    /// Its unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// Whether the values are single iterations, not trials.
    pub iterations: bool,
    /// The groups of the metric's distribution, in their order.
    pub groups: Vec<GroupDensity>,
}

/// One group.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GroupDensity {
    /// Its name.
    pub name: String,
    /// How many values it has.
    pub values: usize,
    /// Those that lie outside of what is drawn.
    pub outside: usize,
    /// Their median.
    pub median: Option<f64>,
    /// Values with their density; none where there are too few values, or all are the same.
    #[serde(skip)]
    pub points: Vec<(f64, f64)>,
}

/// The metrics that are times, and have enough of them.
pub(super) fn densities(
    evidence: &Evidence<'_>,
    distributions: &[MetricDistribution],
) -> Vec<MetricDensity> {
    let times = distributions
        .iter()
        .filter(|found| is_time(&found.metric, found.unit.as_deref()));
    let records = evidence.records.iter();
    let records: HashMap<u64, &Record> = records
        .filter(|record| record.outcome == Outcome::Ok)
        .map(|record| (record.trial.index, record))
        .collect();
    let one = |found: &MetricDistribution| {
        let groups = found.groups.iter();
        let values: Vec<(Vec<f64>, bool)> = groups
            .map(|group| values(evidence, &records, &found.metric, group))
            .collect();
        let density = MetricDensity {
            metric: found.metric.clone(),
            unit: found.unit.clone(),
            iterations: values.iter().any(|(_, iterations)| *iterations),
            groups: found
                .groups
                .iter()
                .zip(values)
                .map(|(group, (values, _))| curve(&group.name, values))
                .collect(),
        };
        let drawn = |group: &GroupDensity| !group.points.is_empty();
        density.groups.iter().any(drawn).then_some(density)
    };
    times.filter_map(one).collect()
}

/// Whether a metric is a time, by its unit, else by its name.
fn is_time(metric: &str, unit: Option<&str>) -> bool {
    const UNITS: [&str; 9] = ["ns", "us", "µs", "μs", "ms", "s", "min", "h", "seconds"];
    if let Some(unit) = unit {
        return UNITS.contains(&unit);
    }
    let named = metric.rsplit_once('_');
    named.is_some_and(|(of, unit)| UNITS.contains(&unit) && !of.ends_with("per"))
}

/// All values of a group, and whether some are single iterations.
fn values(
    evidence: &Evidence<'_>,
    records: &HashMap<u64, &Record>,
    metric: &str,
    group: &ValueGroup,
) -> (Vec<f64>, bool) {
    let (mut all, mut several) = (Vec::new(), false);
    for (trial, value) in group.trials.iter().zip(&group.values) {
        let inside = records
            .get(trial)
            .map(|record| iterations(evidence, record, metric));
        match inside.filter(|inside| inside.len() > 1) {
            Some(inside) => {
                several = true;
                all.extend(inside);
            }
            None => all.push(*value),
        }
    }
    (all, several)
}

/// The iterations inside of a trial that have a value.
fn iterations(evidence: &Evidence<'_>, record: &Record, metric: &str) -> Vec<f64> {
    if let Some(kept) = record.samples.get(metric) {
        let kept = kept.iter().map(|number| number.0);
        return kept.filter(|value| value.is_finite()).collect();
    }
    // Only those write the file; of another trial it could be anything.
    let is_experiment = |task: &Task| matches!(task.work, Work::Experiment { .. });
    if !evidence.spec.tasks.iter().all(is_experiment) {
        return Vec::new();
    }
    let dir = evidence.run.folder_of(&record.dir);
    read(&dir.join(SAMPLES_FILE), metric)
}

fn read(file: &Path, metric: &str) -> Vec<f64> {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let samples = text
        .lines()
        .filter_map(|line| serde_json::from_str::<Sample>(line).ok());
    let values = samples.filter_map(|sample| {
        let each = |ns: u64| ns as f64 / 1e9 / sample.executions() as f64;
        match (sample.metrics.get(metric), metric) {
            (Some(reported), _) => reported.as_f64(),
            (None, "duration_s") => Some(each(sample.wall_ns)),
            (None, "cpu_s") => sample.cpu_ns.map(each),
            _ => None,
        }
    });
    values.filter(|value| value.is_finite()).collect()
}

fn curve(name: &str, mut values: Vec<f64>) -> GroupDensity {
    values.sort_by(f64::total_cmp);
    let points = drawn(&values).unwrap_or_default();
    let drawn = match &points[..] {
        [(low, _), .., (high, _)] => *low..=*high,
        _ => f64::MIN..=f64::MAX,
    };
    let outside = values.iter().filter(|value| !drawn.contains(value));
    GroupDensity {
        name: name.to_owned(),
        outside: outside.count(),
        median: median(&values).ok(),
        values: values.len(),
        points,
    }
}

/// A group's curve, from its first place to its last.
fn drawn(ascending: &[f64]) -> Option<Vec<(f64, f64)>> {
    if ascending.len() < FEWEST {
        return None;
    }
    let at = |p: f64| quantile_sorted(ascending, p, QuantileRule::Linear);
    let (first, third) = (at(0.25), at(0.75));
    let room = DRAWN * (third - first);
    let low = at(0.0).max(first - room);
    let high = at(1.0).min(third + room);
    let (low, high) = if low < high {
        (low, high)
    } else {
        (at(0.0), at(1.0))
    };
    let last = ascending.len() - 1;
    let thinned: Vec<f64> = if ascending.len() > MOST {
        let ranks = (0..MOST).map(|place| place * last / (MOST - 1));
        ranks.map(|rank| ascending[rank]).collect()
    } else {
        ascending.to_vec()
    };
    let density = Density::of(&thinned).ok()?;
    let beyond = RUN_OUT * density.bandwidth();
    // A time is not negative, whatever a kernel says.
    let from = if low >= 0.0 {
        (low - beyond).max(0.0)
    } else {
        low - beyond
    };
    let to = high + beyond;
    let step = (to - from) / (POINTS - 1) as f64;
    let places = (0..POINTS).map(|place| from + step * place as f64);
    Some(places.map(|x| (x, density.at(x))).collect())
}

#[cfg(test)]
mod tests {
    use super::{curve, is_time};

    #[test]
    fn times_are_known_by_their_unit_else_by_their_name() {
        assert!(is_time("wall", Some("s")) && is_time("x", Some("ms")));
        assert!(is_time("duration_s", None) && is_time("step_ms", None));
        assert!(!is_time("rows_per_s", None) && !is_time("reward", None));
        assert!(!is_time("duration_s", Some("rows")));
    }

    #[test]
    fn one_long_pause_does_not_flatten_the_rest() {
        let mut values: Vec<f64> = (0..40).map(|n| 1.0 + 0.001 * f64::from(n % 10)).collect();
        values.push(50.0);
        let found = curve("a", values);
        assert_eq!((found.values, found.outside), (41, 1));
        let (low, high) = (found.points[0].0, found.points.last().unwrap().0);
        assert!(0.9 < low && high < 1.1, "{low} to {high}");
        let peak = found.points.iter().map(|point| point.1).fold(0.0, f64::max);
        assert!(peak > 40.0, "{peak}");
    }

    #[test]
    fn few_values_and_equal_ones_have_no_shape() {
        assert_eq!(curve("a", vec![1.0, 2.0, 3.0]).points, []);
        assert_eq!(curve("a", vec![1.0; 50]).points, []);
        assert_eq!(curve("a", vec![1.0; 50]).outside, 0);
    }
}
