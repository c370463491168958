//! Metrics as the spec declares them: where they come from, which way is good, and what difference matters.

use crate::direction::Direction;
use crate::episode::{EpisodeFile, Measure};
use crate::method::Method;
use crate::reference::Reference;
use crate::unit::Conversion;
use serde::{Deserialize, Serialize};

/// The unit of a number of steps.
const STEPS: &str = "steps";

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
    /// The key or column that holds the steps of its series; a well-known name where nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
    /// Whether a trial without it is failed.
    pub required: bool,
    /// The unit that the number comes in, and the one it is kept in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub convert: Option<Conversion>,
    /// Decimals that the number is rounded to before it is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round: Option<u8>,
    /// Whether the same trial always gives the same number, so that a difference needs no test of chance.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub deterministic: bool,
    /// How its interval is made, where that was said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<Method>,
    /// What a difference must clear to be better or worse, where that was said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beyond: Option<Beyond>,
}

/// What the interval of a difference must clear for the verdict to be better or worse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Beyond {
    /// No difference at all: any sure one counts, unless it is surely within the margin.
    Zero,
    /// The margin.
    Margin,
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
            step: None,
            required: false,
            convert: None,
            round: None,
            deterministic: false,
            method: None,
            beyond: None,
        }
    }

    /// The declaration of the number that a series was reduced to. A number of steps is no value of the metric: fewer of
    /// them are better, whichever side of the threshold the metric has to reach, and its unit, its reference points,
    /// its conversion and its rounding are not theirs. A slope has the direction of the metric, and neither its unit nor its points. A margin
    /// stays: it is declared for the number that is compared.
    #[must_use]
    pub fn reduced(&self) -> Self {
        let kind = self.summary.as_ref().map(|summary| summary.kind);
        match kind {
            Some(SummaryKind::TimeTo) => Self {
                direction: Some(Direction::Down),
                unit: Some(STEPS.to_owned()),
                reference: None,
                convert: None,
                round: None,
                ..self.clone()
            },
            Some(SummaryKind::Slope) => Self {
                unit: self.unit.as_deref().map(by_step),
                reference: None,
                ..self.clone()
            },
            _ => self.clone(),
        }
    }

    /// Whether a trial's number is one of steps.
    pub fn counts_steps(&self) -> bool {
        let summary = self.summary.as_ref();
        summary.is_some_and(|summary| summary.kind == SummaryKind::TimeTo)
    }

    /// Whether a trial's number lies on the metric's own scale, so that reference points are on it too.
    pub fn on_own_scale(&self) -> bool {
        let summary = self.summary.as_ref();
        !summary
            .is_some_and(|summary| matches!(summary.kind, SummaryKind::TimeTo | SummaryKind::Slope))
    }

    /// Takes a direction that was given beside the spec. Like the one in the spec it is about the metric itself, so that
    /// fewer steps stay better.
    pub fn direct(&mut self, given: Option<Direction>) {
        if !self.counts_steps() {
            self.direction = given.or(self.direction);
        }
    }

    /// The number as it is kept: converted, then rounded (half to even, like Python's `round`). Steps are kept as they are.
    pub fn kept(&self, value: f64) -> f64 {
        if self.counts_steps() {
            return value;
        }
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

/// A unit by step, once: a declaration may be reduced again by who does not know that it was.
fn by_step(unit: &str) -> String {
    let unit = unit.strip_suffix("/step").unwrap_or(unit);
    format!("{unit}/step")
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
        /// Seconds that are taken off, as for the start of a shell around the program.
        #[serde(default, skip_serializing_if = "is_zero")]
        less: f64,
    },
    /// What the trial's own process logged with a tracker of experiments.
    Tracked {
        /// The tracker.
        tracker: TrackerKind,
        /// The folder that it writes into.
        folder: String,
        /// The metric's name there.
        key: String,
    },
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(value: &f64) -> bool {
    *value == 0.0
}

/// A tracker of experiments whose files are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TrackerKind {
    /// W&B: the run folder that it writes, online and offline.
    Wandb,
    /// TensorBoard: event files.
    Tensorboard,
    /// MLflow: the tracking store.
    Mlflow,
}

