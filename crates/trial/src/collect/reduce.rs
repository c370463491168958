//! From what was read to the one number per trial that comparisons use.

use super::collected::CollectError;
use fairtrial_model::{MetricDeclaration, Number, SeriesInfo, SeriesSummary, SummaryKind};
use fairtrial_stats::series::{self as curves, Crossing, Curve, Scale, Threshold, Window};
use fairtrial_text::share;

/// What stands under one metric's name.
pub(super) enum Reading {
    /// One number.
    Scalar(f64),
    /// Several numbers in their order, none with a step; the last one is what the trial means.
    Rows(SeriesReading),
    /// Points over steps, and a final value where the trial gave one.
    Series {
        /// The points.
        series: SeriesReading,
        /// The final value.
        last: Option<f64>,
    },
}

/// The number that a reading came to.
pub(super) struct Reduced {
    /// The number.
    pub(super) value: f64,
    /// The series behind it.
    pub(super) series: Option<SeriesInfo>,
    /// What a reader should know about it.
    pub(super) notes: Vec<String>,
}

/// Where a series has its steps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Steps {
    /// Under this name.
    Named(String),
    /// Nowhere: its points are numbered in their order. These names are there instead.
    Numbered(String),
}

/// A series while it is read: the points themselves only where a summary needs them.
#[derive(Clone)]
pub(super) struct SeriesReading {
    file: String,
    steps: Steps,
    /// Values that were left out because they have no step.
    pub(super) without_step: u64,
    kept: Option<(Vec<f64>, Vec<f64>)>,
    points: u64,
    first_step: f64,
    last_step: f64,
    last: f64,
}

impl SeriesReading {
    /// An empty series from `file`.
    pub(super) fn new(file: &str, steps: Steps, keep: bool) -> Self {
        let kept = keep.then(Default::default);
        Self {
            file: file.to_owned(),
            steps,
            without_step: 0,
            kept,
            points: 0,
            first_step: f64::NAN,
            last_step: f64::NAN,
            last: f64::NAN,
        }
    }

    /// Adds a point.
    pub(super) fn push(&mut self, step: f64, value: f64) {
        self.points += 1;
        // A run that was resumed may have gone back; the smaller of a number and NaN is the number.
        self.first_step = self.first_step.min(step);
        self.last_step = self.last_step.max(step);
        self.last = value;
        if let Some((steps, values)) = &mut self.kept {
            steps.push(step);
            values.push(value);
        }
    }

    /// Adds a point behind the others, where there are no steps.
    pub(super) fn push_next(&mut self, value: f64) {
        self.push(self.points as f64, value);
    }

    /// The name of its steps.
    pub(super) fn step_name(&self) -> Option<&str> {
        match &self.steps {
            Steps::Named(name) => Some(name),
            Steps::Numbered(_) => None,
        }
    }

    /// Its last value.
    pub(super) fn last(&self) -> f64 {
        self.last
    }

    /// Whether it has no points.
    pub(super) fn is_empty(&self) -> bool {
        self.points == 0
    }

    /// Its value where it has exactly one point.
    pub(super) fn single(&self) -> Option<f64> {
        (self.points == 1).then_some(self.last)
    }

    fn info(&self, summary: String) -> SeriesInfo {
        SeriesInfo {
            not_reached: false,
            sha256: None,
            file: self.file.clone(),
            step: self.step_name().map(str::to_owned),
            points: self.points,
            first_step: Number(self.first_step),
            last_step: Number(self.last_step),
            summary,
        }
    }
}

impl Reading {
    /// The number that the metric's declaration asks for.
    pub(super) fn reduce(self, metric: &MetricDeclaration) -> Result<Reduced, CollectError> {
        match (self, &metric.summary) {
            (Self::Series { series, .. } | Self::Rows(series), Some(summary)) => {
                series.reduce(metric, summary)
            }
            (Self::Scalar(_), Some(summary)) if !metric.on_own_scale() => {
                Err(CollectError::NoValue(format!(
                    "no {}: there is one number and no series",
                    describe(summary)
                )))
            }
            (reading, summary) => {
                let curve = summary
                    .as_ref()
                    .filter(|summary| summary.kind != SummaryKind::Last);
                let only_final = curve.map(|summary| {
                    format!(
                        "metric `{}`: there is one final value and no series, so that it stands for the {}",
                        metric.name,
                        describe(summary)
                    )
                });
                let (value, series) = reading.last();
                Ok(Reduced {
                    value,
                    series,
                    notes: only_final.into_iter().collect(),
                })
            }
        }
    }

    /// The final value: what the trial said without a step, else the last point.
    pub(super) fn last(self) -> (f64, Option<SeriesInfo>) {
        match self {
            Self::Scalar(value) => (value, None),
            Self::Rows(rows) => (rows.last, None),
            Self::Series {
                series,
                last: Some(value),
            } => (value, Some(series.info("final value".to_owned()))),
            Self::Series { series, last: None } => {
                (series.last, Some(series.info("last".to_owned())))
            }
        }
    }
}

