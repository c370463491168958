//! The kind of a metric's data, which picks the method and the scale of the comparison.

use fairtrial_model::{MetricDeclaration, MetricSource, is_time_name, without_case};
use serde::Serialize;

/// Units of time.
const TIME_UNITS: [&str; 14] = [
    "s", "sec", "secs", "second", "seconds", "ms", "us", "µs", "ns", "min", "mins", "minutes", "h",
    "hours",
];

/// The kind of data, which picks the method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DataKind {
    /// Every value is 0 or 1.
    Binary,
    /// A duration: compared by ratio, where all are above zero.
    Timing,
    /// Any other number.
    Scalar,
}

/// The scale that the verdict is made on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Scale {
    /// Candidate minus control.
    Difference,
    /// Candidate over control.
    Ratio,
}

impl Scale {
    /// A mean of the units in the metric's own unit.
    pub(crate) fn in_own_unit(self, mean: f64) -> f64 {
        match self {
            Self::Difference => mean,
            Self::Ratio => mean.exp(),
        }
    }
}

/// Units of a share, whose values may be those of single passes and failures.
const SHARE_UNITS: [&str; 5] = ["share", "fraction", "proportion", "ratio", "rate"];

/// What has a unit other than a share's, times, rates and numbers of steps are never meant as pass or fail, whatever values they happen to have.
pub(crate) fn may_be_pass_or_fail(declaration: &MetricDeclaration) -> bool {
    let unit = declaration.unit.as_deref();
    unit.is_none_or(|unit| SHARE_UNITS.contains(&unit))
        && !is_timing(declaration)
        && !is_speed(&declaration.name)
        && !declaration.counts_steps()
}

/// A number by time, by its name.
fn is_speed(name: &str) -> bool {
    let name = without_case(name).0.to_lowercase();
    let ends = ["/s", "fps", "throughput", "per_s", "per_sec", "per_second"];
    ends.iter().any(|end| name.ends_with(end)) || name.contains("_per_")
}

/// A duration by its source, its unit or, where neither is declared, the ending that durations have.
pub(crate) fn is_timing(declaration: &MetricDeclaration) -> bool {
    let by_source = match &declaration.source {
        MetricSource::Resource { field, .. } => field != "peak_memory",
        _ => false,
    };
    let by_unit = declaration
        .unit
        .as_deref()
        .map(|unit| TIME_UNITS.contains(&unit));
    by_source || by_unit.unwrap_or_else(|| is_time_name(&declaration.name))
}
