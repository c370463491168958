//! From samples to one description per metric: every number that an iteration reports, not only its duration.

use crate::reported::{Numbers, Remarks, numbers_of};
use fairtrial_experiment::protocol::Sample;
use fairtrial_model::{PACED, ends_in_time_unit};
use fairtrial_stats::descriptive::{QuantileRule, describe, quantile_sorted};
use fairtrial_stats::one_arm::mean_interval;
use fairtrial_stats::{Interval, Level, Side};
use serde::Serialize;
use serde_json::{Value, json};
use std::borrow::Cow;

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
    /// Samples without a finite value: it is none, or the metric is not in them.
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

impl Interval95 {
    fn on_log_scale(self, mean: f64) -> Self {
        let interval = Interval {
            low: self.low,
            high: self.high,
            level: LEVEL,
        };
        let Interval { low, high, .. } = Interval::on_log_scale(mean, interval);
        Self { low, high }
    }
}

/// The level of every interval here.
const LEVEL: Level = Level {
    alpha: 0.05,
    side: Side::TwoSided,
};

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl Aggregate {
    /// A metric that has no finite value: its mean is what its values come to, NaN or an infinity.
    fn without_values(values: &[f64]) -> Self {
        let mean = values.iter().sum::<f64>();
        Self {
            n: 0,
            mean,
            sd: None,
            min: mean,
            max: mean,
            median: mean,
            p50: mean,
            p90: mean,
            p95: mean,
            p99: mean,
            ci95: None,
            dropped: values.len(),
        }
    }

    /// The mean as JSON, which has no number for what is not finite.
    pub(crate) fn mean_value(&self) -> Value {
        match self.mean {
            mean if mean.is_finite() => mean.into(),
            mean if mean.is_nan() => "NaN".into(),
            mean if mean > 0.0 => "Infinity".into(),
            _ => "-Infinity".into(),
        }
    }

    /// For the result file.
    pub(crate) fn facts(&self) -> Value {
        if self.n > 0 {
            return json!(self);
        }
        json!({"n": 0, "mean": self.mean_value(), "dropped": self.dropped})
    }
}

/// What all samples of a trial come to.
#[derive(Debug)]
pub(crate) struct Described {
    /// Every metric, in the order in which the samples first name them.
    pub(crate) metrics: Vec<(String, Aggregate)>,
    /// Which metrics have no finite value in how many iterations, in words; nothing where all have one.
    pub(crate) gaps: Option<String>,
    /// What else a reader of the numbers should know, in words.
    pub(crate) remarks: Option<String>,
}

impl Described {
    /// Describes the samples: each is looked at once.
    pub(crate) fn of(samples: &[Sample]) -> Self {
        let (columns, remarks) = columns(samples);
        Self {
            gaps: gaps(samples.len(), &columns),
            remarks: remarks.words(),
            metrics: columns
                .into_iter()
                .map(|(name, values)| described(samples.len(), name.into_owned(), &values))
                .collect(),
        }
    }
}

/// Describes one metric of so many samples.
fn described(samples: usize, name: String, values: &[f64]) -> (String, Aggregate) {
    let mut found = aggregate(values).unwrap_or_else(|| Aggregate::without_values(values));
    found.dropped = samples.saturating_sub(found.n);
    // No time is negative, and so no mean of times.
    let below = found
        .ci95
        .filter(|of| of.low <= 0.0 && ends_in_time_unit(&name));
    if let Some(below) = below.filter(|_| found.mean > 0.0 && found.min >= 0.0) {
        found.ci95 = Some(below.on_log_scale(found.mean));
    }
    (name, found)
}

/// More metrics than this with gaps say the same.
const MOST_GAPS: usize = 5;

fn gaps(samples: usize, columns: &[Reported]) -> Option<String> {
    let gap = |(name, values): &Reported| {
        let missing = samples.saturating_sub(values.iter().filter(|x| x.is_finite()).count());
        let have = if missing == 1 { "has" } else { "have" };
        (missing > 0)
            .then(|| format!("{name}: {missing} of {samples} iterations {have} no finite value"))
    };
    let mut found: Vec<String> = columns.iter().filter_map(gap).collect();
    let more = found.len().saturating_sub(MOST_GAPS);
    found.truncate(MOST_GAPS);
    if more > 0 {
        found.push(format!("and {more} more metrics"));
    }
    (!found.is_empty()).then(|| found.join("; "))
}

/// What the fixed work of a worker takes at the pace to which CPU times are brought.
const PACE_S: f64 = 1e-4;

/// What it took in a process, on average: the machine's pace changes within a second.
fn pace_s(samples: &[Sample]) -> Option<f64> {
    let taken: Vec<f64> = samples
        .iter()
        .filter_map(|sample| Some(sample.pace_ns? as f64 / 1e9))
        .collect();
    let mean = taken.iter().sum::<f64>() / taken.len() as f64;
    (mean > 0.0).then_some(mean)
}