impl SeriesReading {
    /// The number that a summary makes of it. What depends on steps is not made from row numbers: other steps, other
    /// number.
    fn reduce(
        &self,
        metric: &MetricDeclaration,
        summary: &SeriesSummary,
    ) -> Result<Reduced, CollectError> {
        let Self { file, .. } = self;
        if let (Steps::Numbered(among), true) = (&self.steps, summary.needs_steps()) {
            let (name, wanted) = (&metric.name, describe(summary));
            return Err(CollectError::NoValue(format!(
                "no {wanted} of {file}: its values have no steps ({among}); name what holds them by `step` in \
                 [metrics.{name}]"
            )));
        }
        let Summarised { value, not_reached } = summarise(self, metric, summary)?;
        let mut notes = Vec::new();
        if not_reached {
            let name = &metric.name;
            notes.push(format!("`{name}` was not reached by step {value}"));
        }
        if self.without_step > 0 {
            let (name, count) = (&metric.name, self.without_step);
            notes.push(format!(
                "metric `{name}`: {count} values in {file} have no step and were left out"
            ));
        }
        let info = SeriesInfo {
            not_reached,
            ..self.info(describe(summary))
        };
        Ok(Reduced {
            value,
            series: Some(info),
            notes,
        })
    }
}

/// What a series came to.
struct Summarised {
    value: f64,
    /// Whether the value is only the last step of one that did not get there.
    not_reached: bool,
}

impl From<f64> for Summarised {
    fn from(value: f64) -> Self {
        Self {
            value,
            not_reached: false,
        }
    }
}

fn summarise(
    series: &SeriesReading,
    metric: &MetricDeclaration,
    summary: &SeriesSummary,
) -> Result<Summarised, CollectError> {
    let no_value = |reason: String| {
        CollectError::NoValue(format!(
            "no {} of {}: {reason}",
            describe(summary),
            series.file
        ))
    };
    let Some((steps, values)) = &series.kept else {
        return Ok(series.last.into());
    };
    if summary.kind == SummaryKind::Last {
        return Ok(series.last.into());
    }
    let curve = Curve::new(steps, values).map_err(|reason| no_value(reason.to_string()))?;
    let window = window(summary, curve.range());
    let reduced = match summary.kind {
        SummaryKind::Auc => curves::auc(&curve, window, Scale::Normalised),
        SummaryKind::LastN => curves::last_n(&curve, summary.n.unwrap_or(DEFAULT_LAST_N) as usize),
        SummaryKind::Slope => curves::slope(&curve, window),
        SummaryKind::Max => curves::max(&curve, window),
        SummaryKind::Min => {
            return smallest(steps, values, window)
                .map(Summarised::from)
                .map_err(|reason| no_value(reason.to_string()));
        }
        SummaryKind::Mean | SummaryKind::Last => curves::mean(&curve, window),
        SummaryKind::AtStep => curves::value_at(&curve, summary.step.unwrap_or(f64::NAN)),
        SummaryKind::TimeTo => return time_to(&curve, metric, summary).map_err(no_value),
    };
    reduced
        .map(|reduced| reduced.value.into())
        .map_err(|reason| no_value(reason.to_string()))
}

/// How many last values `last_n` takes where the spec does not say.
const DEFAULT_LAST_N: u64 = 5;

/// The part of the curve that counts; a share is one of the steps, so that how densely a run logs does not matter. An end
/// that is not said is that of the curve.
fn window(summary: &SeriesSummary, [first, last]: [f64; 2]) -> Window {
    match (summary.percent, summary.step_min, summary.step_max) {
        (Some(share), _, _) => Window::LastSteps(share),
        (None, None, None) => Window::All,
        (None, from, to) => Window::Steps {
            from: from.unwrap_or(first),
            to: to.unwrap_or(last),
        },
    }
}

fn smallest(
    steps: &[f64],
    values: &[f64],
    window: Window,
) -> Result<f64, fairtrial_stats::Undefined> {
    let negated: Vec<f64> = values.iter().map(|value| -value).collect();
    curves::max(&Curve::new(steps, &negated)?, window).map(|largest| -largest.value)
}

fn time_to(
    curve: &Curve,
    metric: &MetricDeclaration,
    summary: &SeriesSummary,
) -> Result<Summarised, String> {
    let direction = match metric.direction {
        Some(fairtrial_model::Direction::Down) => curves::Direction::AtMost,
        _ => curves::Direction::AtLeast,
    };
    let threshold = Threshold {
        value: summary.threshold.unwrap_or(f64::NAN),
        direction,
    };
    match curves::time_to_threshold(curve, threshold).map_err(|reason| reason.to_string())? {
        Crossing::Reached { step } => Ok(step.into()),
        Crossing::NotReached { by } => Ok(Summarised {
            value: by,
            not_reached: true,
        }),
    }
}

/// The summary in a few words, for the record.
fn describe(summary: &SeriesSummary) -> String {
    let SeriesSummary {
        kind,
        percent,
        n,
        step_min,
        step_max,
        step,
        threshold,
    } = summary;
    let words = match kind {
        SummaryKind::Auc => "auc".to_owned(),
        SummaryKind::LastN => format!("mean of last {}", n.unwrap_or(DEFAULT_LAST_N)),
        SummaryKind::Last => "last".to_owned(),
        SummaryKind::Slope => "slope".to_owned(),
        SummaryKind::Max => "max".to_owned(),
        SummaryKind::Min => "min".to_owned(),
        SummaryKind::Mean => "mean".to_owned(),
        SummaryKind::AtStep => format!("value at step {}", step.unwrap_or(f64::NAN)),
        SummaryKind::TimeTo => format!("first step at {}", threshold.unwrap_or(f64::NAN)),
    };
    let window = match (percent, step_min, step_max) {
        (Some(share), _, _) => format!(" of the last {} of steps", share::percent(*share)),
        (None, Some(from), Some(to)) => format!(" of steps {from} to {to}"),
        (None, Some(from), None) => format!(" from step {from} on"),
        (None, None, Some(to)) => format!(" up to step {to}"),
        (None, None, None) => String::new(),
    };
    words + &window
}