impl TrackerKind {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Wandb, Self::Tensorboard, Self::Mlflow];

    /// The word before the colon of a source.
    pub const fn scheme(self) -> &'static str {
        match self {
            Self::Wandb => "wandb",
            Self::Tensorboard => "tensorboard",
            Self::Mlflow => "mlflow",
        }
    }

    /// The folder in the trial's directory where its files are, where the spec names none.
    pub const fn folder(self) -> &'static str {
        match self {
            Self::Wandb => "wandb",
            Self::Tensorboard => "runs",
            Self::Mlflow => "mlruns",
        }
    }

    /// The variables that make it write there, given the trial's directory.
    pub fn variables(self, dir: &str, folder: &str) -> Vec<(&'static str, String)> {
        match self {
            // W&B makes a folder of this name itself; who names another one writes there.
            Self::Wandb if folder == self.folder() => vec![("WANDB_DIR", dir.to_owned())],
            Self::Wandb | Self::Tensorboard => Vec::new(),
            Self::Mlflow => vec![
                ("MLFLOW_TRACKING_URI", format!("file://{dir}/{folder}")),
                ("MLFLOW_ALLOW_FILE_STORE", "true".to_owned()),
            ],
        }
    }
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

impl SeriesSummary {
    /// Whether the number depends on the steps and not only on the order of the values.
    pub fn needs_steps(&self) -> bool {
        let by_kind = matches!(
            self.kind,
            SummaryKind::Auc | SummaryKind::Slope | SummaryKind::AtStep | SummaryKind::TimeTo
        );
        let windowed = [self.percent, self.step_min, self.step_max];
        by_kind || windowed.iter().any(Option::is_some)
    }
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

#[cfg(test)]
mod tests {
    use super::{Direction, Margin, MetricDeclaration, SeriesSummary, SummaryKind};
    use crate::{Points, Reference};

    fn declared(kind: SummaryKind) -> MetricDeclaration {
        MetricDeclaration {
            direction: Some(Direction::Up),
            unit: Some("s".to_owned()),
            margin: Some(Margin::Absolute(2.0)),
            reference: Points::new(0.0, 10.0).map(Reference::Same),
            convert: Some("s to min".parse().unwrap()),
            summary: Some(SeriesSummary {
                kind,
                percent: None,
                n: None,
                step_min: None,
                step_max: None,
                step: None,
                threshold: Some(8.0),
            }),
            ..MetricDeclaration::named("reward")
        }
    }

    #[test]
    fn fewer_steps_are_better_and_have_no_unit_of_the_metric() {
        let mut steps = declared(SummaryKind::TimeTo).reduced();
        assert_eq!(steps.direction, Some(Direction::Down));
        assert_eq!(steps.unit.as_deref(), Some("steps"));
        assert_eq!((&steps.reference, &steps.convert), (&None, &None));
        assert_eq!(steps.margin, Some(Margin::Absolute(2.0)));
        assert_eq!(steps.kept(60.0), 60.0);
        assert_eq!(steps.reduced(), steps);
        steps.direct(Some(Direction::Up));
        assert_eq!(steps.direction, Some(Direction::Down));
    }

    #[test]
    fn a_slope_lies_between_no_points_and_other_summaries_stay_values() {
        let slope = declared(SummaryKind::Slope).reduced();
        assert_eq!(slope.direction, Some(Direction::Up));
        assert_eq!(slope.unit.as_deref(), Some("s/step"));
        assert_eq!(slope.reference, None);
        assert_eq!(slope.reduced(), slope);
        let mean = declared(SummaryKind::Mean);
        assert_eq!(mean.reduced(), mean);
        assert_eq!(mean.kept(60.0), 1.0);
    }
}
