//! Histories of our own trials: the spec says in which file of the trial's directory a metric's series lies.

use super::behind::{RunBehind, Runs};
use super::curve::{History, RecordedNumber};
use crate::compare::ranking::sweep::conditions;
use crate::error::AnalysisError;
use fairtrial_journal::{DataRoot, RECORD_NAME, RunDir};
use fairtrial_model::{MetricDeclaration, Outcome, Record};
use fairtrial_series::{CurvePoints, CurveSeries, Reading, TrialCurves};
use fairtrial_spec::Spec;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A trial of ours of which everything but the curve is read.
pub(super) struct TrialHead {
    dir: PathBuf,
    id: String,
    record: Record,
    spec: Option<Arc<Spec>>,
    run: Option<Arc<RunBehind>>,
}

impl TrialHead {
    /// Of a trial whose run was asked for by name or is told by the trial's directory.
    pub(super) fn read(
        (runs, root): (&mut Runs, &DataRoot),
        (dir, asked): (&Path, Option<&RunDir>),
        id: String,
    ) -> Result<Self, AnalysisError> {
        let path = dir.join(RECORD_NAME);
        let packed = if path.exists() {
            None
        } else {
            runs.packed(root, dir)?
        };
        let record = match packed {
            Some(record) => record,
            None => read_record(&path)?,
        };
        let (spec, run) = runs.of(root, dir, asked)?.unzip();
        Ok(Self {
            dir: dir.to_owned(),
            id,
            record,
            spec,
            run,
        })
    }

    /// Its curve of a metric.
    pub(super) fn history(self, metric: &str) -> Result<History, AnalysisError> {
        let record = &self.record;
        let declared: &[MetricDeclaration] = self.spec.as_ref().map_or(&[], |spec| &spec.metrics);
        let curves = TrialCurves {
            dir: &self.dir,
            series: &record.series,
            declared,
        };
        let found = curves.open_one(metric, Reading::Columns);
        // A trial that failed may have left no file: that is its answer, not an error of the question.
        let number = record.metrics.get(metric);
        let series = match (found, number) {
            (Err(_), _) if record.outcome != Outcome::Ok => {
                CurveSeries::held(CurvePoints::default())
            }
            (Err(_), Some(number)) if !record.series.contains_key(metric) => {
                CurveSeries::held(CurvePoints::single(number.0))
            }
            (found, _) => found?,
        };
        let mut notes = series.notes().to_vec();
        if record.outcome != Outcome::Ok {
            notes.push(format!("the trial ended as {}", record.outcome));
        }
        Ok(History {
            task: Some(record.trial.task.clone()),
            point: Some(conditions(&record.trial.point).join(", ")),
            arm: record.trial.arm.clone(),
            seed: Some(record.trial.seed),
            rollout: Some(record.trial.rollout),
            outcome: record.outcome,
            declaration: declared.iter().find(|it| it.name == metric).cloned(),
            recorded: recorded(record, metric),
            run: self.run,
            notes,
            ..History::of(self.id, series)
        })
    }
}

fn read_record(path: &Path) -> Result<Record, AnalysisError> {
    let wrong = |message: String| AnalysisError::Content {
        label: path.display().to_string(),
        message,
    };
    let text = std::fs::read(path).map_err(|error| wrong(error.to_string()))?;
    serde_json::from_str(&String::from_utf8_lossy(&text))
        .map_err(|error| wrong(format!("not a record: {error}")))
}

/// What the record made of the metric's series.
fn recorded(record: &Record, metric: &str) -> Option<RecordedNumber> {
    let series = record.series.get(metric)?;
    Some(RecordedNumber {
        value: record.metrics.get(metric)?.0,
        summary: series.summary.clone(),
    })
}