/// A metric and its values.
type Reported = (Cow<'static, str>, Vec<f64>);

/// The values of every metric, in the order in which the samples first name them, and what is to be said of them.
fn columns(samples: &[Sample]) -> (Vec<Reported>, Remarks) {
    let (mut columns, mut told): (Vec<Reported>, _) = (Vec::new(), Remarks::default());
    let pace = pace_s(samples);
    for sample in samples {
        let Numbers { mut found, remarks } = numbers_of(sample);
        told.take(remarks);
        // CPU seconds as they would be at the one pace.
        let paced = pace
            .zip(sample.cpu_s())
            .map(|(pace, cpu)| cpu * PACE_S / pace);
        let is_free = found.iter().all(|(name, _)| name != PACED);
        found.extend(paced.filter(|_| is_free).map(|paced| (PACED.into(), paced)));
        for (place, (name, value)) in found.into_iter().enumerate() {
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
    (columns, told)
}

/// Describes one metric; nothing where no value is finite.
pub fn aggregate(values: &[f64]) -> Option<Aggregate> {
    let mut finite: Vec<f64> = values.iter().copied().filter(|x| x.is_finite()).collect();
    let summary = describe(&finite).ok()?;
    let interval = mean_interval(&finite, LEVEL).ok();
    finite.sort_unstable_by(f64::total_cmp);
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

#[cfg(test)]
mod tests {
    use super::Described;
    use fairtrial_experiment::protocol::Sample;
    use serde_json::{Value, json};

    #[test]
    fn an_interval_of_times_begins_above_zero() {
        let slow = [1_000, 1_000, 1_000_000_000].map(|wall_ns| Sample {
            wall_ns,
            ..Sample::default()
        });
        let all = Described::of(&slow).metrics;
        let (name, of) = &all[0];
        let interval = of.ci95.unwrap();
        assert_eq!(name, "duration_s");
        assert!(interval.low > 0.0 && interval.low < of.mean && interval.high > of.mean);
        let reported = json!([{"first_ms": 1, "gain": 1}, {"first_ms": 1000, "gain": 1000}]);
        let lows = Described::of(&samples(reported.as_array().unwrap())).metrics;
        let low = |name: &str| {
            lows.iter()
                .find(|(of, _)| of == name)
                .and_then(|(_, of)| of.ci95)
        };
        assert!(low("first_ms").unwrap().low > 0.0 && low("gain").unwrap().low < 0.0);
    }

    #[test]
    fn cpu_time_is_brought_to_one_pace() {
        let sample = |cpu_ns, pace_ns| Sample {
            cpu_ns: Some(cpu_ns),
            pace_ns,
            ..Sample::default()
        };
        let paced = |samples: &[Sample]| {
            let all = Described::of(samples).metrics;
            let found = all.iter().find(|(name, _)| name == "paced_s");
            found.map(|(_, of)| (of.n, (of.mean * 1e9).round()))
        };
        // The machine was slower by half; the pace is that of the process, not of single iterations.
        let slow = [
            sample(3000, Some(160_000)),
            sample(6000, None),
            sample(3000, Some(140_000)),
        ];
        assert_eq!(paced(&slow), Some((3, 2667.0)));
        assert_eq!(paced(&[sample(3000, None)]), None);
    }

    #[test]
    fn a_metric_without_a_finite_value_stays() {
        let found = samples(&[json!({"v": "NaN"}), json!({"v": "NaN"})]);
        let all = Described::of(&found).metrics;
        let v = all
            .iter()
            .find(|(name, _)| name == "v")
            .map(|(_, of)| of.facts());
        assert_eq!(v, Some(json!({"n": 0, "mean": "NaN", "dropped": 2})));
    }

    fn samples(metrics: &[Value]) -> Vec<Sample> {
        let sample = |metrics: &Value| Sample {
            metrics: metrics.as_object().cloned().unwrap_or_default(),
            ..Sample::default()
        };
        metrics.iter().map(sample).collect()
    }

    #[test]
    fn values_that_are_absent_or_not_finite_are_counted_and_told() {
        let found = samples(&[json!({"v": 0}), json!({"v": "NaN"}), json!({"w": 1})]);
        let all = Described::of(&found).metrics;
        let of = |name: &str| all.iter().find(|(known, _)| known == name);
        let counted = |name| of(name).map(|(_, found)| (found.n, found.dropped));
        assert_eq!(counted("v"), Some((1, 2)));
        assert_eq!(counted("w"), Some((1, 2)));
        assert_eq!(counted("duration_s"), Some((3, 0)));
        let told =
            "v: 2 of 3 iterations have no finite value; w: 2 of 3 iterations have no finite value";
        assert_eq!(Described::of(&found).gaps.as_deref(), Some(told));
        let whole = samples(&[json!({"v": 0}), json!({"v": 1})]);
        assert_eq!(Described::of(&whole).gaps, None);
    }

    #[test]
    fn of_many_metrics_with_gaps_the_first_are_named() {
        let many = json!({"a": 1, "b": 1, "c": 1, "d": 1, "e": 1, "f": 1, "g": 1});
        let found = Described::of(&samples(&[many, json!({})]));
        let told = found.gaps.unwrap_or_default();
        assert!(told.starts_with("a: 1 of 2 iterations has no finite value; b: 1"));
        assert!(told.ends_with("; e: 1 of 2 iterations has no finite value; and 2 more metrics"));
    }
}
