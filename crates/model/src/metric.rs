//! Metrics as the spec declares them: where they come from, which way is good, and what difference matters.

use crate::{Conversion, EpisodeFile, Measure, Reference};
use serde::{Deserialize, Serialize};

/// A declared metric.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MetricDeclaration {
    /// Its name.
    pub name: String,
    /// Where its values are found.
    pub source: MetricSource,
    /// Which way is better, where that was said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub direction: Option<Direction>,
    /// Unit for display.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// Decimals for display; comparisons use full precision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub precision: Option<u8>,
    /// The smallest difference that matters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub margin: Option<Margin>,
    /// Which scores count as 0 and as 1, so that tasks have one scale.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<Reference>,
    /// How a series becomes one number per trial.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<SeriesSummary>,
    /// Whether a trial without it is failed.
    pub required: bool,
    /// The unit that the number comes in, and the one it is kept in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub convert: Option<Conversion>,
    /// Decimals that the number is rounded to before it is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round: Option<u8>,
}

impl MetricDeclaration {
    /// A metric of which only the name is known.
    pub fn named(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            source: MetricSource::Reported,
            direction: None,
            unit: None,
            precision: None,
            margin: None,
            reference: None,
            summary: None,
            required: false,
            convert: None,
            round: None,
        }
    }

    /// The number as it is kept: converted, then rounded (half to even, like Python's `round`).
    pub fn kept(&self, value: f64) -> f64 {
        let value = self
            .convert
            .as_ref()
            .map_or(value, |convert| convert.apply(value));
        let Some(decimals) = self.round.filter(|_| value.is_finite()) else {
            return value;
        };
        let text = format!("{value:.*}", usize::from(decimals));
        text.parse().unwrap_or(value)
    }
}

/// Where a metric's values are found; paths are relative to the trial's directory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum MetricSource {
    /// The JSON lines that a trial appends to `FAIRTRIAL_METRICS`.
    Reported,
    /// A file of JSON lines; `key` defaults to the metric's name.
    Jsonl {
        /// The file.
        file: String,
        /// The key in each line.
        key: String,
    },
    /// A CSV file with a header.
    Csv {
        /// The file.
        file: String,
        /// The column.
        column: String,
    },
    /// A JSON file.
    Json {
        /// The file.
        file: String,
        /// JSON pointer or top-level key.
        pointer: String,
    },
    /// The first capture group of the last match on standard output.
    Stdout {
        /// The regular expression.
        pattern: String,
    },
    /// The same on standard error.
    Stderr {
        /// The regular expression.
        pattern: String,
    },
    /// A block on standard output: a marker line, a line of CSV titles, a line of values; the last block counts.
    Block {
        /// The marker line.
        marker: String,
        /// The column.
        column: String,
    },
    /// Measured over the episodes in a file.
    Episodes {
        /// The file and how its rows make episodes.
        episodes: Box<EpisodeFile>,
        /// What is measured.
        measure: Measure,
    },
    /// Size in bytes of a file or of a folder's files together.
    Size {
        /// The path.
        file: String,
    },
    /// A field of the resource record: `wall`, `user`, `sys`, `cpu`, `peak_memory`.
    Resource {
        /// The field.
        field: String,
    },
    /// A reader that comes with a later version (`tensorboard`, `wandb`).
    Later {
        /// Which.
        scheme: String,
        /// What follows the colon.
        rest: String,
    },
}

/// Which way is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// Higher is better.
    Up,
    /// Lower is better.
    Down,
}

/// The smallest difference that matters.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Margin {
    /// In the metric's own unit.
    Absolute(f64),
    /// As a share of the control's mean (0.02 is 2 %).
    Relative(f64),
}

/// How a series becomes one number.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SeriesSummary {
    /// The kind.
    #[serde(rename = "type")]
    pub kind: SummaryKind,
    /// Share of the points (or steps) at the end that counts, for `auc` and `mean`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub percent: Option<f64>,
    /// How many last values, for `last_n`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub n: Option<u64>,
    /// First step of the window.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step_min: Option<f64>,
    /// Last step of the window.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step_max: Option<f64>,
    /// The step, for `at_step`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<f64>,
    /// The value to reach, for `time_to`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threshold: Option<f64>,
}

/// The kinds of series summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SummaryKind {
    /// Area under the curve over its window, divided by the window's length.
    Auc,
    /// Mean of the last n values.
    LastN,
    /// The last value.
    Last,
    /// Least-squares slope.
    Slope,
    /// Largest value.
    Max,
    /// Smallest value.
    Min,
    /// Mean of the values.
    Mean,
    /// Value at a step.
    AtStep,
    /// First step at which a threshold is reached.
    TimeTo,
}
